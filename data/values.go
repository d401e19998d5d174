package data

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Value is the proved value of an empty board for the player who moves first. README.md in
// results describes how it was proved.
type Value struct {
	Game, Board string
	Start       string // in Dots and Boxes: american, swedish or icelandic
	Lines       int    // number of lines of the board
	Value       int
	Positions   uint64 // number of positions searched for the value with one thread
	Known       string // who published it before; "" if it is new
	Certificate bool   // a certificate proves it
}

// Empty reports whether v is the value of a board without drawn lines.
func (v Value) Empty() bool { return v.Start == "" || v.Start == "american" }

//go:embed results/values.csv
var values string

// Values returns the rows of results/values.csv in the order of the file. It panics if the
// embedded file has another form.
func Values() (list []Value) {
	lines := strings.Split(strings.TrimSpace(values), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(lines[0], ",") {
		column[name] = i
	}
	for _, line := range lines[1:] {
		row := strings.Split(line, ",") // package encoding/csv would enlarge the browser's program
		if len(row) != len(column) {
			panic(fmt.Sprintf("values.csv: %d columns in %q", len(row), line))
		}
		number := func(name string) int {
			n, err := strconv.Atoi(row[column[name]])
			if err != nil {
				panic(err)
			}
			return n
		}
		list = append(list, Value{
			Game: row[column["game"]], Board: row[column["board"]], Start: row[column["start"]],
			Lines: number("lines"), Value: number("value"), Positions: uint64(number("positions")),
			Known: row[column["known before"]], Certificate: row[column["certificate"]] == "yes",
		})
	}
	return list
}
