package wyb

import (
	"cmp"
	"fmt"
	"time"

	"endwise/engine/arena"
	"endwise/engine/wire/program"
)

// Limits are the limits of a player. Zero means no limit, except for Answer and Start.
type Limits struct {
	CPU    time.Duration // processor time in the whole game
	Space  uint64        // memory, in bytes
	Answer time.Duration // wall-clock time for one answer; 0 means DefaultAnswer
	Start  time.Duration // wall-clock time for the first answer; 0 means Answer
}

const DefaultAnswer = time.Minute

func (l Limits) AnswerTime() time.Duration { return cmp.Or(l.Answer, DefaultAnswer) }

// Check returns the fault of a player that exceeded the limits of processor time or memory, otherwise nil.
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

// Words for forfeits that have no separate [arena.Ending].
const (
	badAnswer   = "bad answer"
	outOfMemory = "out of memory"
)

func crashed(format string, args ...any) error {
	return &arena.Fault{End: arena.Crash, Reason: fmt.Sprintf(format, args...)}
}

func outOfTime(format string, args ...any) error {
	return &arena.Fault{End: arena.Timeout, Reason: fmt.Sprintf(format, args...)}
}

// garbage returns the fault of a program with an unusable answer.
func garbage(format string, args ...any) error {
	return &arena.Fault{End: arena.Illegal, Word: badAnswer, Reason: fmt.Sprintf(format, args...)}
}

// invalid returns the fault of a program with an illegal action, "" if unknown.
func invalid(action, format string, args ...any) error {
	return &arena.Fault{End: arena.Illegal, Move: action, Reason: fmt.Sprintf(format, args...)}
}
