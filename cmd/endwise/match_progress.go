package main

import (
	"fmt"
	"io"
	"time"
)

// progressEvery is the time between two lines of progress.
const progressEvery = 5 * time.Second

// matchProgress says how far a run of games is. Its methods must not overlap.
type matchProgress struct {
	w           io.Writer
	total       int
	done, fresh int
	start, last time.Time
}

// newMatchProgress begins with the games of an earlier run done.
func newMatchProgress(w io.Writer, total, done int) *matchProgress {
	now := time.Now()
	if done > 0 {
		fmt.Fprintf(w, "%d of %d games are there already\n", done, total)
	}
	return &matchProgress{w: w, total: total, done: done, start: now, last: now}
}

// game counts a game; state is asked for when a line is due.
func (p *matchProgress) game(state func() string) {
	p.done++
	p.fresh++
	if now := time.Now(); now.Sub(p.last) >= progressEvery {
		p.last = now
		rest := time.Duration(float64(now.Sub(p.start)) / float64(p.fresh) * float64(p.total-p.done))
		fmt.Fprintf(p.w, "%d of %d games, at most %v to go: %s\n", p.done, p.total, rest.Round(time.Second), state())
	}
}

// end says what was played in this run.
func (p *matchProgress) end() {
	fmt.Fprintf(p.w, "%d games in %v\n", p.fresh, time.Since(p.start).Round(time.Millisecond))
}
