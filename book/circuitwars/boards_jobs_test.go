package circuitwars

import (
	"testing"
)

// TestHostileResults decodes truncated and changed results.
func TestHostileResults(t *testing.T) {
	values := make([]byte, 16)
	chunk := encodeChunk(values, map[int]uint64{3: 7})
	if h, err := decodeChunk(chunk, values); err != nil || h[3] != 7 {
		t.Errorf("chunk: %v, %v", h, err)
	}
	for _, bad := range [][]byte{nil, chunk[:9], pack(nil), pack(make([]byte, 65)), pack(make([]byte, 100))} {
		if _, err := decodeChunk(bad, values); err == nil {
			t.Errorf("chunk of %d bytes was taken", len(bad))
		}
	}
	for _, bad := range [][]byte{nil, pack(nil), pack([]byte{5, 1, 2}), pack([]byte{2, 4, 2, 0, 2}), pack([]byte{1, 4, 100}), pack([]byte{1, 4, 2, 9})} {
		if list, err := decodeEntries(bad); err == nil {
			t.Errorf("entries of %d bytes were taken as %v", len(bad), list)
		}
	}
}
