package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"endwise/engine/testenv"
)

var framings = []Frames{
	{Order: binary.BigEndian, Max: 64},
	{Order: binary.LittleEndian, Max: 64},
	{Mark: "mark", Order: binary.LittleEndian, Max: 64},
}

// scanned returns the results of Scan, which must be the same for a Reader that returns one
// byte at a time.
func scanned(t testing.TB, f Frames, data []byte) (records []string, end int64, broken [][2]int64) {
	t.Helper()
	for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
		records = nil
		var err error
		end, broken, err = f.Scan(r, func(at int64, record []byte) error {
			if first, n := f.First(data[at:]); n == 0 || !bytes.Equal(first, record) {
				t.Errorf("at %d First finds %q, Scan %q", at, first, record)
			}
			records = append(records, string(record))
			return nil
		})
		testenv.OK(t, err)
	}
	return records, end, broken
}

// A file cut at any length is read up to the last complete record, and any changed bit is
// detected: with a mark only its own record is lost, without one also the records after it.
func TestFramesAfterDamage(t *testing.T) {
	for _, f := range framings {
		var data []byte
		var ends []int
		want := []string{"one", "the second record", "mark", "m"}
		for _, r := range want {
			data = f.Append(data, []byte(r))
			ends = append(ends, len(data))
		}
		if got, end, broken := scanned(t, f, data); !reflect.DeepEqual(got, want) || int(end) != len(data) || broken != nil {
			t.Fatalf("%+v: %q up to %d, %v", f, got, end, broken)
		}
		for cut := range data {
			whole := 0
			for whole < len(ends) && ends[whole] <= cut {
				whole++
			}
			got, end, broken := scanned(t, f, data[:cut])
			if len(got) != whole || whole > 0 && int(end) != ends[whole-1] || broken != nil {
				t.Errorf("%+v cut at %d: %q up to %d, %v", f, cut, got, end, broken)
			}
		}
		for bit := range 8 * ends[len(ends)-2] { // the last frame stays intact
			damaged := bytes.Clone(data)
			damaged[bit/8] ^= 1 << (bit % 8)
			hit, from := 0, 0
			for ends[hit] <= bit/8 {
				from = ends[hit]
				hit++
			}
			left := append([]string(nil), want[:hit]...)
			lost := [][2]int64(nil)
			if f.Mark != "" {
				left, lost = append(left, want[hit+1:]...), [][2]int64{{int64(from), int64(ends[hit])}}
			}
			if got, _, broken := scanned(t, f, damaged); fmt.Sprint(got) != fmt.Sprint(left) || !reflect.DeepEqual(broken, lost) {
				t.Errorf("%+v with bit %d broken: %q and %v, want %q and %v", f, bit, got, broken, left, lost)
			}
		}
		// Zero bytes, which a file system may leave after a power cut, are not a record.
		if got, end, _ := scanned(t, f, append(bytes.Clone(data), make([]byte, 100)...)); len(got) != len(want) || int(end) != len(data) {
			t.Errorf("%+v with zeros behind: %q up to %d", f, got, end)
		}
	}
	if _, _, err := framings[0].Scan(iotest.ErrReader(os.ErrPermission), nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

func FuzzFrames(f *testing.F) {
	for i, fr := range framings {
		f.Add(uint8(i), fr.Append(fr.Append(nil, []byte("a")), []byte("b")))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		fr := framings[int(which)%len(framings)]
		records, end, broken := scanned(t, fr, data)
		size := int64(0)
		for _, r := range records {
			size += int64(fr.Head() + len(r))
		}
		for _, b := range broken {
			size += b[1] - b[0]
		}
		if size != end || end > int64(len(data)) {
			t.Errorf("%q and %v make %d bytes, not %d", records, broken, size, end)
		}
	})
}

// A log continues after the last complete record, and refuses writes after one that failed.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	testenv.OK(t, os.WriteFile(path, []byte("whole, torn"), 0o600))
	open := func(end int64, flags int) (*Log, error) {
		f, err := os.OpenFile(path, flags, 0)
		testenv.OK(t, err)
		t.Cleanup(func() { f.Close() })
		return NewLog(f, end)
	}
	l, err := open(6, os.O_RDWR)
	testenv.OK(t, err)
	if _, err := l.Write([]byte(" more")); err != nil {
		t.Fatal(err)
	}
	if err := l.SyncEvery(0); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "whole, more" || l.Size() != int64(len(data)) {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := open(3, os.O_RDONLY); err == nil {
		t.Error("a file that may not be written was cut")
	}
	l, err = open(11, os.O_RDONLY)
	testenv.OK(t, err)
	_, failed := l.Write([]byte("x"))
	if failed == nil || !strings.Contains(failed.Error(), "saving has stopped") {
		t.Fatalf("%v", failed)
	}
	for what, err := range map[string]error{"sync": l.Sync(), "late sync": l.SyncEvery(1 << 60), "close": l.Close()} {
		if err != failed {
			t.Errorf("%s after a failed write: %v", what, err)
		}
	}
}
