package archive_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"endwise/book/archive"
)

// A store goes into one file and from there into another store, which keeps what
// it has.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	here, there, file := filepath.Join(dir, "here"), filepath.Join(dir, "there"), filepath.Join(dir, "store.pack")
	for name, text := range map[string]string{filepath.Join(here, "results", "spring.jsonl"): "7-2\n", filepath.Join(there, "results", "autumn.jsonl"): "5-4\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			fmt.Println(err)
			return
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			fmt.Println(err)
			return
		}
	}
	packed, err := archive.Pack(context.Background(), here, nil, file, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(packed.Bytes(), packed.Units[0].Name)
	for range 2 {
		done, err := archive.Unpack(context.Background(), file, there, nil)
		fmt.Println(done, err)
	}
	// Output:
	// 4 results/spring.jsonl
	// [{results/spring.jsonl added }] <nil>
	// [{results/spring.jsonl there already }] <nil>
}
