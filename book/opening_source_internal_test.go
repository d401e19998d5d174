package book

import (
	"testing"

	"endwise/book/opening"
)

// Of several estimates the deepest is first; of equally deep ones that of the first book, however long
// its search took: a book that was grown from the embedded one comes before it.
func TestDeepestFirst(t *testing.T) {
	entry := func(name string, depth, plies uint16, millis uint32) bookEntry {
		e := bookEntry{book: &openingBook{NamedBook: &opening.NamedBook{Name: name}}}
		e.Origin = opening.Origin{Depth: depth, Plies: plies, Millis: millis}
		return e
	}
	got := ""
	for _, e := range deepestFirst([]bookEntry{entry("a", 3, 2, 50), entry("b", 4, 1, 900), entry("c", 2, 9, 1)}) {
		got += e.book.Name
	}
	if got != "cab" {
		t.Errorf("%s, want cab", got)
	}
}
