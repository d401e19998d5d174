package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"endwise/solver/farm"
	"endwise/solver/farm/jetstream"
)

// doubler answers a job of some bytes with the same bytes twice.
type doubler struct{}

func (doubler) Work(_ context.Context, payload []byte) ([]byte, error) {
	return append(payload, payload...), nil
}

func (doubler) Close() error { return nil }

// A run with the server in its own process and one worker, which would be a
// process on another machine.
func Example() {
	dir, err := os.MkdirTemp("", "jetstream")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	server, err := jetstream.StartEmbedded(jetstream.EmbeddedOptions{Dir: filepath.Join(dir, "nats")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	double := farm.Kind{Name: "double", Version: "1", Open: func(farm.Env) (farm.Handler, error) { return doubler{}, nil }}
	c, err := jetstream.Start(context.Background(), jetstream.Options{Server: server.Server, Title: "an example", Kind: double})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	ctx, stop := context.WithCancel(context.Background())
	worked := make(chan error)
	go func() {
		worked <- jetstream.Work(ctx, jetstream.WorkerOptions{Server: jetstream.Server{URL: server.Server.URL}, Threads: 1, Kinds: []farm.Kind{double}})
	}()
	results := make([]string, 2)
	err = c.Do(context.Background(), farm.Stage{Name: "double", Payloads: [][]byte{[]byte("ab"), []byte("x")}, Take: func(job int, result []byte) error {
		results[job] = string(result)
		return nil
	}})
	stop()
	fmt.Println(results, err, errors.Is(<-worked, context.Canceled))
	// Output:
	// [abab xx] <nil> true
}
