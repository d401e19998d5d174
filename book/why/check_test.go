package why

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"endwise/engine"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// checker recomputes the facts of reasons from the rules; it shares no code with what makes
// them. Every kind has an entry.
type checker map[Kind]func(t *testing.T, p engine.Position, r Reason)

// check explains a position of proved value and checks every reason. It returns the reasons.
func (c checker) check(t *testing.T, p engine.Position, d engine.Decision, solve Solve) []Reason {
	t.Helper()
	reasons, err := Position(context.Background(), p, d, solve)
	testenv.OK(t, err)
	if len(reasons) == 0 {
		t.Errorf("%s: no reason", p)
	}
	for _, r := range reasons {
		c.one(t, p, r)
	}
	return reasons
}

func (c checker) one(t *testing.T, p engine.Position, r Reason) {
	t.Helper()
	if f := c[r.Kind]; f != nil {
		f(t, p, r)
	} else if r.Kind != Unexplained {
		t.Errorf("%s: no check of %q", p, r.Kind)
	}
	checkText(t, p, r)
	if t.Failed() {
		t.Fatalf("%s: %+v", p, r)
	}
}

var (
	numbers = regexp.MustCompile(`\d+`)
	names   = regexp.MustCompile(` \(\d+ times\)|player \d|[hv]\d+,\d+|\(\d,\d\)(->\(\d,\d\))?|\d+,\d+,(top|right|bottom|left)`)
)

// checkText checks that the sentence contains no number that the reason does not have.
func checkText(t *testing.T, p engine.Position, r Reason) {
	t.Helper()
	allowed := []int{1, 2, 3, 4, len(r.Parts)}
	for _, n := range r.Numbers {
		allowed = append(allowed, max(n, -n))
	}
	for _, part := range r.Parts {
		allowed = append(allowed, part.Size)
		if r.Kind == Loony { // what a double-deal gives
			allowed = append(allowed, max(part.Size-4, 4-part.Size), max(part.Size-8, 8-part.Size))
		}
		if part.Nimber != nil {
			allowed = append(allowed, *part.Nimber)
		}
	}
	if r.Kind == Unexplained {
		return
	}
	for _, text := range numbers.FindAllString(names.ReplaceAllString(r.Text, ""), -1) {
		if n, _ := strconv.Atoi(text); !slices.Contains(allowed, n) {
			t.Errorf("%s: %d is in %q and not in %v", p, n, r.Text, r.Numbers)
		}
	}
}

// same checks that a number of a reason is what the rules give.
func same(t *testing.T, p engine.Position, r Reason, number string, want int) {
	t.Helper()
	if got, ok := r.Numbers[number]; !ok || got != want {
		t.Errorf("%s: %s: %s is %d, want %d", p, r.Kind, number, got, want)
	}
}

// boards returns small boards in random order.
func randomBoard(t *testing.T, r *rand.Rand, sizes ...string) *grid.Board {
	t.Helper()
	b, err := grid.Parse(sizes[r.IntN(len(sizes))])
	testenv.OK(t, err)
	return b
}
