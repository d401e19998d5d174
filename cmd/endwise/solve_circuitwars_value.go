package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"endwise/engine/grid"
	"endwise/solver/alphabeta"
	"endwise/solver/farm"
)

// recordNodes is how many nodes a position must have taken for the solve of a
// board's value to keep what it proved: what a crash loses at most.
const recordNodes = 50_000

// valueTypeBytes is the memory for component types, a thread. A dense board has
// so many of them that the usual store is emptied again and again: with enough
// room 3x4 takes 3.2 million nodes.
const valueTypeBytes = 1536 << 20

// solveCircuitWarsValue works out the value of an empty board by search. What it proves
// on the way goes to a file, a line a position; the same command reads it
// back and goes on.
func (a *app) solveCircuitWarsValue(ctx context.Context, dir string, b *grid.Board, threads, hash int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	file := filepath.Join(dir, fmt.Sprintf("circuitwars-value-%s.facts", b))
	facts, whole, err := readFacts(file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(whole); err != nil { // a line that was not written to its end
		return err
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	var failed error
	s := alphabeta.New(alphabeta.Options{
		Threads:     threads,
		HashBytes:   int64(hash) << 20,
		TypeBytes:   valueTypeBytes,
		RecordNodes: recordNodes,
		Record: func(p alphabeta.Proved) {
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				if _, failed = fmt.Fprintln(f, p); failed != nil {
					cancel()
				}
			}
		},
	})
	if err := s.Learn(facts...); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(facts) > 0 {
		fmt.Fprintf(a.stderr, "going on from %s in %s\n", count(len(facts), "fact"), file)
	}
	stop := a.showSolve(s, b)
	r, err := s.Solve(ctx, b.Graph(b.All()))
	stop()
	switch {
	case err != nil:
		return fmt.Errorf("solve: %w", err)
	case failed != nil:
		return fmt.Errorf("solve: %w", failed)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("solve: %w", err)
	}
	if !r.Exact() {
		fmt.Fprintf(a.stdout, "%s: value between %d and %d so far\n", b, r.Lower, r.Upper)
		return keepsOn(ctx.Err())
	}
	_, err = fmt.Fprintf(a.stdout, "%s: value %+d for the player who moves first; %d nodes in %v\n", b, r.Lower, r.Nodes, r.Elapsed.Round(time.Millisecond))
	return err
}

// readFacts reads the facts of earlier runs and tells how many bytes of the
// file are whole lines. No file is no facts.
func readFacts(file string) (facts []alphabeta.Proved, whole int64, err error) {
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return facts, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		p, err := alphabeta.ParseProved(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, 0, fmt.Errorf("%s: line %d: %w; delete the file to begin anew", file, n, err)
		}
		facts = append(facts, p)
		whole += int64(len(line))
	}
}

// showSolve says how far a solve has come until the returned function is
// called. Nobody knows how much is left, so it shows no remaining time.
func (a *app) showSolve(s *alphabeta.Solver, b *grid.Board) (stop func()) {
	var p farm.Progress
	p.Begin("value of "+b.String(), "nodes", 0, 0)
	hide := a.showProgress(&p)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(drawEvery)
		defer tick.Stop()
		for going := true; going; {
			select {
			case <-quit:
				going = false
			case <-tick.C:
			}
			st := s.Status()
			p.Set(st.Nodes)
			p.Note(fmt.Sprintf("between %d and %d, table %.0f %% full", st.Lower, st.Upper, 100*st.TableUse))
		}
	}()
	return func() {
		close(quit)
		<-ended
		hide()
	}
}
