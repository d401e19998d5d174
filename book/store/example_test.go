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

// A block of two keys.
func ExampleCoding() {
	coding := store.Coding{KeyBits: 64, ValueBits: 4}
	block, err := coding.Encode([]store.Entry{{Key: store.Key{Hi: 3}, Value: 7}, {Key: store.Key{Hi: 1 << 60}, Value: 9}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := coding.View(block)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Find(store.Key{Hi: 3}))
	fmt.Println(v.Find(store.Key{Hi: 4}))
	// Output:
	// 7 true
	// 0 false
}
