// Package progress shows how far long work has come, and writes counts, times and
// rates so that they can be read.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"endwise/solver/farm"
)

// display shows how far long work has come: one goroutine reads the
// counters of a farm.Progress and draws a bar on a terminal, or writes a line
// now and then where there is none. Rate and remaining time are those of the
// last moments, not of the whole run, and leave out what an earlier run did.
type display struct {
	w        io.Writer
	terminal bool

	number int           // of the stage
	stage  farm.Snapshot // as last drawn; its Stage is "" before the first
	seen   []sample      // what was done when it changed, about the last rateWindow, oldest first
	line   time.Time     // of the last line
	bar    *progressbar.ProgressBar
	failed bool // the work ended before it was done
}

type sample struct {
	at   time.Time
	done uint64
}

const (
	rateWindow = 15 * time.Second
	// rateUnits is how many units the rate is taken over at least: slow work,
	// games for instance, has few in a window.
	rateUnits = 8
	// barColumns is what the bar itself takes of a line.
	barColumns = 34
	// lineEvery is the time between two lines where there is no terminal.
	lineEvery = 5 * time.Second
)

// Show draws a progress on w until the returned function is called with what ended
// the work, and draws its end. Calling that twice does nothing.
func Show(w io.Writer, p *farm.Progress) (stop func(error)) {
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
	if len(stages) == 0 {
		return
	}
	s := d.stage
	for len(d.seen) > 1 && now.Sub(d.seen[0].at) > rateWindow && s.Done-d.seen[1].done >= rateUnits {
		d.seen = d.seen[1:]
	}
	if d.seen[len(d.seen)-1].done != s.Done {
		d.seen = append(d.seen, sample{now, s.Done})
	}
	switch {
	case d.bar != nil:
		d.bar.Describe(clipTo(s.Stage+"  "+d.state(now), d.columns()-barColumns))
		d.bar.Set64(int64(s.Done)) // errors are the terminal's
	case !d.terminal && now.Sub(d.line) >= lineEvery:
		d.line = now
		text := d.state(now)
		if s.Total > 0 || s.Done > 0 {
			text = counted(s, s.Done) + ", " + text
		}
		fmt.Fprintf(d.w, "%s: %s\n", s.Stage, text)
	}
}

func (d *display) begin(s farm.Snapshot) {
	d.line, d.seen = s.Began, []sample{{s.Began, s.Before}}
	if s.Before > 0 {
		fmt.Fprintf(d.w, "%s: %s are there already\n", s.Stage, counted(s, s.Before))
	}
	if !d.terminal || s.Total > 0 && s.Total <= s.Before {
		return
	}
	total := int64(-1) // shows only that work goes on
	if s.Total > 0 {
		total = int64(s.Total)
	}
	d.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(d.w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)
}

// end sums the current stage up.
func (d *display) end(now time.Time) {
	s := d.stage
	if s.Stage == "" {
		return
	}
	if d.bar != nil {
		d.bar.Clear()
		d.bar = nil
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

// state is share, remaining time, rate and the note.
func (d *display) state(now time.Time) string {
	text := d.measure(now)
	if d.stage.Note != "" && text != "" {
		text += "; "
	}
	return text + d.stage.Note
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

// measure is share (where no bar shows it), remaining time and rate.
func (d *display) measure(now time.Time) string {
	s := d.stage
	var parts []string
	switch {
	case s.Total == 0:
		parts = append(parts, "for "+Duration(now.Sub(s.Began)))
	case d.bar == nil:
		parts = append(parts, fmt.Sprintf("%d %%", s.Done*100/s.Total))
	}
	first := d.seen[0]
	span := now.Sub(first.at).Seconds()
	if span < 1 || s.Done <= first.done {
		return strings.Join(parts, ", ")
	}
	rate := float64(s.Done-first.done) / span
	if s.Done < s.Total {
		left := time.Duration(float64(s.Total-s.Done) / rate * float64(time.Second))
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	switch {
	case rate >= 10:
		parts = append(parts, Amount(uint64(rate))+"/s")
	case rate >= 1:
		parts = append(parts, fmt.Sprintf("%.1f/s", rate))
	default:
		parts = append(parts, fmt.Sprintf("%.1f/min", 60*rate))
	}
	return strings.Join(parts, ", ")
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

// Rate is how many there are a second.
func Rate(n uint64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
