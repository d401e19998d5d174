package match

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/disk"
)

var reportLimits = analysis.Limits{Solve: 500 * time.Millisecond, Estimate: 30 * time.Millisecond, Unsolved: 2, Worst: 5}

// classReport analyses the finished games of a championship on one thread.
type classReport struct {
	game  cli.Game
	title string
	start engine.Position
	open  func() (*book.Lookup, error)
	log   *slog.Logger

	mu    sync.Mutex
	queue []arena.Result
	wake  chan struct{} // a signal that the queue has grown
	done  []analysis.Analysis
	found []analysis.Exercise

	writing sync.Mutex
	written []byte // the page of the first count games of done
	count   int
}

func newClassReport(g cli.Game, title string, start engine.Position, open func() (*book.Lookup, error), log *slog.Logger) *classReport {
	return &classReport{game: g, title: title, start: start, open: open, log: log, wake: make(chan struct{}, 1)}
}

func (c *classReport) add(r arena.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, r)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run analyses the queued games until ctx ends or the sources cannot be opened.
func (c *classReport) run(ctx context.Context) {
	lookup, err := c.open()
	if err != nil {
		c.log.Error("no report", "cause", err)
		return
	}
	defer lookup.Close()
	for {
		r, ok := c.next()
		if !ok {
			select {
			case <-c.wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := c.analyse(ctx, lookup, r); err != nil {
			if ctx.Err() != nil {
				return
			}
			c.log.Error("a game is not in the report", "game", r.ID, "cause", err)
		}
	}
}

func (c *classReport) next() (r arena.Result, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return arena.Result{}, false
	}
	r = c.queue[0]
	c.queue = c.queue[1:]
	return r, true
}

func (c *classReport) analyse(ctx context.Context, lookup *book.Lookup, r arena.Result) error {
	record := analysis.Record{
		Name: r.ID, Players: r.Players,
		Winner: r.Winner, Score: r.Score, Fault: r.Fault,
		Positions: []engine.Position{c.start},
	}
	for _, text := range slices.Concat(r.Opening, r.Moves) {
		p := record.Final()
		m, err := p.ParseMove(text)
		if err == nil {
			p, err = p.Play(m)
		}
		if err != nil {
			return err
		}
		record.Moves, record.Positions = append(record.Moves, m), append(record.Positions, p)
	}
	done, err := analysis.Analyze(ctx, c.game.Web.Rules, record, lookup, reportLimits, func(analysis.Step) {})
	if err != nil {
		return err
	}
	found, err := analysis.Exercises(func(string) engine.Game { return c.game.Web.Rules.Game }, []analysis.Analysis{done})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.found = append(c.done, done), append(c.found, found...)
	return nil
}

func (c *classReport) games() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.done {
		ids = append(ids, a.Name)
	}
	return ids
}

// page returns the report on the games analysed so far as an HTML page.
func (c *classReport) page() ([]byte, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	r := c.report()
	if len(r.Games) == c.count {
		return c.written, nil
	}
	r.Standings = "./"
	var out bytes.Buffer
	err := c.write(&out, r)
	if err == nil {
		c.written, c.count = out.Bytes(), len(r.Games)
	}
	return out.Bytes(), err
}

func (c *classReport) report() web.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	exercises := slices.Clone(c.found)
	analysis.Grade(exercises)
	return web.Report{Title: c.title, Games: slices.Clone(c.done), Limits: reportLimits, Exercises: exercises}
}

func (c *classReport) write(w io.Writer, r web.Report) error {
	r.Summary = analysis.Summarize(r.Games)
	return web.Games{c.game.Web}.WriteReport(w, r)
}

func (c *classReport) save(dir string) error {
	r := c.report()
	if dir == "" || len(r.Games) == 0 {
		return nil
	}
	return disk.WriteFile(filepath.Join(dir, "report.html"), 0o644, func(w io.Writer) error { return c.write(w, r) })
}
