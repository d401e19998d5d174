package published_test

import (
	"context"
	"fmt"
	"os"

	"endwise/book/opening/published"
	"endwise/book/opening/value"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/kayles"
)

// A book of one position, which says that its first move wins.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	p, err := kayles.Game{}.Start("5")
	if err != nil {
		fmt.Println(err)
		return
	}
	start := p.(engine.Canonical)
	key, _ := start.CanonicalKey(nil)
	says := published.Entry{Value: value.Exactly(1), Best: start.Moves()[0]}
	h, err := published.Write(context.Background(), dir, kayles.Game{}, "5", []string{string(key)}, 0, func(int) published.Entry { return says })
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := published.Open(store.Dir(dir, h.Name), kayles.Game{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	e, _, ok, err := b.Lookup(start)
	fmt.Println(h.Name, ok, e.Value, e == says, err)
	// Output:
	// opening-kayles-5 true 1 true <nil>
}
