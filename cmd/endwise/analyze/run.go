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
	out := make([]analysis.Analysis, len(records))
	files := make([]string, len(records))
	var todo []int
	positions, total := 0, 0 // positions to analyse now, and including earlier runs
	for i, r := range records {
		total += len(r.Positions)
		key, err := analysisKey(r, o.limits, o.lookup)
		if err != nil {
			return nil, err
		}
		files[i] = filepath.Join(dir, key+".json")
		if dir != "" && readAnalysis(files[i], &out[i]) {
			continue
		}
		todo = append(todo, i)
		positions += len(r.Positions)
	}
	if len(todo) == 0 {
		return out, nil
	}
	jobs := min(o.jobs, len(todo))
	o.lookup.Several = true
	options, err := o.lookup.Options(a)
	if err != nil {
		return nil, err
	}
	options.Threads = max(1, options.Threads/jobs)
	options.HashBytes /= int64(jobs)

	keep := func(i int, done analysis.Analysis) error {
		out[i] = done
		if dir == "" {
			return nil
		}
		return disk.WriteFile(files[i], 0o644, func(w io.Writer) error { return json.NewEncoder(w).Encode(done) })
	}
	shown := new(farm.Progress)
	shown.Begin("analysis", "positions", uint64(total-positions), uint64(total))
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
			r := records[i]
			open := func() (*book.Lookup, error) { return o.lookup.Open(r.game, options) }
			return lookups.With(r.game.Name(), open, func(l *book.Lookup) error {
				count := func(analysis.Step) { shown.Add(1) }
				done, err := analysis.Analyze(ctx, r.game.Web.Rules, r.Record, l, o.limits, count)
				if err != nil {
					return fmt.Errorf("%s: %w", r.Name, err)
				}
				return keep(i, done)
			})
		})
	}
	return out, group.Wait()
}

// workDirectory returns the directory of finished analyses, which it creates if it is missing;
// "" if there is neither --work nor a store.
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

// analysisKey returns a hash of everything that an analysis depends on.
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
