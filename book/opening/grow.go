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

// GrowOptions say how a book grows.
type GrowOptions struct {
	FrontierOptions
	// Evaluators evaluate leaves, each in a goroutine of its own; at least one.
	Evaluators []Evaluator
	// Work, with Nodes left 0, says that their evaluations recur: each is kept
	// with it and the nodes that it counted.
	Work Work
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
	// Outside is the time that was spent neither evaluating nor waiting for it.
	Outside time.Duration
}

// job is a position to evaluate.
type job struct {
	key      string
	position engine.Canonical
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
	games  []job // most frequent first
	start  time.Time
	leaves int
	busy   time.Duration
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
	if err := b.setFrontier(o.FrontierOptions); err != nil {
		return Progress{}, err
	}
	defer func() { b.frontier = nil }()
	if b.conflicts > 0 {
		return Progress{}, b.contradiction()
	}
	g := &grower{b: b, o: o, flying: map[string]*job{}, start: time.Now()}
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
		began := time.Now()
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
				r, err := g.b.rules.evaluate(evalCtx, eval, j, g.o.Work)
				results <- outcome{eval, j.key, r, err}
			}()
		}
		g.busy += time.Since(began)
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
			began := time.Now()
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
			g.busy += time.Since(began)
		}
	}
}

// evaluate asks for a decision and makes a record of it, with what work it took
// where it recurs.
func (g *rules) evaluate(ctx context.Context, eval Evaluator, j *job, work Work) (record, error) {
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
	r, err := g.newRecord(j.key, j.position, d)
	r.visits = j.visits
	if work != (Work{}) {
		r.work = Work{work.Engine, work.Limit, d.Nodes}
	}
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

// nextJob is the next position to evaluate, nil when there is none now.
func (g *grower) nextJob() (*job, error) {
	b := g.b
	if _, ok := b.find(b.frontier.rootKey); !ok && g.flying[b.frontier.rootKey] == nil {
		root, err := b.rules.game.FromKey([]byte(b.frontier.rootKey))
		if err != nil {
			return nil, err
		}
		j := &job{key: b.frontier.rootKey, position: root}
		for i := range g.games {
			if g.games[i].key == j.key {
				j.visits = g.games[i].visits
			}
		}
		g.flying[j.key] = j
		return j, nil
	}
	for len(g.games) > 0 {
		j := g.games[0]
		g.games = g.games[1:]
		if _, ok := b.find(j.key); ok || g.flying[j.key] != nil {
			continue
		}
		g.flying[j.key] = &j
		return &j, nil
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
		m := engine.Move(b.nodes[l.node].classes[l.class].move)
		s, err := b.rules.play(p, m)
		if err != nil {
			return nil, err
		}
		b.take(l)
		if j := g.flying[s.key]; j != nil {
			// Another line leads there too and is being evaluated.
			j.leaves = append(j.leaves, l)
			continue
		}
		child, err := b.rules.game.FromKey([]byte(s.key))
		if err != nil {
			return nil, err
		}
		j := &job{key: s.key, position: child, leaves: []leaf{l}}
		g.flying[s.key] = j
		return j, nil
	}
}

// takeGames counts how many games reach each position, marks the nodes among
// them with that, and lines up the others, most frequent and earliest first.
func (g *grower) takeGames() error {
	type occurrence struct {
		job
		ply int
	}
	count := map[string]*occurrence{}
	for _, game := range g.o.Games {
		seen := map[string]bool{}
		for ply, p := range game {
			if p.Over() || g.o.Depth > 0 && ply > g.o.Depth {
				continue
			}
			c, err := g.b.own(p)
			if err != nil {
				return err
			}
			raw, _ := c.CanonicalKey(nil)
			key := string(raw)
			if seen[key] {
				continue
			}
			seen[key] = true
			o := count[key]
			if o == nil {
				o = &occurrence{job: job{key: key}, ply: ply}
				count[key] = o
			}
			o.visits++
			o.ply = min(o.ply, ply)
		}
	}
	var order []*occurrence
	for key, o := range count {
		if id, ok := g.b.find(key); ok {
			if n := &g.b.nodes[id]; n.visits < o.visits {
				n.visits = o.visits
				if err := g.b.save(&n.record); err != nil {
					return err
				}
			}
			continue
		}
		p, err := g.b.rules.game.FromKey([]byte(key))
		if err != nil {
			return err
		}
		o.position = p
		order = append(order, o)
	}
	slices.SortFunc(order, func(a, b *occurrence) int {
		return cmp.Or(cmp.Compare(b.visits, a.visits), cmp.Compare(a.ply, b.ply), cmp.Compare(a.key, b.key))
	})
	for _, o := range order {
		g.games = append(g.games, o.job)
	}
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
		GamesLeft: len(g.games), Outside: g.busy,
	}
	if b.frontier == nil || b.frontier.root < 0 {
		return p
	}
	n := &b.nodes[b.frontier.root]
	p.Root, p.RootKnown = n.value, true
	if pos, err := b.position(b.frontier.root); err == nil && n.best >= 0 {
		p.RootBest = pos.MoveString(engine.Move(n.classes[n.best].move))
	}
	if l, ok := b.next(); ok {
		p.OpenDrop = float64(l.drop) / 100
	}
	return p
}
