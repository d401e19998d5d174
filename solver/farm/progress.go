package farm

import (
	"context"
	"sync"
	"time"

	"endwise/engine"
)

// Progress is the progress of long work. It is safe for concurrent use. The zero value is ready for
// use; a nil *Progress counts nothing.
type Progress struct {
	mu     sync.Mutex
	stages []Snapshot
}

// Snapshot is the state of a Progress at one moment.
type Snapshot struct {
	Stage string    `json:"stage"`
	Unit  string    `json:"unit"` // for instance "positions"
	Began time.Time `json:"began"`
	// Total is the number of units, 0 if it is unknown. Done is the number of finished units; it
	// includes Before, the number finished by an earlier run.
	Done   uint64 `json:"done"`
	Before uint64 `json:"before"`
	Total  uint64 `json:"total"`
	About  bool   `json:"about,omitempty"` // Total is a forecast
	Note   string `json:"note"`
}

// Begin starts a stage and ends the previous one. The arguments are the fields of Snapshot.
func (p *Progress) Begin(stage, unit string, before, total uint64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stages = append(p.stages, Snapshot{
		Stage: stage, Unit: unit, Began: time.Now(), Done: before, Before: before, Total: total,
	})
}

// Forecast sets the expected number of units of the current stage; a number above 1e12 is ignored.
func (p *Progress) Forecast(total float64) {
	if total <= 1e12 {
		p.change(func(s *Snapshot) { s.Total, s.About = uint64(total), true })
	}
}

// Add counts n more units of the current stage as done.
func (p *Progress) Add(n uint64) {
	p.change(func(s *Snapshot) { s.Done += n })
}

// Found counts n more units of the current stage as finished by an earlier run.
func (p *Progress) Found(n uint64) {
	p.change(func(s *Snapshot) { s.Done, s.Before = s.Done+n, s.Before+n })
}

// Set sets the number of finished units of the current stage.
func (p *Progress) Set(done uint64) {
	p.change(func(s *Snapshot) { s.Done = done })
}

// Note sets the note of the current stage.
func (p *Progress) Note(text string) {
	p.change(func(s *Snapshot) { s.Note = text })
}

// change calls f with the current stage, if there is one.
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

// Stages returns copies of the stages from index first on. All except the last have ended.
func (p *Progress) Stages(first int) []Snapshot {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Snapshot(nil), p.stages[min(first, len(p.stages)):]...)
}

const followEvery = 200 * time.Millisecond

// Follow calls f periodically in its own goroutine, and a last time before stop returns.
func Follow(f func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for engine.Pause(ctx, followEvery) == nil {
			f()
		}
		f()
	}()
	return func() { cancel(); <-ended }
}
