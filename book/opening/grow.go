package opening

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"endwise/engine"
)

// GrowOptions say how a book grows. Lines follow the best moves of both sides; a move
// costs half a point.
type GrowOptions struct {
	// Evaluators evaluate leaves, each in a goroutine of its own; at least one.
	Evaluators []Evaluator
	// Root is the position where lines start, nil for the board's first one. A Root
	// that is in the book already is evaluated again before anything else; the new
	// evaluation replaces the former one, its proofs included.
	Root engine.Position
	// Depth is the maximum number of moves between the root and a leaf; 0 for no
	// limit.
	Depth int
	// Time is how long to grow; 0 for no limit. Leaves in flight at its end
	// are waited for.
	Time time.Duration
	// Nodes is the size at which to stop, counting what the book has already;
	// 0 for no limit.
	Nodes int
	// Games are positions that occurred, game by game in the order of play.
	// Those that occurred most often become nodes before anything else, up to
	// Depth moves into the game if that is set, and their visits are kept.
	Games [][]engine.Position
	// Report, if given, hears of every leaf and of the start.
	Report func(Progress)
}

// Progress is how far growing has come.
type Progress struct {
	Nodes   int
	Leaves  int // evaluated since the start
	Elapsed time.Duration
	// Root is the value of the position where lines start, once it is a node.
	Root      Value
	RootKnown bool
	RootBest  string // its best move
	// OpenDrop is what the line to the next leaf gives up, in points; every
	// line that gives up less (the costs of moves counted) is in the book.
	// NaN when no leaf is open.
	OpenDrop float64
	// GamesLeft counts the positions of games that are still to be evaluated.
	GamesLeft int
}

// job is a position to evaluate.
type job struct {
	key      string
	position engine.Position
	visits   uint32
	leaves   []leaf // the classes that wait for it
}

type outcome struct {
	eval   Evaluator // which is free again
	key    string
	record record
	err    error
}

// grower is one run of Grow.
type grower struct {
	b      *Book
	o      GrowOptions
	flying map[string]*job
	games  []string          // keys of positions to come, most frequent first
	visits map[string]uint32 // by games, of positions by their keys
	start  time.Time
	leaves int
}

// Grow adds nodes, in the order of frontier.go, until there is no open leaf, or
// time, nodes or ctx say stop.
// Leaves that are being evaluated when ctx ends are given up; everything before
// is in the book and, if it has a journal, saved. It returns ctx's error in
// that case, nil otherwise. ErrContradiction means that a new evaluation and
// the book exclude each other; the evaluation is not saved.
func (b *Book) Grow(ctx context.Context, o GrowOptions) (Progress, error) {
	if len(o.Evaluators) == 0 {
		return Progress{}, errors.New("growing takes at least one evaluator")
	}
	g := &grower{b: b, o: o, flying: map[string]*job{}, visits: map[string]uint32{}, start: time.Now()}
	if o.Root != nil {
		if err := g.reevaluate(ctx, o.Root); err != nil {
			return g.progress(), err
		}
	}
	if b.conflicts > 0 {
		return g.progress(), b.contradiction()
	}
	if err := b.setFrontier(o.Root, o.Depth); err != nil {
		return g.progress(), err
	}
	defer func() { b.frontier = nil }()
	if err := g.takeGames(); err != nil {
		return g.progress(), err
	}
	err := g.run(ctx)
	if b.journal != nil {
		if serr := b.journal.sync(); err == nil {
			err = serr
		}
	}
	return g.progress(), err
}

func (b *Book) contradiction() error {
	id := b.lastConflict
	p, err := b.position(id)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w at %s: run book check", ErrContradiction, p)
}

// reevaluate evaluates a position again if it is in the book. The new evaluation is
// saved if no proof in the book contradicts it.
func (g *grower) reevaluate(ctx context.Context, p engine.Position) error {
	b := g.b
	id, _, ok, err := b.Find(p)
	if err != nil || !ok {
		return err
	}
	c, err := b.position(int32(id))
	if err != nil {
		return err
	}
	r, err := b.evaluate(ctx, g.o.Evaluators[0], &job{key: b.nodes[id].Key, position: c, visits: b.nodes[id].Visits})
	if err != nil {
		return err
	}
	renewed, err := b.renewed(r)
	if err != nil {
		return err
	}
	if renewed.conflicts > 0 {
		return renewed.contradiction()
	}
	*b = *renewed
	g.leaves++
	return b.save(&r)
}

func (g *grower) run(ctx context.Context) (err error) {
	evalCtx, cancel := context.WithCancel(ctx)
	results := make(chan outcome)
	idle := slices.Clone(g.o.Evaluators)
	// Whatever ends the loop, evaluators are waited for, which the caller will close.
	defer func() {
		cancel()
		for len(idle) < len(g.o.Evaluators) {
			o := <-results
			idle = append(idle, o.eval)
			g.abandon(o.key)
		}
	}()
	g.report()
	for {
		for len(idle) > 0 && ctx.Err() == nil && !g.enough() {
			j, err := g.nextJob()
			if err != nil {
				return err
			}
			if j == nil {
				break
			}
			eval := idle[len(idle)-1]
			idle = idle[:len(idle)-1]
			go func() {
				r, err := g.b.evaluate(evalCtx, eval, j)
				results <- outcome{eval, j.key, r, err}
			}()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(idle) == len(g.o.Evaluators) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case o := <-results:
			idle = append(idle, o.eval)
			if o.err != nil {
				g.abandon(o.key)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return o.err
			}
			if err := g.b.accept(o.record); err != nil {
				return err
			}
			delete(g.flying, o.key)
			g.leaves++
			g.report()
		}
	}
}

// evaluate asks for a decision and makes a record of it.
func (b *Book) evaluate(ctx context.Context, eval Evaluator, j *job) (record, error) {
	began := time.Now()
	d, err := eval(ctx, j.position)
	if err == nil {
		err = ctx.Err() // what a search says that was cut short is not worth keeping
	}
	if err != nil {
		return record{}, fmt.Errorf("evaluate %s: %w", j.position, err)
	}
	if d.Elapsed == 0 {
		d.Elapsed = time.Since(began)
	}
	r, err := newRecord(b.game, j.key, j.position, d)
	r.Visits = j.visits
	return r, err
}

// accept makes a new record part of the book and saves it.
func (b *Book) accept(r record) error {
	id, err := b.add(r)
	if err != nil {
		return err
	}
	if b.conflicts > 0 {
		return b.contradiction()
	}
	return b.save(&b.nodes[id].record)
}

// enough says that no further leaf is to be started.
func (g *grower) enough() bool {
	return g.o.Nodes > 0 && g.b.Len()+len(g.flying) >= g.o.Nodes ||
		g.o.Time > 0 && time.Since(g.start) >= g.o.Time
}

// abandon gives back the leaves that wait for a position.
func (g *grower) abandon(key string) {
	if j := g.flying[key]; j != nil {
		delete(g.flying, key)
		for _, l := range j.leaves {
			g.b.giveBack(l)
		}
	}
}

// begin makes a job of a position.
func (g *grower) begin(key string, leaves ...leaf) (*job, error) {
	p, err := g.b.game.FromKey([]byte(key))
	if err != nil {
		return nil, err
	}
	j := &job{key: key, position: p, visits: g.visits[key], leaves: leaves}
	g.flying[key] = j
	return j, nil
}

// nextJob is the next position to evaluate, nil when there is none now.
func (g *grower) nextJob() (*job, error) {
	b := g.b
	toCome := func(key string) bool {
		_, ok := b.find(key)
		return !ok && g.flying[key] == nil
	}
	if key := b.frontier.rootKey; toCome(key) {
		return g.begin(key)
	}
	for len(g.games) > 0 {
		key := g.games[0]
		g.games = g.games[1:]
		if toCome(key) {
			return g.begin(key)
		}
	}
	for {
		l, ok := b.next()
		if !ok {
			return nil, nil
		}
		p, err := b.position(l.node)
		if err != nil {
			return nil, err
		}
		m := engine.Move(b.nodes[l.node].Classes[l.class].Move)
		s, err := playStep(b.game, p, m)
		if err != nil {
			return nil, err
		}
		b.take(l)
		if j := g.flying[s.Key]; j != nil {
			// Another line leads there too and is being evaluated.
			j.leaves = append(j.leaves, l)
			continue
		}
		return g.begin(s.Key, l)
	}
}

// takeGames counts how many games reach each position, marks the nodes among
// them with that, and lines up the others, most frequent and earliest first.
func (g *grower) takeGames() error {
	first := map[string]int{} // ply
	for _, game := range g.o.Games {
		seen := map[string]bool{}
		for ply, p := range game {
			if p.Over() || g.o.Depth > 0 && ply > g.o.Depth {
				continue
			}
			if err := g.b.own(p); err != nil {
				return err
			}
			raw, _ := p.CanonicalKey(nil)
			key := string(raw)
			if seen[key] {
				continue
			}
			seen[key] = true
			if g.visits[key] == 0 {
				first[key] = ply
			}
			g.visits[key]++
			first[key] = min(first[key], ply)
		}
	}
	for key, visits := range g.visits {
		id, ok := g.b.find(key)
		if !ok {
			g.games = append(g.games, key)
			continue
		}
		if n := &g.b.nodes[id]; n.Visits < visits {
			n.Visits = visits
			if err := g.b.save(&n.record); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(g.games, func(a, b string) int {
		return cmp.Or(cmp.Compare(g.visits[b], g.visits[a]), cmp.Compare(first[a], first[b]), cmp.Compare(a, b))
	})
	return nil
}

func (g *grower) report() {
	if g.o.Report != nil {
		g.o.Report(g.progress())
	}
}

func (g *grower) progress() Progress {
	b := g.b
	p := Progress{
		Nodes: b.Len(), Leaves: g.leaves, Elapsed: time.Since(g.start), OpenDrop: math.NaN(),
		GamesLeft: len(g.games),
	}
	if b.frontier == nil || b.frontier.root < 0 {
		return p
	}
	n := &b.nodes[b.frontier.root]
	p.Root, p.RootKnown = n.value, true
	if pos, err := b.position(b.frontier.root); err == nil && n.best >= 0 {
		p.RootBest = pos.MoveString(engine.Move(n.Classes[n.best].Move))
	}
	if l, ok := b.next(); ok {
		p.OpenDrop = float64(l.drop) / 100
	}
	return p
}
