package match

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

var reportLimits = analysis.Limits{Solve: 500 * time.Millisecond, Estimate: 30 * time.Millisecond, Unsolved: 2, Worst: 5}

const reportFile = "report.html"

// classReport analyses the finished games of a championship.
type classReport struct {
	game    cli.Game
	title   string
	start   engine.Position
	open    func() (*book.Lookup, error)
	log     *slog.Logger
	workers sync.WaitGroup
	queue   chan arena.Result // has room for all games of the championship

	mu       sync.Mutex
	queued   map[string]bool // by ID
	done     []analysis.Analysis
	found    []analysis.Exercise
	progress farm.Progress
	before   int // the number of games of done when finish began

	writing sync.Mutex
	written []byte // the page of the first count games of done
	count   int
}

func newClassReport(g cli.Game, title string, start engine.Position, open func() (*book.Lookup, error), log *slog.Logger) *classReport {
	return &classReport{game: g, title: title, start: start, open: open, log: log, queued: map[string]bool{}}
}

// add queues the results that are not queued yet.
func (c *classReport) add(results []arena.Result) {
	for _, r := range results {
		if !c.queued[r.ID] {
			c.queued[r.ID] = true
			c.queue <- r
		}
	}
}

// run analyses the queued games with n workers, until the queue is closed or ctx ends.
func (c *classReport) run(ctx context.Context, n int) {
	for range n {
		c.workers.Go(func() {
			lookup, err := c.open()
			if err != nil {
				c.log.Error("no report", "cause", err)
				return
			}
			defer lookup.Close()
			for r := range c.queue {
				err := c.analyse(ctx, lookup, r)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					c.log.Error("a game is not in the report", "game", r.ID, "cause", err)
				}
			}
		})
	}
}

// finish analyses the remaining games with n further workers, and writes the report to dir, also if ctx
// ends before.
func (c *classReport) finish(ctx context.Context, stderr io.Writer, n int, dir string) error {
	close(c.queue)
	if dir == "" {
		c.run(ctx, n)
		return nil
	}
	c.mu.Lock()
	c.before = len(c.done)
	if c.before > 0 {
		fmt.Fprintf(stderr, "report: %d of %s were analysed during play\n", c.before, cli.Count(len(c.queued), "game"))
	}
	c.progress.Begin("report", "games", 0, uint64(len(c.queued)-c.before))
	c.mu.Unlock()
	stop := cli.ShowProgress(stderr, &c.progress)
	c.run(ctx, n)
	c.workers.Wait()
	stop(ctx.Err())
	return cmp.Or(c.save(stderr, dir, ctx.Err() != nil), ctx.Err())
}

// analyse adds the analysis and the exercises of a game to the report.
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
	c.progress.Set(uint64(len(c.done) - c.before))
	return nil
}

// games returns the IDs of the games analysed so far.
func (c *classReport) games() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.done {
		ids = append(ids, a.Name)
	}
	return ids
}

// page returns the report on the games analysed so far as an HTML page, nil if there is none yet. It
// writes the page again only after a further game; the caller must not change it.
func (c *classReport) page() ([]byte, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	r := c.report()
	if len(r.Games) == c.count {
		return c.written, nil
	}
	r.Standings = "./"
	var out bytes.Buffer
	if err := c.write(&out, r); err != nil {
		return nil, err
	}
	c.written, c.count = out.Bytes(), len(r.Games)
	return c.written, nil
}

// report returns the report on the games analysed so far, without its summary.
func (c *classReport) report() web.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	games, exercises := slices.Clone(c.done), slices.Clone(c.found)
	slices.SortFunc(games, func(x, y analysis.Analysis) int { return strings.Compare(x.Name, y.Name) })
	slices.SortStableFunc(exercises, func(x, y analysis.Exercise) int { return strings.Compare(x.From, y.From) })
	analysis.Grade(exercises)
	return web.Report{Title: c.title, Games: games, Limits: reportLimits, Exercises: exercises}
}

func (c *classReport) write(w io.Writer, r web.Report) error {
	r.Summary = analysis.Summarize(r.Games)
	return web.Games{c.game.Web}.WriteReport(w, r)
}

// save writes the report to dir and prints its path, unless dir is "" or no game has been analysed. If the
// analysis was interrupted, the report of an earlier run stays.
func (c *classReport) save(stderr io.Writer, dir string, interrupted bool) error {
	r := c.report()
	file := filepath.Join(dir, reportFile)
	if dir == "" {
		return nil
	}
	if _, err := os.Stat(file); err == nil && interrupted {
		_, err := fmt.Fprintf(stderr, "%s: the earlier report stays; this one has only %d of %s\n", file, len(r.Games), cli.Count(len(c.queued), "game"))
		return err
	}
	if len(r.Games) == 0 {
		return nil
	}
	if err := disk.WriteFile(file, 0o644, func(w io.Writer) error { return c.write(w, r) }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stderr, "%s: report on %s\n", file, cli.Count(len(r.Games), "game"))
	return err
}
