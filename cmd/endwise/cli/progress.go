package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"endwise/solver/farm"
)

// display shows the progress of long work. One goroutine reads the counters of a
// [farm.Progress] and draws a bar on a terminal, or writes a line every lineEvery
// otherwise. The remaining time is computed here, because the library's estimate would
// count the work of an earlier run.
type display struct {
	w        io.Writer
	terminal bool
	barOnly  bool // write no lines

	number int                      // number of the current stage, from 0
	stage  farm.Snapshot            // the current stage as last drawn; its Stage is "" before the first
	moved  time.Time                // when the count of the stage last changed
	line   time.Time                // when the last line was written
	bar    *progressbar.ProgressBar // nil without a terminal
	failed bool                     // the work ended with an error
}

const (
	lineEvery      = time.Minute // interval between lines without a terminal
	barColumns     = 30          // width of the bar and its percentage
	spinnerColumns = 3           // width of the sign that replaces it
	narrow         = 70          // width below which a terminal shows no bar
)

// BarOnly is a standard error on which progress is shown only as a bar on a terminal.
type BarOnly struct{ io.Writer }

// ShowProgress shows a progress on w until the returned function is called with the error
// of the work; that call prints the result. Further calls have no effect.
func ShowProgress(w io.Writer, p *farm.Progress) (stop func(error)) {
	d := &display{w: w}
	if b, ok := w.(BarOnly); ok {
		d.w, d.barOnly = b.Writer, true
	}
	if f, ok := d.w.(*os.File); ok {
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

// draw shows the current stage. stages begins with the stage shown before; all except the last
// have ended.
func (d *display) draw(now time.Time, stages []farm.Snapshot) {
	for i, s := range stages {
		if i > 0 {
			d.end(s.Began)
			d.number++
		}
		if d.stage.Stage == "" {
			d.begin(s)
		}
		if s.Done != d.stage.Done {
			d.moved = now
		}
		d.stage = s
	}
	if d.stage.Stage == "" {
		return
	}
	switch {
	case d.bar != nil:
		d.bar.Describe(d.fitted(now))
		_ = d.bar.Set64(int64(d.stage.Done)) // errors of the terminal
	case !d.barOnly && now.Sub(d.line) >= lineEvery:
		d.line = now
		fmt.Fprintln(d.w, progressLine(d.stage, d.moved, now, share(d.stage)))
	}
}

// begin shows the start of a stage.
func (d *display) begin(s farm.Snapshot) {
	d.line = s.Began
	if s.Before > 0 && !d.barOnly {
		fmt.Fprintf(d.w, "%s: %s were done before\n", s.Stage, counted(s, s.Before))
	}
	if !d.terminal || s.Total > 0 && s.Total <= s.Before {
		return
	}
	total := int64(-1) // a bar without an end
	if s.Total > 0 && d.columns() >= narrow {
		total = int64(s.Total)
	}
	d.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(d.w),
		progressbar.OptionSetWidth(16),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // otherwise a goroutine draws after Clear
	)
}

// end prints the result of the current stage.
func (d *display) end(now time.Time) {
	s := d.stage
	if s.Stage == "" {
		return
	}
	if d.bar != nil {
		_ = d.bar.Clear()
		d.bar = nil
	}
	took := now.Sub(s.Began)
	done := s.Done >= s.Total
	if s.Total == 0 {
		done = !d.failed
	}
	switch {
	case d.barOnly || s.Unit == "": // nothing was counted
	case done:
		fmt.Fprintf(d.w, "%s: %s %s in %s\n", s.Stage, Amount(s.Done-s.Before), unit(s.Done-s.Before, s.Unit), Duration(took))
	default:
		fmt.Fprintf(d.w, "%s: stopped at %s after %s\n", s.Stage, counted(s, s.Done), Duration(took))
	}
	d.stage = farm.Snapshot{}
}

// counted formats n units, with the total if the stage has one.
func counted(s farm.Snapshot, n uint64) string {
	if s.Total == 0 {
		return Amount(n) + " " + unit(n, s.Unit)
	}
	return fmt.Sprintf("%s of %s %s", Amount(n), Amount(s.Total), unit(s.Total, s.Unit))
}

// ProgressLine returns the count, percentage, remaining time, name and note of a stage. The
// remaining time is extrapolated from the work of this run.
func ProgressLine(s farm.Snapshot, now time.Time) string {
	return progressLine(s, now, now, share(s))
}

// share returns the percentage of a stage that is done, "" if the stage has no total.
func share(s farm.Snapshot) string {
	if s.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d %%", s.Done*100/s.Total)
}

// progressLine is [ProgressLine] with the text of the percentage, "" for none. moved is the
// time at which the last unit was done: until the next one is done the remaining time falls,
// but not by more than the average time of a unit.
func progressLine(s farm.Snapshot, moved, now time.Time, share string) string {
	took := now.Sub(s.Began)
	var parts []string
	if s.Total > 0 || s.Done > 0 {
		parts = append(parts, counted(s, s.Done))
	}
	if s.Total == 0 {
		parts = append(parts, "for "+Duration(took))
	} else if share != "" {
		parts = append(parts, share)
	}
	if s.Done > s.Before && s.Done < s.Total && took >= time.Second {
		unit := float64(moved.Sub(s.Began)) / float64(s.Done-s.Before)
		left := time.Duration(unit*float64(s.Total-s.Done)) - min(now.Sub(moved), time.Duration(unit))
		parts = append(parts, Duration(max(left, time.Second).Round(time.Second))+" left")
	}
	text := strings.Join(parts, ", ") + " (" + s.Stage + ")"
	if s.Note != "" {
		text += "; " + s.Note
	}
	return text
}

// fitted returns the text next to the bar. In a narrow terminal the percentage replaces the
// bar. If the text is too long, the name of a stage with a note is omitted, and then the end of
// the text, because a line that wraps could not be drawn over. In a terminal that is too narrow
// for clipTo, lines may wrap.
func (d *display) fitted(now time.Time) string {
	columns, percentage := d.columns(), ""
	n := columns - barColumns
	if d.stage.Total == 0 || columns < narrow {
		n, percentage = columns-spinnerColumns, share(d.stage)
	}
	line := progressLine(d.stage, d.moved, now, percentage)
	if utf8.RuneCountInString(line) > n && d.stage.Note != "" {
		line = strings.Replace(line, " ("+d.stage.Stage+")", "", 1)
	}
	return clipTo(line, n)
}

// unit returns the noun for n units, given its plural in s.
func unit(n uint64, plural string) string {
	if n != 1 {
		return plural
	}
	return strings.TrimSuffix(plural, "s")
}

// columns returns the width of the terminal.
func (d *display) columns() int {
	return cmp.Or(Columns(d.w), usualColumns)
}

// clipTo returns text if it has at most n characters, otherwise the first n-1 characters of text
// and "…". An n below 20 counts as 20.
func clipTo(text string, n int) string {
	r := []rune(text)
	if n = max(n, 20); len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}

// Amount formats a count, from 10,000 on with at most three digits, as in 9500, 12.3 k or 134 M.
func Amount(n uint64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	f, unit := float64(n)/1e3, "k"
	for _, u := range []string{"M", "G"} {
		if f >= 999.5 { // 1000 after rounding
			f, unit = f/1e3, u
		}
	}
	if f < 99.95 {
		return fmt.Sprintf("%.1f %s", f, unit)
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}

// Bytes formats a number of bytes, as in 950 B, 12.3 kB or 134 MB.
func Bytes[N int64 | uint64](n N) string {
	text := Amount(uint64(n))
	if n < 10_000 {
		text += " "
	}
	return text + "B"
}

// Duration formats a duration: below a second in milliseconds, below a minute in tenths of a
// second, above in seconds, as in 212ms, 7.7s, 3m20s or 2h.
func Duration(d time.Duration) string {
	switch tenths := d.Round(100 * time.Millisecond); {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case tenths < time.Minute:
		return tenths.String()
	}
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "0s"), "h0m")
		if !strings.HasSuffix(text, "m") {
			text += "h"
		}
	}
	return text
}
