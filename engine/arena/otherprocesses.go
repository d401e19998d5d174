package arena

import (
	"context"
	"fmt"
	"slices"

	"endwise/engine"
)

// Play plays games one after the other and returns their results in order.
// Its error ends the run.
type Play func(ctx context.Context, games []Fixture) ([]Result, error)

// PlayAll plays games here.
func (h *Hall) PlayAll(ctx context.Context, games []Fixture) ([]Result, error) {
	results := make([]Result, len(games))
	for i, f := range games {
		var err error
		if results[i], err = h.Play(ctx, f); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// maxFault bounds the sentence about a game that was played elsewhere, in
// bytes: two reasons and the names around them.
const maxFault = 2*maxReason + 200

// Vet looks at a result of a game that was played elsewhere and returns it as
// it may be kept and shown. The error says why it can't be one of that game:
// another game's names or opening, moves that are not legal, an ending, a
// winner or a score that does not follow from them. What the clock said, Vet
// has to believe.
func (h *Hall) Vet(f Fixture, r Result) (Result, error) {
	wrong := func(format string, args ...any) (Result, error) {
		return Result{}, fmt.Errorf("game %s: %s", f.ID, fmt.Sprintf(format, args...))
	}
	if names := [2]string{f.Players[0].Name, f.Players[1].Name}; r.ID != f.ID || r.Players != names {
		return wrong("the result is that of %s between %s and %s", engine.OneLine(r.ID, maxBadMove), engine.OneLine(r.Players[0], maxBadMove), engine.OneLine(r.Players[1], maxBadMove))
	}
	p, opening, err := h.begin(f)
	if err != nil {
		return Result{}, err
	}
	if !slices.Equal(r.Opening, opening) {
		return wrong("the result has another opening")
	}
	if n := h.maxTurns(); len(r.Moves) > n {
		return wrong("%d moves, it is stopped after %d", len(r.Moves), n)
	}
	for i, text := range r.Moves {
		m, err := p.ParseMove(text)
		if err == nil && p.MoveString(m) != text {
			err = fmt.Errorf("%s is written %s", engine.OneLine(text, maxBadMove), p.MoveString(m))
		}
		if err == nil {
			p, err = p.Play(m)
		}
		if err != nil {
			return wrong("move %d: %v", len(opening)+i+1, err)
		}
	}
	side, score := engine.None, p.Score()
	switch {
	case r.End == Played && p.Over():
		side = engine.Winner(p)
	case r.End == Stopped && !p.Over() && len(r.Moves) == h.maxTurns():
	case r.End == NoPlayer && len(r.Moves) == 0:
		score = [2]int{}
	case faultWords[r.End] != "" && !p.Over() && (r.Winner == engine.First || r.Winner == engine.Second):
		side = r.Winner
		if h.Rules.ForfeitScore != nil {
			score = h.Rules.ForfeitScore(p, side)
		}
	default:
		return wrong("the ending %q does not fit the moves", engine.OneLine(string(r.End), maxBadMove))
	}
	if r.Winner != side || r.Score != score {
		return wrong("winner %d and score %v do not follow from the moves: these make it %d and %v", r.Winner, r.Score, side, score)
	}
	for _, t := range r.Time {
		if t.Moves < 0 || !(t.TotalMS >= 0) || !(t.MaxMS >= 0) || t.MaxMS > t.TotalMS {
			return wrong("it can't have taken the time it says: %+v", t)
		}
	}
	if r.Moves == nil {
		r.Moves = []string{}
	}
	r.Fault, r.BadMove = engine.OneLine(r.Fault, maxFault), engine.OneLine(r.BadMove, maxBadMove+len("…"))
	return r, nil
}
