package book

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A journal survives a torn end and refuses to be somebody else's.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	var got []byte
	open := func(title string) (*Journal, error) {
		got = nil
		return OpenJournal(path, title, 4, func(r []byte) error { got = append(got, r...); return nil })
	}
	j, err := open("mine")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []string{"aaaa", "bbbb"} {
		if err := j.Add([]byte(r)); err != nil {
			t.Fatal(err)
		}
		if err := j.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := open("mine")
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", cut, err)
		}
		if s := string(got); s != "" && s != "aaaa" {
			t.Fatalf("cut to %d bytes: got %q", cut, s)
		}
		before := string(got)
		if err := j.Add([]byte("cccc")); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if j, err = open("mine"); err != nil || string(got) != before+"cccc" {
			t.Fatalf("cut to %d bytes and gone on with: %q, %v", cut, got, err)
		}
		j.Close()
	}
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := open("yours"); !errors.Is(err, errForeignJournal) {
		t.Errorf("another title: %v", err)
	}
	whole[len(whole)-1] ^= 1
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if j, err := open("mine"); err != nil || string(got) != "aaaa" {
		t.Errorf("a flipped bit: %q, %v", got, err)
	} else {
		j.Close()
	}
}
