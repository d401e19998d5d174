package analyze

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

// analyzeRecords analyses the games, --jobs of them concurrently, and returns the results
// in the order of the records. Analyses in the --work directory are not repeated.
func analyzeRecords(ctx context.Context, a *cli.App, o analyzeOptions, records []record) ([]analysis.Analysis, error) {
	dir, err := o.workDirectory(a)
	if err != nil {
		return nil, err
	}
	w := analyses{analyzeOptions: o, dir: dir, records: records, out: make([]analysis.Analysis, len(records)), files: make([]string, len(records))}
	todo, err := w.read()
	if err != nil || len(todo) == 0 {
		return w.out, err
	}
	return w.out, w.run(ctx, a, todo)
}

// analyses are the analyses of several games.
type analyses struct {
	analyzeOptions
	dir     string // the directory of finished analyses, "" for none
	records []record
	out     []analysis.Analysis // of each record
	files   []string            // of each analysis in dir
}

// read reads the finished analyses, and returns the indices of the other records.
func (w *analyses) read() (todo []int, err error) {
	for i, r := range w.records {
		key, err := analysisKey(r, w.limits, w.lookup)
		if err != nil {
			return nil, err
		}
		w.files[i] = filepath.Join(w.dir, key+".json")
		if w.dir == "" || !readAnalysis(w.files[i], &w.out[i]) {
			todo = append(todo, i)
		}
	}
	return todo, nil
}

// run analyses the records whose indices are in todo, and writes each analysis to dir.
func (w *analyses) run(ctx context.Context, a *cli.App, todo []int) error {
	jobs := min(w.jobs, len(todo))
	w.lookup.Several = true
	options, err := w.lookup.Options(a)
	if err != nil {
		return err
	}
	options.Threads = max(1, options.Threads/jobs)
	options.HashBytes /= int64(jobs)

	var left, total uint64 // positions to analyse, now and including earlier runs
	for _, r := range w.records {
		total += uint64(len(r.Positions))
	}
	for _, i := range todo {
		left += uint64(len(w.records[i].Positions))
	}
	shown := new(farm.Progress)
	shown.Begin("analysis", "positions", total-left, total)
	if len(todo) > 1 || cli.IsTerminal(a.Stderr) {
		defer cli.ShowProgress(a.Stderr, shown)(nil)
	}
	var lookups cli.Lookups
	defer lookups.Close()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for _, i := range todo {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := w.records[i]
			open := func() (*book.Lookup, error) { return w.lookup.Open(r.game, options) }
			return lookups.With(r.game.Name(), open, func(l *book.Lookup) (err error) {
				count := func(analysis.Step) { shown.Add(1) }
				if w.out[i], err = analysis.Analyze(ctx, r.game.Web.Rules, r.Record, l, w.limits, count); err != nil {
					return fmt.Errorf("%s: %w", r.Name, err)
				}
				return w.write(i)
			})
		})
	}
	return group.Wait()
}

// write writes the analysis of a record to dir.
func (w *analyses) write(i int) error {
	if w.dir == "" {
		return nil
	}
	return disk.WriteFile(w.files[i], 0o644, func(to io.Writer) error { return json.NewEncoder(to).Encode(w.out[i]) })
}

// workDirectory creates and returns the directory of finished analyses; "" without --work and a store.
func (o analyzeOptions) workDirectory(a *cli.App) (string, error) {
	dir := o.workDir
	if dir == "" {
		store := a.StoreIfAny()
		if store == "" {
			return "", nil
		}
		dir = filepath.Join(filepath.Dir(store), "analyses")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("--work: %w", err)
	}
	return dir, nil
}

// analysisKey returns a hash of the record, the limits, the flags in sources, and the versions of
// the rules and of package analysis. The contents of the store are not part of it.
func analysisKey(r record, lim analysis.Limits, sources cli.LookupFlags) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "analysis %d rules %d limits %v sources %q name %s\n",
		analysis.Version, r.game.RulesVersion(), lim, fmt.Sprint(sources), r.Name)
	if err := analysis.WritePlain(h, r.Record); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16]), nil
}

// readAnalysis reads a finished analysis into out. It returns false if the file is missing or
// damaged; out may be changed then.
func readAnalysis(file string, out *analysis.Analysis) bool {
	data, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(data, out) == nil && out.Game != ""
}
