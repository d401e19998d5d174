// Package why explains, in sentences, the value of a position and what a mistake loses.
//
// [Position] returns reasons for the value of a position, and [Mistake] the differences between a played
// move and a better one. A [Reason] contains a fact as numbers, squares and moves, and as a sentence. If
// no fact determines the value of the position, the last reason is of kind [Unexplained].
//
// dotsandboxes.go explains Dots and Boxes by chains, loops, double-deals and the chain rule (E.
// Berlekamp, "The Dots and Boxes Game", 2000). loony.go computes the values of endings that consist
// of chains and loops (K. Buzzard, M. Ciere, "Playing simple loony dots and boxes endgames
// optimally", Integers 14, 2014; compare D. Allcock, "Best play in Dots and Boxes endgames", arXiv
// 1811.10747). part.go computes nimbers.
package why

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/watchyourback"
)

// Kind is the kind of a fact.
type Kind string

// Unexplained is the kind of the last reason of [Position] if no other reason determines the value: the first
// captures in best play and, if the line leads to the proved value, the result. Numbers: score, if it is proved.
const Unexplained Kind = "unexplained"

// Reason is a fact about a position.
type Reason struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // a sentence for users
	// Side is the player whom the fact favours or concerns, None for both.
	Side    engine.Side    `json:"side,omitempty"`
	Numbers map[string]int `json:"numbers,omitempty"`
	Parts   []Part         `json:"parts,omitempty"`
}

// Part is a part of the board that a reason is about.
type Part struct {
	Kind    string   `json:"kind"`
	Size    int      `json:"size,omitempty"` // squares or boxes
	Squares []string `json:"squares,omitempty"`
	Moves   []string `json:"moves,omitempty"`
	Nimber  *int     `json:"nimber,omitempty"`
}

// Solve returns the decision for another position of the game. Its value is used only if it is proved; its
// line may also continue an estimated line.
type Solve func(context.Context, engine.Position) (engine.Decision, error)

// Position returns the reasons for the value in d, the decision for p; none if the game is over. solve
// may be nil; then some facts are missing. An error comes from solve or an illegal move in d.Line.
func Position(ctx context.Context, p engine.Position, d engine.Decision, solve Solve) ([]Reason, error) {
	if p.Over() {
		return []Reason{}, nil
	}
	e := newExplainer(p)
	e.d, e.solve = d, solve
	var err error
	switch p := p.(type) {
	case circuitwars.Position:
		e.explainCircuit(p)
	case dotsandboxes.Position:
		err = e.explainDots(ctx, p)
	case watchyourback.Position:
		e.explainPieces(p)
	}
	if err == nil && !e.explained {
		err = e.addBestPlay(ctx)
	}
	return e.reasons, err
}

// proofMethod returns a sentence, without a full stop, on what proved the value of d: a search of a
// number of positions, or the source.
func proofMethod(d engine.Decision) string {
	if d.Source == "solved" && d.Nodes > 0 {
		return "The value is proved by searching " + count(int(d.Nodes), "position")
	}
	if d.Source == "table" {
		return "The value comes from a table of solved positions"
	}
	return fmt.Sprintf("The value is proved (source: %s)", d.Source)
}

type explainer struct {
	p         engine.Position
	d         engine.Decision
	solve     Solve
	one, many string // the unit of captures in the game
	squares   int    // of the board, 0 in a game without scores
	reasons   []Reason
	explained bool // a reason determines the value, and the value in d does not contradict it
}

func newExplainer(p engine.Position) *explainer {
	e := &explainer{p: p, one: "piece", many: "pieces"}
	switch p := p.(type) {
	case circuitwars.Position:
		e.one, e.many = circuitwars.Game{}.Unit()
		e.squares = p.Board().Squares()
	case dotsandboxes.Position:
		e.one, e.many = dotsandboxes.Game{}.Unit()
		e.squares = p.Board().Squares()
	}
	return e
}

// add adds a reason with a formatted sentence. The first letter becomes a capital, except in the
// notation of a move, whose second character is a digit or a comma.
func (e *explainer) add(r Reason, format string, args ...any) {
	r.Text = capitalized(fmt.Sprintf(format, args...))
	e.reasons = append(e.reasons, r)
}

func capitalized(text string) string {
	if strings.Contains("0123456789,", text[1:2]) {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// yields records that a reason determines the value of the position as v. An exact value in e.d that
// differs remains unexplained.
func (e *explainer) yields(v int) {
	e.explained = e.explained || e.d.Proof != engine.Exact || e.d.Score == v
}

// side returns a player's name for users: "White" or "Black" in Watch Your Back, else like "player 1".
func (e *explainer) side(s engine.Side) string {
	if _, ok := e.p.(watchyourback.Position); ok && s != engine.None {
		return watchyourback.Game{}.SideNames()[s-1]
	}
	return s.String()
}

// signed formats a difference: "+3", "−2" or "0".
func signed(n int) string {
	if n == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+d", n), "-", "−", 1)
}

func count(n int, unit string) string { return plural(n, unit, unit+"s") }

// plural formats a number of things: "no boxes", "1 box" or "3 boxes".
func plural(n int, one, more string) string {
	switch n {
	case 0:
		return "no " + more
	case 1:
		return "1 " + one
	}
	return engine.Digits(n) + " " + more
}

// list formats elements as "1, 2 and 3".
func list[T any](all []T) string {
	var b strings.Builder
	for i, x := range all {
		switch {
		case i > 0 && i == len(all)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, x)
	}
	return b.String()
}

// sizes returns the sizes of the parts of one kind, the largest first.
func sizes(parts []Part, kind string) (out []int) {
	for _, p := range parts {
		if p.Kind == kind {
			out = append(out, p.Size)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return b - a })
	return out
}

func square(x, y int) string { return fmt.Sprintf("(%d,%d)", x, y) }

// namesOf returns the names of squares and of segments; name formats a segment as a move.
func namesOf(b *grid.Board, name func(engine.Move) string, squares, segments []int) (s, m []string) {
	for _, q := range squares {
		s = append(s, square(b.XY(q)))
	}
	for _, l := range segments {
		m = append(m, name(engine.Move(l)))
	}
	return s, m
}

// bitSquares returns the names of a set of squares of Watch Your Back.
func bitSquares(set uint64) (out []string) {
	for ; set != 0; set &= set - 1 {
		s := bits.TrailingZeros64(set)
		out = append(out, square(s%8, s/8))
	}
	return out
}
