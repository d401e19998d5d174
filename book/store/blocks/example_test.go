package blocks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"endwise/book/store/blocks"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Two blocks in one file.
func Example() {
	root, err := os.MkdirTemp("", "blocks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	dir := filepath.Join(root, "table")
	w, err := blocks.CreateOneFile(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n, text := range []string{"first", "second"} {
		if err := w.Put(blocks.Encoder{}.Encode(uint64(n), []byte(text))); err != nil {
			fmt.Println(err)
			return
		}
	}
	files, err := w.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := blocks.Open(dir, files, 2, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	payload, err := r.Read(1)
	fmt.Println(string(payload), err)
	// Output: second <nil>
}
