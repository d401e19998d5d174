package report_test

import (
	"os"
	"testing"

	"endwise/engine/arena/report"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The same document is written for a terminal and in Markdown.
func Example() {
	for _, d := range []*report.Document{report.Text(false), report.Markdown()} {
		d.Title(report.Played("circuitwars", "7x7", 3000))
		d.Table(report.Table{Head: []string{"player", "won"}, Rows: [][]string{{report.Bold("a"), "12"}, {"b", "3"}}, Left: 1})
		d.Faults([]string{"a-b-0001: b lost by timeout"}, 20)
		if err := d.Print(os.Stdout); err != nil {
			panic(err)
		}
	}
	// Output:
	// circuitwars 7x7, 3s a move
	// player  won
	// a        12
	// b         3
	//
	// Lost by rule or stopped
	// a-b-0001: b lost by timeout
	// # circuitwars 7x7, 3s a move
	// | player | won |
	// | :--- | ---: |
	// | **a** | 12 |
	// | b | 3 |
	//
	// ## Lost by rule or stopped
	//
	// - `a-b-0001: b lost by timeout`
}
