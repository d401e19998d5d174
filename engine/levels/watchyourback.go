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

// watchYourBack are its built-in opponents: a score for each legal move; the highest
// is played, ties are drawn by lot.
var watchYourBack = []struct {
	name  string
	score func(p wyb.Position, m engine.Move) int
}{
	{"random", func(wyb.Position, engine.Move) int { return 0 }},
	{"greedy", func(p wyb.Position, m engine.Move) int {
		return balance(p.Next(m), p.Turn())
	}},
	// The best balance of pieces after the best answer, near the centre.
	{"look-ahead", func(p wyb.Position, m engine.Move) int {
		q := p.Next(m)
		worst := balance(q, p.Turn())
		if !q.Over() {
			worst = 1 << 20
			for _, answer := range q.Moves() {
				worst = min(worst, balance(q.Next(answer), p.Turn()))
			}
		}
		return 8*worst + centre(q, p.Turn())
	}},
	// Mirrors the opponent in the centre of the board as far as it can.
	{"mirror", func(p wyb.Position, m engine.Move) int {
		q := p.Next(m)
		white, black := q.Sides()
		unlike := bits.OnesCount64(white ^ bits.Reverse64(black))
		return -8*unlike + centre(q, p.Turn())
	}},
}

// balance is the pieces of a side minus those of the other, a result counting
// more than any of them.
func balance(p wyb.Position, side engine.Side) int {
	s := p.Score()
	b := s[side-1] - s[side.Other()-1]
	switch p.Winner() {
	case side:
		b += 100
	case side.Other():
		b -= 100
	}
	return b
}

// centre is 0 to 3, more for pieces nearer the centre on average.
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

// ring holds the squares by distance from the border of the 8x8 board.
var ring = func() (r [4]uint64) {
	for s := range 64 {
		x, y := s%8, s/8
		r[min(x, y, 7-x, 7-y)] |= 1 << s
	}
	return r
}()

// WatchYourBackNames lists the built-in opponents.
func WatchYourBackNames() []string {
	out := make([]string, len(watchYourBack))
	for i, l := range watchYourBack {
		out[i] = l.name
	}
	return out
}

// WatchYourBack is a built-in opponent. It is not safe for concurrent use.
type WatchYourBack struct {
	name  string
	score func(p wyb.Position, m engine.Move) int
	rand  *rand.Rand
}

// NewWatchYourBack returns a built-in opponent by name. The same seed and the same
// positions in the same order give the same moves.
func NewWatchYourBack(name string, seed uint64) (*WatchYourBack, error) {
	for _, l := range watchYourBack {
		if l.name == name {
			return &WatchYourBack{name, l.score, rand.New(rand.NewPCG(seed, 0x5759421))}, nil
		}
	}
	return nil, fmt.Errorf("level %.40q: want %s", name, strings.Join(WatchYourBackNames(), ", "))
}

// Name implements engine.Player.
func (l *WatchYourBack) Name() string { return l.name }

// Choose implements engine.Player.
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
			// Each of n equal moves is kept with the same chance.
			if n++; l.rand.IntN(n) == 0 {
				best = m
			}
		}
	}
	move := p.MoveString(best)
	return engine.Decision{Move: move, Source: l.name, Line: []string{move}}, nil
}
