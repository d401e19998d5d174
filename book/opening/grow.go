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

// GrowOptions configure [Book.Grow].
type GrowOptions struct {
	// Evaluators run concurrently, each on one position at a time. There must be at least one.
	Evaluators []Evaluator
	// Root is the position where the lines of the book start; nil means the start of a game. If Root is
	// set and a node already, it is first evaluated again, and the old record is dropped.
	Root engine.Position
	// Depth is the maximum number of moves from Root to a new node; 0 means no limit.
	Depth int
	// Time is the time after which no further evaluation starts; 0 means no limit.
	Time time.Duration
	// Nodes is the number of nodes at which the book stops growing; 0 means no limit.
	Nodes int
	// Games contains the positions of recorded games, each game in the order of play. After Root these
	// positions become nodes first, the most frequent ones before the others. Positions after more than
	// Depth moves of a game are ignored.
	Games [][]engine.Position
	// Report, if not nil, is called before the first and after every new node.
	Report func(Progress)
}

// Progress describes a run of [Book.Grow].
type Progress struct {
	Nodes     int
	Evaluated int // positions evaluated by this run
	Elapsed   time.Duration
	// Root is the value of GrowOptions.Root and RootBest its best move, if RootKnown: it is a node.
	Root      Value
	RootKnown bool
	RootBest  string
	// OpenLoss is the sum of the losses on the line to the next leaf, in points; NaN if no leaf is open.
	OpenLoss float64
	// GamePositions is the number of positions of GrowOptions.Games in the queue for evaluation.
	GamePositions int
}

type job struct {
	key      string
	position engine.Position
	visits   uint32
	leaves   []leaf // moves that lead to the position
}

type outcome struct {
	eval   Evaluator
	key    string
	record record
	err    error
}

type grower struct {
	b         *Book
	o         GrowOptions
	jobs      map[string]*job   // by key
	games     []string          // keys of games' positions still to be evaluated, most frequent first
	visits    map[string]uint32 // number of games that reached a position, by key
	start     time.Time
	evaluated int
}

// Grow evaluates positions and adds them as nodes until no leaf is open, a limit of o is reached, or
// ctx ends. The order is: the root, positions of games, then the cheapest leaf (frontier.go). If the
// book has a journal, Grow writes each new record to it.
//
// If ctx ends, running evaluations are abandoned and Grow returns ctx's error. Grow returns
// [ErrContradiction] if proofs in the book contradict each other, before it adds a node, or if a new
// evaluation contradicts the book's proofs; that evaluation is not saved.
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
	if err := g.queueGames(); err != nil {
		return g.progress(), err
	}
	err := g.run(ctx)
	if b.journal != nil {
		err = cmp.Or(err, b.journal.sync())
	}
	return g.progress(), err
}

// contradiction returns [ErrContradiction] with the position of the latest conflict.
func (b *Book) contradiction() error {
	id := b.lastConflict
	p, err := b.position(id)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w at %s: run book check", ErrContradiction, p)
}

// reevaluate evaluates the node of p again, if there is one, and replaces its record. It returns
// [ErrContradiction] and changes nothing if the new record contradicts other nodes.
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
	g.evaluated++
	return b.save(&r)
}

// run starts evaluations and adds their results to the book, until there is nothing to evaluate, a limit
// is reached, ctx ends or an error occurs. It returns after all evaluators have returned.
func (g *grower) run(ctx context.Context) error {
	evalCtx, cancel := context.WithCancel(ctx)
	results := make(chan outcome)
	idle := slices.Clone(g.o.Evaluators)
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

// finishJob adds the result of a job to the book. If ctx has ended, its error replaces the evaluator's.
func (g *grower) finishJob(ctx context.Context, o outcome) error {
	if o.err != nil {
		g.abandon(o.key)
		return cmp.Or(ctx.Err(), o.err)
	}
	if err := g.b.addAndSave(o.record); err != nil {
		return err
	}
	delete(g.jobs, o.key)
	g.evaluated++
	g.report()
	return nil
}

// evaluate returns the record of j's position. It does not change the book and may run concurrently.
func (b *Book) evaluate(ctx context.Context, eval Evaluator, j *job) (record, error) {
	began := time.Now()
	d, err := eval(ctx, j.position)
	if err == nil {
		err = ctx.Err()
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

// addAndSave adds a node and writes its record to the journal. If the book then contains a
// contradiction, addAndSave returns [ErrContradiction] and does not write; the node stays in memory.
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

func (g *grower) atLimit() bool {
	return g.o.Nodes > 0 && g.b.Len()+len(g.jobs) >= g.o.Nodes ||
		g.o.Time > 0 && time.Since(g.start) >= g.o.Time
}

// abandon removes a running job and makes its leaves available again.
func (g *grower) abandon(key string) {
	if j := g.jobs[key]; j != nil {
		delete(g.jobs, key)
		for _, l := range j.leaves {
			g.b.releaseLeaf(l)
		}
	}
}

// newJob adds a job for the position with the given key to g.jobs.
func (g *grower) newJob(key string, leaves ...leaf) (*job, error) {
	p, err := g.b.game.FromKey([]byte(key))
	if err != nil {
		return nil, err
	}
	j := &job{key: key, position: p, visits: g.visits[key], leaves: leaves}
	g.jobs[key] = j
	return j, nil
}

// nextJob returns a new job for the next position, or nil if there is none to start.
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
		m := engine.Move(b.nodes[l.node].Moves[l.move].Move)
		s, err := playStep(b.game, p, m)
		if err != nil {
			return nil, err
		}
		b.startLeaf(l)
		if j := g.jobs[s.Key]; j != nil {
			j.leaves = append(j.leaves, l)
			continue
		}
		return g.newJob(s.Key, l)
	}
}

// queueGames sets g.visits, and raises the stored visits of nodes to these numbers. It sets g.games to
// the positions that are not nodes, by descending visits, then by the smallest ply in a game.
func (g *grower) queueGames() error {
	first := map[string]int{} // smallest ply at which a game reaches a position, by key
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
			if g.visits[key]++; g.visits[key] == 1 || ply < first[key] {
				first[key] = ply
			}
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
		Nodes: b.Len(), Evaluated: g.evaluated, Elapsed: time.Since(g.start), OpenLoss: math.NaN(),
		GamePositions: len(g.games),
	}
	if b.frontier == nil || b.frontier.root < 0 {
		return p
	}
	n := &b.nodes[b.frontier.root]
	p.Root, p.RootKnown = n.value, true
	if pos, err := b.position(b.frontier.root); err == nil && n.best >= 0 {
		p.RootBest = pos.MoveString(engine.Move(n.Moves[n.best].Move))
	}
	if l, ok := b.cheapestLeaf(); ok {
		p.OpenLoss = float64(l.loss) / 100
	}
	return p
}
