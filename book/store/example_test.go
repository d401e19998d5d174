package store_test

import (
	"fmt"

	"endwise/book/store"
)

// A table that is not there says what to do. Package build shows one that is.
func ExampleOpen() {
	_, err := store.Open("nowhere", store.Options{})
	fmt.Println(err)
	// Output: nowhere: no such table: solve it first
}
