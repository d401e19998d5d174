package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"endwise/solver/farm"
)

// display shows how far long work has come: one goroutine reads the counters of
// a farm.Progress and redraws a line on a terminal, or writes a line every
// lineEvery to anything else.
type display struct {
	w        io.Writer
	terminal bool

	number int           // of the stage
	stage  farm.Snapshot // as last drawn; its Stage is "" before the first
	line   time.Time     // of the last line
	failed bool          // the work ended before it was done
}

// lineEvery is the time between two lines if there is no terminal.
const lineEvery = 5 * time.Second

// clearLine returns to the start of a terminal's line and clears it.
const clearLine = "\r\x1b[K"

// ShowProgress draws a progress on w until the returned function is called with what ended
// the work, and draws its end. Calling that twice does nothing.
func ShowProgress(w io.Writer, p *farm.Progress) (stop func(error)) {
	d := &display{w: w}
	if f, ok := w.(*os.File); ok {
		d.terminal = term.IsTerminal(int(f.Fd()))
	}
	rest := farm.Follow(func() { d.draw(time.Now(), p.Stages(d.number)) })
	var once sync.Once
	return func(err error) {
		once.Do(func() {
			rest()
			d.failed = err != nil
			d.end(time.Now())
		})
	}
}

// draw shows the state of the current stage and of those that began since the
// last call; all but the last of them are over.
func (d *display) draw(now time.Time, stages []farm.Snapshot) {
	for i, s := range stages {
		if i > 0 {
			d.end(s.Began)
			d.number++
		}
		if d.stage.Stage == "" {
			d.begin(s)
		}
		d.stage = s
	}
	if d.stage.Stage == "" {
		return
	}
	switch text := ProgressLine(d.stage, now); {
	case d.terminal:
		fmt.Fprint(d.w, clearLine+clipTo(text, d.columns()-1))
	case now.Sub(d.line) >= lineEvery:
		d.line = now
		fmt.Fprintln(d.w, text)
	}
}

func (d *display) begin(s farm.Snapshot) {
	d.line = s.Began
	if s.Before > 0 {
		fmt.Fprintf(d.w, "%s: %s are there already\n", s.Stage, counted(s, s.Before))
	}
}

// end sums the current stage up.
func (d *display) end(now time.Time) {
	s := d.stage
	if s.Stage == "" {
		return
	}
	if d.terminal {
		fmt.Fprint(d.w, clearLine)
	}
	took := now.Sub(s.Began)
	done := s.Done >= s.Total
	if s.Total == 0 {
		done = !d.failed
	}
	if done {
		fmt.Fprintf(d.w, "%s: %s %s in %s\n", s.Stage, Amount(s.Done-s.Before), unit(s.Done-s.Before, s.Unit), Duration(took))
	} else {
		fmt.Fprintf(d.w, "%s: stopped at %s after %s\n", s.Stage, counted(s, s.Done), Duration(took))
	}
	d.stage = farm.Snapshot{}
}

// counted writes how many there are of a stage's total, where it has one.
func counted(s farm.Snapshot, n uint64) string {
	if s.Total == 0 {
		return Amount(n) + " " + unit(n, s.Unit)
	}
	return fmt.Sprintf("%s of %s %s", Amount(n), Amount(s.Total), unit(s.Total, s.Unit))
}

// ProgressLine returns the count, share, remaining time and note of a stage. The remaining
// time follows from what this run has done of the stage so far.
func ProgressLine(s farm.Snapshot, now time.Time) string {
	took := now.Sub(s.Began)
	var parts []string
	if s.Total > 0 || s.Done > 0 {
		parts = append(parts, counted(s, s.Done))
	}
	if s.Total == 0 {
		parts = append(parts, "for "+Duration(took))
	} else {
		parts = append(parts, fmt.Sprintf("%d %%", s.Done*100/s.Total))
	}
	if s.Done > s.Before && s.Done < s.Total && took >= time.Second {
		left := time.Duration(float64(took) * float64(s.Total-s.Done) / float64(s.Done-s.Before))
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	text := s.Stage + ": " + strings.Join(parts, ", ")
	if s.Note != "" {
		text += "; " + s.Note
	}
	return text
}

// unit is the word for n of what is counted, from the one for several.
func unit(n uint64, several string) string {
	if n != 1 {
		return several
	}
	if one, ok := strings.CutSuffix(several, "sses"); ok {
		return one + "ss"
	}
	return strings.TrimSuffix(several, "s")
}

// columns is the width of the terminal.
func (d *display) columns() int {
	if f, ok := d.w.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// clipTo shortens text to n characters, at least 20: a line that wraps can't
// be drawn over.
func clipTo(text string, n int) string {
	r := []rune(text)
	if n = max(n, 20); len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}

// Amount writes a count so that it can be read: 950, 12.3 k, 134 M.
func Amount(n uint64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	f, unit := float64(n)/1e3, "k"
	for _, u := range []string{"M", "G"} {
		if f >= 1000 {
			f, unit = f/1e3, u
		}
	}
	if f < 100 {
		return fmt.Sprintf("%.1f %s", f, unit)
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}

// Duration writes a time with as many digits as it deserves.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
