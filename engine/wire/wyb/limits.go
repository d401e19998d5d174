package wyb

import (
	"cmp"
	"fmt"
	"time"

	"endwise/engine/arena"
	"endwise/engine/wire/program"
)

// Limits are the limits of a player. Zero means no limit, except for Answer and Start, which
// have defaults.
type Limits struct {
	CPU    time.Duration // processor time in the whole game
	Space  uint64        // memory in bytes
	Answer time.Duration // wall-clock time for one answer; 0 means DefaultAnswer
	// Start is the wall-clock time for the first answer, which includes loading; 0 means
	// Answer.
	Start time.Duration
}

// DefaultAnswer is the default wall-clock limit of one answer.
const DefaultAnswer = time.Minute

// AnswerTime returns the limit of one answer.
func (l Limits) AnswerTime() time.Duration { return cmp.Or(l.Answer, DefaultAnswer) }

// Check returns the fault of a player with the usage u, nil if u is within the limits of processor
// time and memory.
func (l Limits) Check(u program.Usage) error {
	switch {
	case l.CPU > 0 && u.CPU > l.CPU:
		return outOfTime("%.2f s of processor time used, the limit is %.2f s", u.CPU.Seconds(), l.CPU.Seconds())
	case l.Space > 0 && u.Peak > l.Space:
		reason := fmt.Sprintf("%.1f MB used, the limit is %.1f MB", float64(u.Peak)/1e6, float64(l.Space)/1e6)
		return &arena.Fault{End: arena.Crash, Word: outOfMemory, Reason: reason}
	}
	return nil
}

// The referee's words for forfeits that have no separate [arena.Ending].
const (
	badAnswer   = "bad answer" // a line that the protocol does not allow
	outOfMemory = "out of memory"
)

// crashed returns the fault of a program that crashed.
func crashed(format string, args ...any) error {
	return &arena.Fault{End: arena.Crash, Reason: fmt.Sprintf(format, args...)}
}

// outOfTime returns the fault of a program that exceeded its time.
func outOfTime(format string, args ...any) error {
	return &arena.Fault{End: arena.Timeout, Reason: fmt.Sprintf(format, args...)}
}

// garbage returns the fault of a program with an unusable answer.
func garbage(format string, args ...any) error {
	return &arena.Fault{End: arena.Illegal, Word: badAnswer, Reason: fmt.Sprintf(format, args...)}
}

// invalid returns the fault of a program with an illegal action, given as text ("" if unknown).
func invalid(action, format string, args ...any) error {
	return &arena.Fault{End: arena.Illegal, Move: action, Reason: fmt.Sprintf(format, args...)}
}
