// Package lenient reads JSON messages of other programs in different spellings. A whole number may
// be written 3, 3.0, 3e0, "3" or " 3 ", an identifier "7" or 7. A byte order mark and NaN are
// accepted. An unreadable field does not make the others unreadable.
package lenient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxWhole is the bound of the whole numbers that float64 represents exactly.
const maxWhole = 1 << 53

// Number is a number in any spelling. The zero value stands for a missing number.
type Number struct {
	text  string // as spelled, "" if it is missing or null
	value float64
	ok    bool
}

func Of[N int | float64](n N) Number {
	return Number{strconv.FormatFloat(float64(n), 'f', -1, 64), float64(n), true}
}

// IsZero reports whether the number is missing or null.
func (n Number) IsZero() bool { return n.text == "" }

// Float returns the value; ok is false unless it is a finite number.
func (n Number) Float() (value float64, ok bool) { return n.value, n.ok }

// Whole returns the value; ok is false unless it is a whole number within ±2^53.
func (n Number) Whole() (value int, ok bool) {
	if !n.ok || n.value != math.Trunc(n.value) || math.Abs(n.value) > maxWhole {
		return 0, false
	}
	return int(n.value), true
}

// Pair returns the two whole numbers in n; ok is false if n contains anything else.
func Pair(n []Number) (a, b int, ok bool) {
	if len(n) != 2 {
		return 0, 0, false
	}
	a, first := n[0].Whole()
	b, second := n[1].Whole()
	return a, b, first && second
}

func (n Number) Is(want int) bool {
	v, ok := n.Whole()
	return ok && v == want
}

// String returns the number as spelled, "null" if it is missing.
func (n Number) String() string {
	if n.IsZero() {
		return "null"
	}
	return n.text
}

func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON never fails.
func (n *Number) UnmarshalJSON(data []byte) error {
	var line bytes.Buffer
	_ = json.Compact(&line, data) // data is valid, but may have several lines
	*n = Number{text: line.String()}
	if n.text == "null" {
		n.text = ""
		return nil
	}
	text := n.text
	var s string
	if json.Unmarshal(data, &s) == nil {
		text = strings.TrimSpace(s)
	}
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return nil // ParseFloat accepts hexadecimal numbers and infinity as well
	}
	v, err := strconv.ParseFloat(text, 64)
	n.value, n.ok = v, err == nil
	return nil
}

// Text is an identifier, which may be a string or a number in a message.
type Text string

// UnmarshalJSON never fails. A whole number becomes its decimal digits, and null the empty text.
// Anything else that is not a string is kept as written.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string // empty for null
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
		return nil
	}
	var n Number
	_ = n.UnmarshalJSON(data)
	*t = Text(n.text)
	if v, ok := n.Whole(); ok {
		*t = Text(strconv.Itoa(v))
	}
	return nil
}

// errNoObject is the error for a text that does not begin with a brace.
var errNoObject = errors.New("not JSON: want an object in braces")

// withoutNaN returns data with null in place of NaN and Infinity, except in strings.
func withoutNaN(data []byte) []byte {
	var out []byte
	for len(data) > 0 {
		n := 1
		switch data[0] {
		case '"':
			for n < len(data) && data[n] != '"' {
				if data[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(data))
		case '-', 'I', 'N':
			n = max(1, len(data)-len(bytes.TrimLeft(data, "-INafinty")))
			if w := string(data[:n]); w == "NaN" || w == "Infinity" || w == "-Infinity" {
				out, data = append(out, "null"...), data[n:]
				continue
			}
		}
		out, data = append(out, data[:n]...), data[n:]
	}
	return out
}

// Unmarshal reads a JSON object into the struct that v points to. odd is the error for the first field
// of another type than in the struct, if any; such a field keeps its value, and all others are read.
// err is not nil if data is not an object.
func Unmarshal(data []byte, v any) (odd, err error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if !bytes.HasPrefix(data, []byte("{")) {
		return nil, errNoObject
	}
	err = json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if spelled := withoutNaN(data); json.Valid(spelled) {
			err = json.Unmarshal(spelled, v)
		}
	}
	var field *json.UnmarshalTypeError
	switch {
	case errors.As(err, &field):
		return fmt.Errorf("%s: a %s is not expected there", field.Field, field.Value), nil
	case err != nil:
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return nil, nil
}
