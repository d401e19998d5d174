package opening

import (
	"fmt"
	"strconv"
	"strings"
)

// parseValue reads what Value.String writes.
func parseValue(s string) (Value, error) {
	bad := fmt.Errorf("value %.40q: want a number, or an estimate like 1? 1?>=1 1?<=4 or 1?1..4", s)
	est, bounds, estimate := strings.Cut(s, "?")
	n, err := parseScore(est)
	if err != nil {
		return Value{}, bad
	}
	if !estimate {
		return exactly(n), nil
	}
	v := Unknown(n)
	var err2 error
	switch {
	case bounds == "":
	case strings.HasPrefix(bounds, ">="):
		v.Lo, err = parseScore(bounds[2:])
	case strings.HasPrefix(bounds, "<="):
		v.Hi, err = parseScore(bounds[2:])
	default:
		lo, hi, two := strings.Cut(bounds, "..")
		if !two {
			return Value{}, bad
		}
		v.Lo, err = parseScore(lo)
		v.Hi, err2 = parseScore(hi)
	}
	if err != nil || err2 != nil || v.Lo >= v.Hi {
		return Value{}, bad
	}
	return v, nil
}

// parseScore reads a number as strconv writes it.
func parseScore(s string) (int16, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n > maxScore || n < -maxScore || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("score %.20q", s)
	}
	return int16(n), nil
}
