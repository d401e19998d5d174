package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/disk"
	"endwise/engine/testenv"
)

// An interrupted analysis is resumed by the same command: finished games are not analysed
// again, and the result is the same.
func TestAnalyzeResumes(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 8 {
		start, err := circuitwars.Game{}.Start("2x3")
		testenv.OK(t, err)
		r := analysis.Record{Players: [2]string{"ann", "bob"}, Positions: []engine.Position{start}}
		for p := start; !p.Over(); p = r.Final() {
			m := p.Moves()[rng.IntN(len(p.Moves()))]
			q, err := p.Play(m)
			testenv.OK(t, err)
			r.Moves, r.Positions = append(r.Moves, m), append(r.Positions, q)
		}
		r.Score, r.Winner = r.Final().Score(), engine.Winner(r.Final())
		err = disk.WriteFile(filepath.Join(dir, fmt.Sprintf("g%d.game", n)), 0o644, func(w io.Writer) error { return analysis.WritePlain(w, r) })
		testenv.OK(t, err)
	}
	analyze := func(ctx context.Context, work string) (int, string) {
		var out bytes.Buffer
		code := run(ctx, []string{"analyze", "--store", t.TempDir(), "--work", work, "--jobs", "1", "--threads", "1", "--hash", "8", "--time", "20s", dir}, nil, &out, io.Discard)
		return code, out.String()
	}
	work := t.TempDir()
	done := func() map[string]time.Time {
		out := map[string]time.Time{}
		files, err := filepath.Glob(filepath.Join(work, "*.json"))
		testenv.OK(t, err)
		for _, f := range files {
			st, err := os.Stat(f)
			testenv.OK(t, err)
			out[f] = st.ModTime()
		}
		return out
	}
	// Stop as soon as two games are done.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		code, _ := analyze(ctx, work)
		ended <- code
	}()
	for len(done()) < 2 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	code, before := <-ended, done()
	if len(before) < 8 && code != exitInterrupted {
		t.Errorf("interrupted: exit code %d, want %d", code, exitInterrupted)
	}
	code, out := analyze(t.Context(), work)
	if code != exitOK || len(done()) != 8 {
		t.Fatalf("the second run: exit code %d, %d games done", code, len(done()))
	}
	for f, at := range before {
		if !done()[f].Equal(at) {
			t.Errorf("%s was done again", f)
		}
	}
	if _, whole := analyze(t.Context(), t.TempDir()); whole != out {
		t.Errorf("in two runs:\n%s\nin one:\n%s", out, whole)
	}
}
