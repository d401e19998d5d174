package disk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"endwise/engine/disk"
)

// A file is written completely or not at all; if writing fails, the previous file remains.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "result")
	fmt.Println(disk.WriteFile(path, 0o644, disk.Bytes([]byte("7-2"))))
	err = disk.WriteFile(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of "); err != nil {
			return err
		}
		return errors.New("the other half is missing")
	})
	fmt.Println(err)
	fmt.Println(errors.Is(disk.WriteNewFile(path, 0o644, disk.Bytes(nil)), fs.ErrExist))
	text, err := os.ReadFile(path)
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// <nil>
	// the other half is missing
	// true
	// 7-2 <nil>
}
