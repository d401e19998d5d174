package value_test

import (
	"fmt"

	"endwise/book/opening/value"
)

// A move that wins two squares and passes the turn is worth them and what the
// opponent's position behind it loses.
func ExampleValue_Through() {
	behind := value.Value{Lo: -3, Hi: value.Unbounded, Est: 1}
	move := behind.Through(2, true)
	fmt.Println(behind.Words(1))
	fmt.Println(move.Words(1), move)
	// Output:
	// about +1, at least -3 proved
	// about +1, at most +5 proved 1?<=5
}
