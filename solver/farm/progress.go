package farm

import "sync"

// Progress is how far long work has come: counters that the work adds to from
// any goroutine and a display reads now and then. The zero value is ready, and
// a nil *Progress counts nothing.
type Progress struct {
	mu sync.Mutex
	s  Snapshot
}

// Snapshot is the state of a Progress at one moment.
type Snapshot struct {
	// Stage says what is being done, Unit what is counted ("positions").
	Stage, Unit string
	// Number counts the stages so far, from 1; a display starts afresh when
	// it changes.
	Number int
	// Done of Total units are done, Before of them by an earlier run: the
	// rate of this run is that of Done-Before.
	Done, Before, Total uint64
}

// Begin starts a stage of which an earlier run left before units done.
func (p *Progress) Begin(stage, unit string, before, total uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s = Snapshot{Stage: stage, Unit: unit, Number: p.s.Number + 1, Done: before, Before: before, Total: total}
}

// Add counts n more units as done.
func (p *Progress) Add(n uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s.Done += n
}

// Set says how many units are done in all.
func (p *Progress) Set(done uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s.Done = done
}

// Snapshot is the current state.
func (p *Progress) Snapshot() Snapshot {
	if p == nil {
		return Snapshot{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.s
}
