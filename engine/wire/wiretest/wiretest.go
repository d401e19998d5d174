// Package wiretest writes recorded messages in different spellings with the same meaning.
package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Respelled returns the JSON object with randomly spelled numbers, an unknown field, and sometimes a
// byte order mark. The fields named in unchanged stay as they are. A field named in neither
// unchanged nor required may also be removed or get a value of another type.
func Respelled(t testing.TB, rng *rand.Rand, object []byte, required, unchanged []string) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	for key, v := range fields {
		if slices.Contains(unchanged, key) {
			continue
		}
		fields[key] = respell(rng, v)
		if slices.Contains(required, key) {
			continue
		}
		switch odd := []any{nil, "odd", -7.5, []any{}, map[string]any{"odd": 1}, true}; rng.IntN(3) {
		case 0:
			delete(fields, key)
		case 1:
			fields[key] = odd[rng.IntN(len(odd))]
		}
	}
	fields[fmt.Sprintf("extra%d", rng.IntN(9))] = []any{1, "x", nil}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if rng.IntN(2) == 0 {
		out = append([]byte("\xef\xbb\xbf "), out...)
	}
	return out
}

func respell(rng *rand.Rand, v any) any {
	switch v := v.(type) {
	case json.Number:
		return []any{v, json.RawMessage(v + "e0"), v.String(), " " + v.String() + "\t", v.String() + "e0", json.RawMessage(fraction(v))}[rng.IntN(6)]
	case []any:
		for i := range v {
			v[i] = respell(rng, v[i])
		}
	}
	return v
}

// fraction returns a whole number with decimals, and any other number unchanged.
func fraction(n json.Number) string {
	if bytes.ContainsAny([]byte(n), ".eE") {
		return n.String()
	}
	return n.String() + ".00"
}
