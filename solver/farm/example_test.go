package farm_test

import (
	"context"
	"fmt"
	"strings"

	"endwise/solver/farm"
)

// shouter answers a job of some text with the text in capital letters.
type shouter struct{}

func (shouter) Work(_ context.Context, payload []byte) ([]byte, error) {
	return []byte(strings.ToUpper(string(payload))), nil
}

func (shouter) Close() error { return nil }

// A stage of two jobs, carried out by goroutines.
func ExampleInProcess() {
	f := farm.NewInProcess(farm.NewKinds(farm.Kind{Name: "shout", Open: func(farm.Env) (farm.Handler, error) { return shouter{}, nil }}), 2)
	defer f.Close()
	results := make([]string, 2)
	err := f.Do(context.Background(), farm.Stage{
		Name: "shouting", Kind: "shout", Payloads: [][]byte{[]byte("hello"), []byte("world")},
		Take: func(job int, result []byte) error { results[job] = string(result); return nil },
	})
	fmt.Println(results, err)
	// Output: [HELLO WORLD] <nil>
}
