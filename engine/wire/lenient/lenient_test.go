package lenient

import (
	"encoding/json"
	"strconv"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A whole number is a number in any spelling, and nothing else is one.
func TestSpellings(t *testing.T) {
	for _, text := range []string{"3", "3.0", "3e0", "30e-1", "0.3E1", `"3"`, `" 3 "`, `"3.0"`, `"+3"`, `"03"`, `"\u0033"`} {
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err != nil || !n.Is(3) || n.IsZero() {
			t.Errorf("%s is read as %v, %v", text, n, err)
		}
	}
	for _, text := range []string{
		"null", "true", "[3]", "{}", "3.5", "1e999", "1e30", `""`, `"three"`, `"0x3"`, `"Inf"`, `"NaN"`, `"1_0"`, `"3 4"`, `"3p1"`, `"-"`,
	} {
		var n Number
		err := json.Unmarshal([]byte(text), &n)
		if v, ok := n.Whole(); err != nil || ok || n.IsZero() != (text == "null") {
			t.Errorf("%s is read as %v, %d, %v", text, n, v, err)
		}
		if n.String() != text {
			t.Errorf("%s is shown as %s", text, n)
		}
	}
	for text, want := range map[string]Text{`"a"`: "a", `7`: "7", `7.0`: "7", `"7"`: "7", `1.5`: "1.5", `null`: "", `[1]`: "[1]", `true`: "true", "12345678901234567890": "12345678901234567890"} {
		var got Text
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("identifier %s is read as %q, %v", text, got, err)
		}
	}
}

// A field of another type, a byte order mark or a NaN leaves the other fields readable.
func TestOneOddField(t *testing.T) {
	for text, odd := range map[string]bool{
		`{"a":1,"b":"x"}`:                    false,
		"\xef\xbb\xbf" + `{"a":1,"b":"x"}`:   false,
		`{"a":1,"b":[3]}`:                    true,
		`{"b":{"c":NaN},"a":1}`:              true,
		`{"b":"NaN \" -Infinity","a":1}`:     false,
		`{"c":-Infinity,"d":Infinity,"a":1}`: false,
		`{"c":[NaN,{"d":Infinity}],"a":"1"}`: false,
	} {
		var m struct {
			A Number
			B string
		}
		got, err := Unmarshal([]byte(text), &m)
		if err != nil || !m.A.Is(1) || (got != nil) != odd {
			t.Errorf("%s: %v, %v, %v", text, m, got, err)
		}
	}
	for _, text := range []string{"", "{", "[1]", `"a"`, "7", "hello", `{"a":1}x`, "Infinity", "null", `{"a":Nan}`} {
		var m struct{ A Number }
		if odd, err := Unmarshal([]byte(text), &m); err == nil {
			t.Errorf("%q is read as %v, %v", text, m, odd)
		}
	}
}

// Every text is read without an error, and reading what was written gives the same number.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", "-0", "1.5", "x", "", "9007199254740993", " 2 ", "1e", "--1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		testenv.OK(t, err)
		var n, again Number
		testenv.OK(t, n.UnmarshalJSON(quoted))
		written, err := json.Marshal(n)
		testenv.OK(t, err)
		testenv.OK(t, json.Unmarshal(written, &again))
		if v, ok := n.Whole(); ok && (!again.Is(v) || !Of(v).Is(v)) || n.ok != again.ok {
			t.Errorf("%q is %d, %v, written as %s and read as %v", text, v, ok, written, again)
		}
		if v, err := strconv.Atoi(text); err == nil && v < maxWhole && v > -maxWhole && !n.Is(v) {
			t.Errorf("%q is no whole number", text)
		}
	})
}
