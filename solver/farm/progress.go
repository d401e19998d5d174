package farm

import (
	"context"
	"sync"
	"time"

	"endwise/engine"
)

// Progress is how far long work has come: counters that the work adds to from
// any goroutine and a display reads now and then. The zero value is ready, and
// a nil *Progress counts nothing.
type Progress struct {
	mu     sync.Mutex
	stages []Snapshot
}

// Snapshot is the state of a Progress at one moment.
type Snapshot struct {
	// Stage says what is being done, Unit what is counted ("positions").
	Stage string `json:"stage"`
	Unit  string `json:"unit"`
	// Began is when the stage began.
	Began time.Time `json:"began"`
	// Done of Total units are done, Before of them by an earlier run: the
	// rate of this run is that of Done-Before.
	Done   uint64 `json:"done"`
	Before uint64 `json:"before"`
	Total  uint64 `json:"total"`
	// Note says in words how the work stands; "" for nothing.
	Note string `json:"note"`
}

// Begin starts a stage of which an earlier run left before units done, and so
// ends the one before it.
func (p *Progress) Begin(stage, unit string, before, total uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stages = append(p.stages, Snapshot{Stage: stage, Unit: unit, Began: time.Now(), Done: before, Before: before, Total: total})
}

// Add counts n more units of the current stage as done.
func (p *Progress) Add(n uint64) {
	p.change(func(s *Snapshot) { s.Done += n })
}

// Set says how many units of the current stage are done in all.
func (p *Progress) Set(done uint64) {
	p.change(func(s *Snapshot) { s.Done = done })
}

// Note says in words how the current stage stands.
func (p *Progress) Note(text string) {
	p.change(func(s *Snapshot) { s.Note = text })
}

func (p *Progress) change(f func(*Snapshot)) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.stages) > 0 {
		f(&p.stages[len(p.stages)-1])
	}
}

// Stages gives the stages from number first on as they are now, the first one
// having number 0. All but the last are over.
func (p *Progress) Stages(first int) []Snapshot {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Snapshot(nil), p.stages[min(first, len(p.stages)):]...)
}

// followEvery is the time between two looks of Follow.
const followEvery = 200 * time.Millisecond

// Follow calls look now and then until it is stopped, and a last time then.
func Follow(look func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for engine.Pause(ctx, followEvery) == nil {
			look()
		}
		look()
	}()
	return func() { cancel(); <-ended }
}
