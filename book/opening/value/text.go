package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// String writes the estimate with a question mark and the bounds: "3", "1?",
// "1?>=1", "2?<=4", "2?1..4". Parse reads it.
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

// ParseBounds reads what Bounds writes.
func ParseBounds(s string) (Value, error) {
	v, err := Parse(s)
	if err != nil {
		v, err = Parse("0?" + s)
	}
	if err != nil || v.Bounds() != s {
		return v, fmt.Errorf("proved=%.40s: want 3, >=1, <=4 or 1..4", s)
	}
	return v, nil
}

// Parse reads what Value.String writes.
func Parse(s string) (Value, error) {
	est, bounds, estimate := strings.Cut(s, "?")
	n, err := parseScore(est)
	v := Exactly(n)
	if estimate {
		v = Unknown(n)
		lo, hi, two := strings.Cut(bounds, "..")
		var err2, err3 error
		switch {
		case two:
			v.Lo, err2 = parseScore(lo)
			v.Hi, err3 = parseScore(hi)
		case strings.HasPrefix(bounds, ">="):
			v.Lo, err2 = parseScore(bounds[2:])
		case strings.HasPrefix(bounds, "<="):
			v.Hi, err2 = parseScore(bounds[2:])
		}
		err = errors.Join(err, err2, err3)
	}
	if err != nil || v.Lo > v.Hi || v.String() != s {
		return Value{}, fmt.Errorf("value %.40q: want a number, or an estimate like 1? 1?>=1 1?<=4 or 1?1..4", s)
	}
	return v, nil
}

func parseScore(s string) (int16, error) {
	n, err := strconv.ParseInt(s, 10, 16)
	if err == nil && (n > Max || n < -Max) {
		err = strconv.ErrRange
	}
	return int16(n), err
}
