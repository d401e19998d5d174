package dotsandboxes

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"endwise/book/solving"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/split"
	"endwise/solver/farm"
)

// valueRecord is a kept answer: a key of 128 bits and two bounds.
const valueRecord = 18

// recordNodes is how many expansions a position must have taken for what was
// proved about it to be kept: what a crash loses at most, a thread.
var recordNodes uint64 = 1 << 14 // fewer in tests

// SolveValue works out the value of an empty board, keeping every answer about
// a position of its first lines in dir, what this process proves on the way to
// one, and its transposition table until the value is there; the next call goes on
// from there. The questions are jobs of f, up to
// o.Threads at once. When the context ends, the value is bounds and the error the
// context's. It wraps ErrNothingToCheck where o.Check keeps nothing of the board; a bound
// that contradicts what o.Check keeps is an error that names the position.
func SolveValue(ctx context.Context, dir string, b *grid.Board, o solving.ValueOptions, f farm.Farm, p *farm.Progress) (v solving.BoardValue, err error) {
	return solveValue(ctx, dir, b, o, f, p, nil)
}

// solveValue is SolveValue, and calls then with the solver of this process when the value
// is known (afterwards).
func solveValue(ctx context.Context, dir string, b *grid.Board, o solving.ValueOptions, f farm.Farm, p *farm.Progress, then func(*exact.Solver) error) (v solving.BoardValue, err error) {
	check, err := toCheck(dir, o.Check, b)
	if err != nil {
		return v, err
	}
	j, facts, table, err := openAnswers(dir, b)
	if err != nil {
		return v, err
	}
	x := split.Search{Board: b, Plies: o.Plies, Known: facts, Advice: check}
	defer func() { err = errors.Join(err, j.Close()) }()
	// How many answers it takes is not known before the last one.
	// The keys are counted apart from the search's own map, which it may be
	// writing to while a farm has answers taken back.
	kept := make(map[exact.Key]bool, len(x.Known))
	for key, a := range x.Known {
		kept[key] = true
		if err := check.agrees(a); err != nil {
			return v, err
		}
	}
	p.Begin("value of "+b.String(), "answers", uint64(len(kept)), 0)
	known := false // the value is
	x.Record = func(a exact.Proved) error {
		if err := check.agrees(a); err != nil {
			return err
		}
		var r [valueRecord]byte
		binary.BigEndian.PutUint64(r[:], a.Key.Lo)
		binary.BigEndian.PutUint64(r[8:], a.Key.Hi)
		r[16], r[17] = byte(a.Lower), byte(a.Upper)
		if err := j.Add(r[:]); err != nil {
			return err
		}
		kept[a.Key] = true
		if !known {
			p.Set(uint64(len(kept)))
		}
		return j.Keep()
	}
	if then != nil {
		inner := then
		then = func(s *exact.Solver) error {
			known = true // what is counted from here on is then's
			return inner(s)
		}
	}
	r, err := askFarm(ctx, &x, o, table, f, p, then)
	v = solving.BoardValue{Lower: r.Lower, Upper: r.Upper, Expansions: r.Nodes, Subpositions: len(kept)}
	for key := range kept {
		if _, ok := check[key]; ok {
			v.Checked++
		}
	}
	return v, err
}

// ErrNothingToCheck is wrapped where the store to check has nothing of the board.
var ErrNothingToCheck = errors.New("nothing to check")

// errContradicts is wrapped where a bound contradicts what is to be checked.
var errContradicts = errors.New("a contradiction")

// checked is what another store keeps of a board's value, by key.
type checked map[exact.Key]exact.Proved

// toCheck reads what dir keeps of the board, for a run whose store is own; it is nil where
// dir is empty.
func toCheck(own, dir string, b *grid.Board) (checked, error) {
	if dir == "" {
		return nil, nil
	}
	if this, err := os.Stat(own); err == nil {
		if other, err := os.Stat(dir); err == nil && os.SameFile(this, other) {
			return nil, fmt.Errorf("%w: %s is the store of the run itself", ErrNothingToCheck, dir)
		}
	}
	if _, err := os.Stat(valuePath(dir, b) + ".journal"); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s keeps no bounds of %s", ErrNothingToCheck, dir, b)
	}
	j, known, _, err := openAnswers(dir, b)
	if err != nil {
		return nil, err
	}
	if len(known) == 0 {
		err = fmt.Errorf("%w: %s keeps no bounds of %s", ErrNothingToCheck, dir, b)
	}
	return known, errors.Join(err, j.Close())
}

// agrees returns an error where bounds cannot hold together with those to check.
func (c checked) agrees(a exact.Proved) error {
	if o, ok := c[a.Key]; ok && (a.Lower > o.Upper || a.Upper < o.Lower) {
		return fmt.Errorf("position [%x %x]: %w: proved to be worth %+d to %+d, kept as %+d to %+d", a.Key.Lo, a.Key.Hi, errContradicts, a.Lower, a.Upper, o.Lower, o.Upper)
	}
	return nil
}

// valuePath begins the names of the files of a board's value.
func valuePath(dir string, b *grid.Board) string {
	return filepath.Join(dir, fmt.Sprintf("%s-value-%s", dotsandboxes.Name, b))
}

// openAnswers opens the journal of a board's value, with what it knows and where the
// transposition table is kept.
func openAnswers(dir string, b *grid.Board) (j *solving.Journal, known map[exact.Key]exact.Proved, table keptTable, err error) {
	known = map[exact.Key]exact.Proved{}
	most := int8(b.Squares()) // no value is larger
	path := valuePath(dir, b)
	title := fmt.Sprintf("endwise value %s rules %d solver %d", b, dotsandboxes.RulesVersion, classSolver)
	j, err = solving.OpenJournal(path+".journal", title, valueRecord, func(r []byte) error {
		a := exact.Proved{
			Key:   exact.Key{Lo: binary.BigEndian.Uint64(r), Hi: binary.BigEndian.Uint64(r[8:])},
			Lower: int8(r[16]), Upper: int8(r[17]),
		}
		// Bounds add up, but what says nothing takes all before it back.
		if old, ok := known[a.Key]; ok && (a.Lower > -most || a.Upper < most) {
			a.Lower, a.Upper = max(a.Lower, old.Lower), min(a.Upper, old.Upper)
		}
		if a.Lower > a.Upper {
			return fmt.Errorf("position [%x %x]: kept as at least %+d and as at most %+d; delete the journal to start over", a.Key.Lo, a.Key.Hi, a.Lower, a.Upper)
		}
		known[a.Key] = a
		return nil
	})
	return j, known, keptTable{path + ".table", title}, err
}
