package solving_test

import (
	"fmt"
	"os"

	"endwise/book/solving"
)

// A journal gives its records to the process after the one that wrote them.
func ExampleJournal() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		j, err := solving.OpenJournal(solving.JournalPath(dir, "table"), "example 1", 4, func(record []byte) error {
			fmt.Printf("%s\n", record)
			return nil
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := j.Add([]byte("done")); err != nil {
			fmt.Println(err)
		}
		if err := j.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output: done
}
