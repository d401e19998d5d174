package book

import (
	"bytes"
	"slices"
	"testing"

	"endwise/engine/testenv"
)

func TestProofFile(t *testing.T) {
	for _, f := range []ProofFile{{"six 1\n", 6}, {"eight 1\n", 8}} {
		want := []ProofEntry{
			{Compared: 1 << 60, Bucket: 2 << 40, Lower: -3, Upper: 5},
			{Compared: 1 << 20, Bucket: 7 << 40, Lower: -16, Upper: 0},
		}
		var b bytes.Buffer
		// Bounds of two entries with the same key are intersected.
		wide, narrow := want[0], want[0]
		wide.Upper, narrow.Lower = 60, -60
		testenv.OK(t, f.Write(&b, []ProofEntry{want[1], wide, narrow, want[1]}))
		read := func(text string) (got []ProofEntry, err error) {
			err = f.Read(text, func(a ProofEntry) { got = append(got, a) })
			return got, err
		}
		if got, err := read(b.String()); err != nil || !slices.Equal(got, want) || f.Count(b.String()) != len(want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
		turned := f.Title + string(make([]byte, 4+f.Bytes)) + "\x05\x04"
		for _, bad := range []string{"", "other\n", f.Title + "short", turned} {
			if got, err := read(bad); err == nil {
				t.Errorf("%q: no error, %d answers", bad, len(got))
			}
		}
	}
}
