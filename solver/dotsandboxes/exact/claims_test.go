package exact_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/dotsandboxes/exact"
)

// Limits without ENDWISE_DEEP: the most free lines of a published position whose value is
// computed, and of one whose moves are all evaluated.
const quickLines, quickMoves = 36, 24

// Every published position has the claimed value and the claimed best moves. Positions that
// are too large for a short run, and those whose claim does not hold, are listed with the
// reason.
func TestPublishedClaimsHold(t *testing.T) {
	s := exact.New(exact.Options{Threads: 2, TableBytes: 256 << 20})
	rows := enginetest.RecordedRows(t, "positions.tsv")
	if len(rows) != 31 {
		t.Errorf("%d positions, want 31", len(rows))
	}
	for _, row := range rows {
		id, note := row[0], row[12]
		p, err := dotsandboxes.Parse(row[3])
		testenv.OK(t, err)
		value, _ := strconv.Atoi(row[5])
		if row[6] != "exact" { // a run with ENDWISE_DEEP
			word, rest, _ := strings.Cut(row[9], " ")
			if value, err = strconv.Atoi(word); err != nil || !strings.HasPrefix(rest, "exact") {
				t.Errorf("%s: no exact value", id)
			}
		}
		lead := engine.Lead(p, engine.First) + value
		if p.Turn() == engine.Second {
			lead = engine.Lead(p, engine.First) - value
		}
		if final, err := strconv.Atoi(row[7]); err != nil || final != lead {
			t.Errorf("%s: player 1 ends %+d boxes ahead, the table says %s", id, lead, row[7])
		}
		if row[11] != "agree" {
			t.Logf("%s: %s: %s", id, row[4], note)
		}
		if n := p.Free().Len(); n > quickLines && !testenv.Deep() {
			t.Logf("%s: %d free lines, solved with ENDWISE_DEEP only", id, n)
			continue
		}
		r, err := s.Value(context.Background(), p.Board(), p.Free())
		testenv.OK(t, err)
		if !r.Exact() || r.Lower != value {
			t.Errorf("%s: value %d to %d, want %d (%s)", id, r.Lower, r.Upper, value, row[4])
		}
		if p.Free().Len() > quickMoves {
			continue
		}
		moves, _, err := s.Moves(context.Background(), p.Board(), p.Free())
		testenv.OK(t, err)
		var best []string
		for _, m := range moves {
			if m.Lower == value {
				best = append(best, p.MoveString(engine.Move(m.Segment)))
			}
		}
		slices.Sort(best)
		want, more := strings.CutSuffix(row[8], " …")
		if got := strings.Join(best, " "); got != want && !(more && strings.HasPrefix(got, want)) {
			t.Errorf("%s: best moves %s, want %s", id, got, row[8])
		}
	}
}
