package wyb

import (
	"cmp"
	"fmt"
	"time"

	"endwise/engine/arena"
	"endwise/engine/wire/program"
)

// Limits are what a player may use; zero values set none, but the time for an
// answer always has a limit.
type Limits struct {
	CPU    time.Duration // in the whole game
	Space  uint64        // bytes
	Answer time.Duration // for one answer by the wall clock; 0 means DefaultAnswer
	// Start is for the first answer, in which programs load what they need; 0
	// means Answer.
	Start time.Duration
}

// DefaultAnswer is the wall-clock limit of one answer where none is given.
const DefaultAnswer = time.Minute

// AnswerTime is the limit of one answer.
func (l Limits) AnswerTime() time.Duration { return cmp.Or(l.Answer, DefaultAnswer) }

// Check says which limit is exceeded, nil if none.
func (l Limits) Check(u program.Usage) error {
	switch {
	case l.CPU > 0 && u.CPU > l.CPU:
		return outOfTime("%.2f s of processor time used, the limit is %.2f s", u.CPU.Seconds(), l.CPU.Seconds())
	case l.Space > 0 && u.Peak > l.Space:
		return &arena.Fault{End: arena.Crash, Word: outOfMemory, Reason: fmt.Sprintf("%.1f MB used, the limit is %.1f MB", float64(u.Peak)/1e6, float64(l.Space)/1e6)}
	}
	return nil
}

// The referee's words for losses by rule that the arena knows no own ending of.
const (
	badAnswer   = "bad answer" // no line of the protocol
	outOfMemory = "out of memory"
)

func crashed(format string, args ...any) error {
	return &arena.Fault{End: arena.Crash, Reason: fmt.Sprintf(format, args...)}
}

func outOfTime(format string, args ...any) error {
	return &arena.Fault{End: arena.Timeout, Reason: fmt.Sprintf(format, args...)}
}

func garbage(format string, args ...any) error {
	return &arena.Fault{End: arena.Illegal, Word: badAnswer, Reason: fmt.Sprintf(format, args...)}
}

// invalid is an action that no rule allows. The sentence begins with the action
// where it is not the action's own.
func invalid(action, format string, args ...any) error {
	return &arena.Fault{End: arena.Illegal, Move: action, Reason: fmt.Sprintf(format, args...)}
}
