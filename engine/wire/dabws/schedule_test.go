package dabws

import (
	"testing"
	"time"

	"endwise/engine"
)

// A process that is stopped once for a moment thinks on as before, with one
// move late or none; a machine that is late all the time leaves its players less.
func TestSchedule(t *testing.T) {
	defer func() { engine.MachineLateness = engine.Lateness{} }()
	const limit = 500 * time.Millisecond
	start := time.Now().Add(time.Hour) // after all that the process has measured
	a := &Agent{}
	usual, last := a.schedule(limit, start)
	if usual < limit/2 || last <= usual || last >= limit {
		t.Fatalf("it stops after %v and answers after %v", usual, last)
	}
	stall := 300 * time.Millisecond
	engine.MachineLateness.Note(stall, start)
	a.homing.Note(stall, start)
	if stop, _ := a.schedule(limit, start); stop != usual {
		t.Errorf("one stall makes it stop after %v, not %v", stop, usual)
	}
	for i := range 4 {
		engine.MachineLateness.Note(20*time.Millisecond, start.Add(time.Duration(i)*time.Second/2))
	}
	if stop, _ := a.schedule(limit, start.Add(3*time.Second)); stop != usual-60*time.Millisecond {
		t.Errorf("a machine that is 20 ms late makes it stop after %v, usually %v", stop, usual)
	}
	if stop, _ := a.schedule(limit, start.Add(time.Minute)); stop != usual {
		t.Errorf("a minute later it stops after %v, usually %v", stop, usual)
	}
}
