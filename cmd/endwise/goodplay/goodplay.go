// Package goodplay measures solvers and players on positions of good play: those of
// games that our own player has played against itself after some random moves. They
// are harder than positions filled at random. The games ship with the program, so
// that they are the same ones everywhere, with what long solves say of them.
package goodplay

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"endwise/book"
	"endwise/data"
	"endwise/engine"
	"endwise/solver"
)

// Sample is the sample of a game. Each move takes one segment of the board and, in
// Circuit Wars, those in an area that it closes; the legal moves are the segments left.
type Sample struct {
	File     string        // of the games, below the data directory
	Unit     string        // what a move takes
	Left     []int         // what is measured: the first positions with at most so many segments left, falling
	PlayTime time.Duration // of the player for a move, as in competitions

	begin  func() (engine.Position, error)
	open   func(book.Options) (*book.Lookup, error)
	solver func(Options) exactSolver
}

// exactSolver is what a game's exact solver is asked.
type exactSolver interface {
	Value(context.Context, engine.Position) (solver.Result, error)
	AtLeast(ctx context.Context, p engine.Position, need int) (solver.Result, error)
}

// position is one of a game, and what a long solve says of it.
type position struct {
	engine.Position
	best []engine.Move // the moves that are worth most; none where that is not known
}

// game is a line of the file that has a seed and the moves of the game it gave, the
// first ones at random. What is known of its positions follows it, each in a line:
// the seed, how many segments are left, and the best moves.
type game struct {
	seed  uint64
	moves string
	best  map[int]string // by segments left
}

// games reads the games that ship with the program.
func (s Sample) games() ([]game, error) {
	text, err := data.Benchmark.ReadFile(s.File)
	if err != nil {
		return nil, err
	}
	return s.read(string(text))
}

// read reads a file of games; # begins a comment.
func (s Sample) read(text string) ([]game, error) {
	var out []game
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		seed, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: want a seed", s.File, line)
		}
		if len(out) == 0 || out[len(out)-1].seed != seed {
			out = append(out, game{seed, rest, map[int]string{}})
			continue
		}
		number, rest, _ = strings.Cut(rest, " ")
		left, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: want how many %s are left", s.File, line, s.Unit)
		}
		out[len(out)-1].best[left] = rest
	}
	return out, nil
}

// at is the first position of a game with at most so many segments left.
func (s Sample) at(g game, left int) (out position, err error) {
	p, err := s.begin()
	for text := range strings.FieldsSeq(g.moves) {
		if err != nil || len(p.Moves()) <= left {
			break
		}
		var m engine.Move
		if m, err = p.ParseMove(text); err == nil {
			p, err = p.Play(m)
		}
	}
	if err == nil && len(p.Moves()) > left {
		err = fmt.Errorf("ends with %d %s left", len(p.Moves()), s.Unit)
	}
	out.Position = p
	for text := range strings.FieldsSeq(g.best[left]) {
		if err != nil {
			break
		}
		var m engine.Move
		m, err = p.ParseMove(text)
		out.best = append(out.best, m)
	}
	if err != nil {
		err = fmt.Errorf("%s: game %d: %w", s.File, g.seed, err)
	}
	return out, err
}
