package levels

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// watchYourBack are the styles, the weakest first. A player chooses a legal move with the highest score in p.
var watchYourBack = []struct {
	name  string
	score func(p wyb.Position, m engine.Move) int
}{
	{"random", func(wyb.Position, engine.Move) int { return 0 }},
	// Minimises the number of squares that differ after a half-turn of the board maps the player's
	// pieces to the opponent's; of equal moves it prefers pieces near the centre.
	{"mirror", func(p wyb.Position, m engine.Move) int {
		q := p.Next(m)
		white, black := q.Sides()
		unlike := bits.OnesCount64(white ^ bits.Reverse64(black))
		return -8*unlike + centre(q, p.Turn())
	}},
	{"greedy", func(p wyb.Position, m engine.Move) int {
		return balance(p.Next(m), p.Turn())
	}},
	// Maximises the piece difference after the best reply, then closeness to the centre.
	{"look-ahead", func(p wyb.Position, m engine.Move) int {
		q := p.Next(m)
		worst := balance(q, p.Turn())
		if !q.Over() {
			worst = 1 << 20
			for _, reply := range q.Moves() {
				worst = min(worst, balance(q.Next(reply), p.Turn()))
			}
		}
		return 8*worst + centre(q, p.Turn())
	}},
}

// balance returns a side's number of pieces minus the opponent's, plus or minus 100 after the game.
func balance(p wyb.Position, side engine.Side) int {
	return engine.Lead(p, side) + 100*engine.Outcome(p, side)
}

// centre returns the average distance of a side's pieces from the border, 0 to 3, rounded down.
func centre(p wyb.Position, side engine.Side) int {
	white, black := p.Sides()
	s := white
	if side == engine.Second {
		s = black
	}
	sum := 0
	for i, r := range ring {
		sum += i * bits.OnesCount64(s&r)
	}
	return sum / max(1, bits.OnesCount64(s))
}

// ring contains the squares of the 8x8 board by distance from the border.
var ring = func() (r [4]uint64) {
	for s := range 64 {
		x, y := s%8, s/8
		r[min(x, y, 7-x, 7-y)] |= 1 << s
	}
	return r
}()

// WatchYourBackNames returns the names of the styles.
func WatchYourBackNames() []string {
	out := make([]string, len(watchYourBack))
	for i, l := range watchYourBack {
		out[i] = l.name
	}
	return out
}

// WatchYourBack is a built-in opponent of one style, not safe for concurrent use.
type WatchYourBack struct {
	name  string
	score func(p wyb.Position, m engine.Move) int
	rand  *rand.Rand
}

// NewWatchYourBack returns an opponent of the style with the given name. The same seed and
// positions give the same moves.
func NewWatchYourBack(name string, seed uint64) (*WatchYourBack, error) {
	for _, l := range watchYourBack {
		if l.name == name {
			return &WatchYourBack{name, l.score, rand.New(rand.NewPCG(seed, 0x5759421))}, nil
		}
	}
	return nil, fmt.Errorf("level %.40q: want %s", name, strings.Join(WatchYourBackNames(), ", "))
}

func (l *WatchYourBack) Name() string { return l.name }

func (l *WatchYourBack) Choose(_ context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	p, err := engine.As[wyb.Position](pos)
	if err != nil {
		return engine.Decision{}, err
	}
	if p.Over() {
		return engine.Decision{}, engine.ErrGameOver
	}
	best, score, n := engine.Move(0), 0, 0
	for _, m := range p.Moves() {
		v := l.score(p, m)
		if n == 0 || v > score {
			best, score, n = m, v, 1
		} else if v == score {
			// Each of n equal moves is chosen with probability 1/n.
			if n++; l.rand.IntN(n) == 0 {
				best = m
			}
		}
	}
	move := p.MoveString(best)
	return engine.Decision{Move: move, Source: l.name, Line: []string{move}}, nil
}
