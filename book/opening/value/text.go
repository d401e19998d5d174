package value

import (
	"fmt"
	"strings"
)

// String writes the estimate with a question mark and the bounds: "3", "1?",
// "1?>=1", "2?<=4", "2?1..4".
func (v Value) String() string {
	switch {
	case v.Exact():
		return fmt.Sprint(v.Lo)
	case v.Lo > -Unbounded && v.Hi < Unbounded:
		return fmt.Sprintf("%d?%d..%d", v.Est, v.Lo, v.Hi)
	case v.Lo > -Unbounded:
		return fmt.Sprintf("%d?>=%d", v.Est, v.Lo)
	case v.Hi < Unbounded:
		return fmt.Sprintf("%d?<=%d", v.Est, v.Hi)
	}
	return fmt.Sprintf("%d?", v.Est)
}

// Bounds writes what is proved: 3, >=1, <=4, 1..4, or nothing.
func (v Value) Bounds() string {
	_, s, estimate := strings.Cut(v.String(), "?")
	if !estimate {
		return v.String()
	}
	return s
}
