package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// A journal survives an incomplete end and refuses another title.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	var got []byte
	open := func(title string) (*Journal, error) {
		got = nil
		return OpenJournal(path, title, 4, func(r []byte) error { got = append(got, r...); return nil })
	}
	j, err := open("mine")
	testenv.OK(t, err)
	for _, r := range []string{"aaaa", "bbbb"} {
		testenv.OK(t, j.Add([]byte(r)))
		testenv.OK(t, j.Flush())
	}
	testenv.OK(t, j.Close(nil))
	whole := testenv.ReadFile(t, path)
	for cut := range whole {
		testenv.OK(t, os.WriteFile(path, whole[:cut], 0o644))
		read := ""
		if err := ReadJournal(path, "mine", 4, func(r []byte) error { read += string(r); return nil }); err != nil || read != "" && read != "aaaa" {
			t.Fatalf("cut to %d bytes: read %q, %v", cut, read, err)
		}
		j, err := open("mine")
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", cut, err)
		}
		if s := string(got); s != "" && s != "aaaa" {
			t.Fatalf("cut to %d bytes: got %q", cut, s)
		}
		before := string(got)
		testenv.OK(t, j.Add([]byte("cccc")))
		j.Close(nil)
		if j, err = open("mine"); err != nil || string(got) != before+"cccc" {
			t.Fatalf("cut to %d bytes and gone on with: %q, %v", cut, got, err)
		}
		j.Close(nil)
	}
	testenv.OK(t, os.WriteFile(path, whole, 0o644))
	if _, err := open("yours"); !errors.Is(err, errForeignJournal) {
		t.Errorf("another title: %v", err)
	}
	for file, want := range map[string]error{path: errForeignJournal, path + "none": nil} {
		if err := ReadJournal(file, "yours", 4, func([]byte) error { return errors.New("a record") }); !errors.Is(err, want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	whole[len(whole)-1] ^= 1
	testenv.OK(t, os.WriteFile(path, whole, 0o644))
	if j, err := open("mine"); err != nil || string(got) != "aaaa" {
		t.Errorf("a flipped bit: %q, %v", got, err)
	} else {
		j.Close(nil)
	}
}

// An error names the journal once, whether it cannot be opened or belongs to other work.
func TestJournalIsNamedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	none := func([]byte) error { return nil }
	testenv.OK(t, os.WriteFile(path, []byte("mine\n"), 0o644))
	for _, p := range []string{path, path + "/below"} {
		if err := ReadJournal(p, "yours", 4, none); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%v", err)
		}
	}
}

// A failed write is returned by Add if a frame is full, by Flush and by Close.
func TestJournalReturnsFailedWrites(t *testing.T) {
	for name, write := range map[string]func(*Journal) error{
		"flush": func(j *Journal) error { return errors.Join(j.Add([]byte("aaaa")), j.Flush()) },
		"a full frame": func(j *Journal) (err error) {
			for n := 0; n <= journalFrame && err == nil; n += 4 {
				err = j.Add([]byte("aaaa"))
			}
			return err
		},
	} {
		j, err := OpenJournal(filepath.Join(t.TempDir(), "j"), "mine", 4, func([]byte) error { return nil })
		testenv.OK(t, err)
		testenv.OK(t, j.log.Close())
		if write(j) == nil {
			t.Errorf("%s: the failed write is not reported", name)
		}
		failed := j.Flush()
		if err := j.Close(fmt.Errorf("solving: %w", failed)); failed == nil || strings.Count(err.Error(), failed.Error()) != 1 {
			t.Errorf("%s: Close after a failed write returned %v, want its error once", name, err)
		}
	}
}
