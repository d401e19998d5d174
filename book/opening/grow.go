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

// GrowOptions configure [Book.Grow]. Lines follow the best moves of both sides; a move
// costs half a point.
type GrowOptions struct {
	// Evaluators evaluate leaves, each in its own goroutine; at least one.
	Evaluators []Evaluator
	// Root is the position where lines start, nil for the board's first one. A Root that is
	// in the book already is evaluated again before anything else; the new evaluation
	// replaces the former one, including its proofs.
	Root engine.Position
	// Depth is the maximum number of moves between the root and a leaf; 0 for no limit.
	Depth int
	// Time limits the run; 0 for no limit. Grow waits for the leaves that are being
	// evaluated at its end.
	Time time.Duration
	// Nodes is the maximum size of the book, including its present nodes; 0 for no limit.
	Nodes int
	// Games are the positions of games, game by game in the order of play. The most
	// frequent positions become nodes before anything else, up to Depth moves into the game
	// if that is set, and their visits are stored.
	Games [][]engine.Position
	// Report, if not nil, is called at the start and after every leaf.
	Report func(Progress)
}

// Progress describes a run of [Book.Grow].
type Progress struct {
	Nodes   int
	Leaves  int // evaluated since the start
	Elapsed time.Duration
	// Root is the value of the position where lines start, once it is a node.
	Root      Value
	RootKnown bool
	RootBest  string // its best move
	// OpenDrop is the loss of the line to the next leaf, in points; every line with a
	// smaller loss (including the costs of moves) is in the book. It is NaN if no leaf is
	// open.
	OpenDrop float64
	// GamesLeft is the number of positions of games that are still to be evaluated.
	GamesLeft int
}

// job is a position to evaluate.
type job struct {
	key      string
	position engine.Position
	visits   uint32
	leaves   []leaf // classes that lead to it
}

// outcome is the result of a job.
type outcome struct {
	eval   Evaluator // available again
	key    string
	record record
	err    error
}

// grower is one run of Grow.
type grower struct {
	b      *Book
	o      GrowOptions
	jobs   map[string]*job   // being evaluated, by key
	games  []string          // keys of positions still to be evaluated, most frequent first
	visits map[string]uint32 // number of games per key
	start  time.Time
	leaves int
}

// Grow adds nodes, in the order of frontier.go, until there is no open leaf, a limit of o
// is reached, or ctx ends. If ctx ends, leaves that are being evaluated are abandoned; all
// others are in the book and, if it has a journal, saved. Grow then returns ctx's error. It
// returns [ErrContradiction] if a new evaluation and the book exclude each other; that
// evaluation is not saved.
func (b *Book) Grow(ctx context.Context, o GrowOptions) (Progress, error) {
	if len(o.Evaluators) == 0 {
		return Progress{}, errors.New("growing takes at least one evaluator")
	}
	g := &grower{b: b, o: o, jobs: map[string]*job{}, visits: map[string]uint32{}, start: time.Now()}
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
	if err := g.countGames(); err != nil {
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

// contradiction returns the error for a book in which two proofs exclude each other.
func (b *Book) contradiction() error {
	id := b.lastConflict
	p, err := b.position(id)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w at %s: run book check", ErrContradiction, p)
}

// reevaluate evaluates a position again if it is in the book. The new evaluation is saved
// if no proof in the book contradicts it.
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

// run evaluates positions until there is none left, a limit is reached, or ctx ends.
func (g *grower) run(ctx context.Context) error {
	evalCtx, cancel := context.WithCancel(ctx)
	results := make(chan outcome)
	idle := slices.Clone(g.o.Evaluators)
	// Wait for the evaluators in every case: the caller closes them afterwards.
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
		for len(idle) > 0 && ctx.Err() == nil && !g.atLimit() {
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
			if err := g.finishJob(ctx, o); err != nil {
				return err
			}
		}
	}
}

// finishJob adds the result of a job to the book.
func (g *grower) finishJob(ctx context.Context, o outcome) error {
	if o.err != nil {
		g.abandon(o.key)
		return cmp.Or(ctx.Err(), o.err)
	}
	if err := g.b.addAndSave(o.record); err != nil {
		return err
	}
	delete(g.jobs, o.key)
	g.leaves++
	g.report()
	return nil
}

// evaluate calls an evaluator and converts the decision to a record.
func (b *Book) evaluate(ctx context.Context, eval Evaluator, j *job) (record, error) {
	began := time.Now()
	d, err := eval(ctx, j.position)
	if err == nil {
		err = ctx.Err() // results of an interrupted search are discarded
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

// addAndSave adds a node and writes it to the journal, unless its proofs contradict the
// book.
func (b *Book) addAndSave(r record) error {
	id, err := b.add(r)
	if err != nil {
		return err
	}
	if b.conflicts > 0 {
		return b.contradiction()
	}
	return b.save(&b.nodes[id].record)
}

// atLimit reports whether a limit forbids another job.
func (g *grower) atLimit() bool {
	return g.o.Nodes > 0 && g.b.Len()+len(g.jobs) >= g.o.Nodes ||
		g.o.Time > 0 && time.Since(g.start) >= g.o.Time
}

// abandon releases the leaves that lead to a position.
func (g *grower) abandon(key string) {
	if j := g.jobs[key]; j != nil {
		delete(g.jobs, key)
		for _, l := range j.leaves {
			g.b.releaseLeaf(l)
		}
	}
}

// newJob adds a job for a position and returns it.
func (g *grower) newJob(key string, leaves ...leaf) (*job, error) {
	p, err := g.b.game.FromKey([]byte(key))
	if err != nil {
		return nil, err
	}
	j := &job{key: key, position: p, visits: g.visits[key], leaves: leaves}
	g.jobs[key] = j
	return j, nil
}

// nextJob returns a job for the next position, nil if there is none now: the root, then the
// positions of games, then the cheapest leaf.
func (g *grower) nextJob() (*job, error) {
	b := g.b
	isNew := func(key string) bool {
		_, ok := b.find(key)
		return !ok && g.jobs[key] == nil
	}
	if key := b.frontier.rootKey; isNew(key) {
		return g.newJob(key)
	}
	for len(g.games) > 0 {
		key := g.games[0]
		g.games = g.games[1:]
		if isNew(key) {
			return g.newJob(key)
		}
	}
	for {
		l, ok := b.cheapestLeaf()
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
		b.startLeaf(l)
		if j := g.jobs[s.Key]; j != nil {
			// The position is being evaluated already, for another line.
			j.leaves = append(j.leaves, l)
			continue
		}
		return g.newJob(s.Key, l)
	}
}

// countGames counts the games that reach each position, stores the counts in the nodes, and
// lists the other positions, the most frequent and then the earliest first.
func (g *grower) countGames() error {
	first := map[string]int{} // ply
	for _, game := range g.o.Games {
		seen := map[string]bool{}
		for ply, p := range game {
			if p.Over() || g.o.Depth > 0 && ply > g.o.Depth {
				continue
			}
			if err := g.b.checkBoard(p); err != nil {
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

// report calls Report with the progress.
func (g *grower) report() {
	if g.o.Report != nil {
		g.o.Report(g.progress())
	}
}

// progress returns the progress of the run.
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
	if l, ok := b.cheapestLeaf(); ok {
		p.OpenDrop = float64(l.drop) / 100
	}
	return p
}
