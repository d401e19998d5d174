package solve

import (
	"fmt"
	"math"
	"os"
	"time"

	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/data"
	"endwise/engine/grid"
)

const (
	quick       = 1_500_000          // positions
	hopeless    = 7 * 24 * time.Hour // a search that takes this long needs --force
	longTable   = time.Hour          // a table that takes this long needs --force
	usualGrowth = 1.9                // factor by which each further line multiplies the positions of a search
)

// ForceUsage describes --force.
const ForceUsage = cli.ForceUsage + "; start a run of more than a week"

// WantForce returns an error if a table of all positions takes long, unless force is set.
func WantForce(board string, takes time.Duration, memory uint64, force bool) error {
	if takes < longTable || force {
		return nil
	}
	return cli.BadInput(fmt.Errorf("%s: a table of all positions would take about %s and %s of memory; "+
		"--value solves only the empty board, --force starts the table", board, cli.Duration(takes), cli.Bytes(memory)))
}

// ForecastValue estimates the number of positions of the search for the value of an empty board, with
// start as in [data.Value]. If data/results/values.csv lists the board, this is its number. Otherwise it
// extrapolates from the two largest listed boards with the same shorter side, or if there are no two, from
// the largest one by usualGrowth per line.
func ForecastValue(game, start string, b *grid.Board) float64 {
	rows, cols := min(b.Rows, b.Cols), max(b.Rows, b.Cols)
	// On boards of one row in Dots and Boxes, long ones of even length take more positions than the next odd
	// one, so only lengths of the same parity are compared.
	alike := func(listed int) bool { return rows > 1 || listed%2 == cols%2 }
	var last, before data.Value // the two boards with the most lines
	most := 0                   // their rows
	for _, v := range data.Values() {
		listed, err := grid.Parse(v.Board)
		if err != nil || v.Game != game || v.Start != start || listed.Rows > rows {
			continue
		}
		if listed.Rows == rows && listed.Cols == cols {
			return float64(max(v.Positions, 1))
		}
		if listed.Rows > most {
			most, last, before = listed.Rows, data.Value{}, data.Value{}
		}
		if listed.Rows == most && v.Lines > last.Lines && alike(listed.Cols) {
			before, last = last, v
		}
	}
	growth := usualGrowth
	if most == rows && before.Lines > 0 {
		growth = math.Pow(float64(max(last.Positions, 1))/float64(max(before.Positions, 1)), 1/float64(last.Lines-before.Lines))
	}
	return float64(max(last.Positions, 1)) * math.Pow(growth, float64(b.Segments()-last.Lines))
}

// TableBytes returns the size of the transposition table for a search of about the given number of
// positions: the smallest power of two that is at least 16 MB and at least 64 bytes per position, but no
// more than hashMB megabytes.
func TableBytes(hashMB int, positions float64) int64 {
	size := int64(16 << 20)
	for size < int64(hashMB)<<20 && float64(size) < 64*positions {
		size *= 2
	}
	return min(size, int64(hashMB)<<20)
}

// Forecast prints nothing for a run of fewer positions than the constant quick. Otherwise it prints the
// expected time, at the rate of sample, which returns its number of positions. If the time is hopeless, it prints nothing, and without force returns
// an error.
func Forecast(a *cli.App, board string, positions float64, force bool, sample func() (uint64, error)) error {
	if positions < quick {
		return nil
	}
	start := time.Now()
	n, err := sample()
	if err != nil {
		return cli.Resumable(err)
	}
	seconds := time.Since(start).Seconds() * positions / float64(max(n, 1))
	switch {
	case seconds < hopeless.Seconds():
		_, err = fmt.Fprintf(a.Stdout, "%s: about %s positions, about %s on this machine as busy as it is now\n",
			board, cli.Amount(uint64(positions)), cli.Duration(time.Duration(seconds)*time.Second))
		return err
	case force:
		return nil
	}
	return cli.BadInput(fmt.Errorf("%s: a search would take about %s; take a smaller board, or --force to start it", board, longTime(seconds)))
}

// Begun reports whether the store dir contains the table of a board, finished or not.
func Begun(dir, game string, b *grid.Board) bool {
	path := store.Dir(dir, fmt.Sprintf("%s-board-%dx%d", game, min(b.Rows, b.Cols), max(b.Rows, b.Cols)))
	_, finished := os.Stat(path)
	_, unfinished := os.Stat(path + store.BuildingSuffix)
	return finished == nil || unfinished == nil
}

// longTime formats a time of days or years; from 10,000 years on it gives the power of 10.
func longTime(seconds float64) string {
	days := seconds / 86_400
	switch years := days / 365; {
	case years < 1:
		return fmt.Sprintf("%.0f days", days)
	case years < 10_000:
		return cli.Count(int(years), "year")
	}
	return fmt.Sprintf("10^%.0f years", math.Floor(math.Log10(days/365)))
}
