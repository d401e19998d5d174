package sparse_test

import (
	"fmt"

	"endwise/book/store/sparse"
)

// A block of two keys.
func ExampleCoding() {
	coding := sparse.Coding{KeyBits: 64, ValueBits: 4}
	block, err := coding.Encode([]sparse.Entry{{Key: sparse.Key{Hi: 3}, Value: 7}, {Key: sparse.Key{Hi: 1 << 60}, Value: 9}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := coding.View(block)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Find(sparse.Key{Hi: 3}))
	fmt.Println(v.Find(sparse.Key{Hi: 4}))
	// Output:
	// 7 true
	// 0 false
}
