package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"endwise/solver/farm"
)

// display shows the progress of long work.
type display struct {
	w        io.Writer
	terminal bool
	barOnly  bool

	number int                      // number of the current stage, from 0
	stage  farm.Snapshot            // the current stage as last drawn; its Stage is "" before the first
	moved  time.Time                // when the count of the stage last changed
	line   time.Time                // when the last line was written
	bar    *progressbar.ProgressBar // nil if none is drawn
	failed bool
}

const (
	lineEvery      = time.Minute // interval between lines without a terminal
	barColumns     = 30          // width of the bar and its percentage
	spinnerColumns = 3           // width of the sign that replaces it
	narrow         = 70          // width below which a terminal shows no bar
)

// BarOnly is a writer on which [ShowProgress] shows only a bar, and no lines.
type BarOnly struct{ io.Writer }

// ShowProgress shows a progress on w until stop is called with the error of the work. Further calls of
// stop have no effect.
func ShowProgress(w io.Writer, p *farm.Progress) (stop func(error)) {
	d := &display{w: w}
	if b, ok := w.(BarOnly); ok {
		d.w, d.barOnly = b.Writer, true
	}
	d.terminal = IsTerminal(d.w)
	stopDrawing := farm.Follow(func() { d.draw(time.Now(), p.Stages(d.number)) })
	var once sync.Once
	return func(err error) {
		once.Do(func() {
			stopDrawing()
			d.failed = err != nil
			d.endStage(time.Now())
		})
	}
}

// draw shows the current stage. stages begins with the stage shown before; all except the last have ended.
func (d *display) draw(now time.Time, stages []farm.Snapshot) {
	for i, s := range stages {
		if i > 0 {
			d.endStage(s.Began)
			d.number++
		}
		if d.stage.Stage == "" {
			d.beginStage(s)
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
		_ = d.bar.Set64(int64(d.stage.Done))
	case !d.barOnly && now.Sub(d.line) >= lineEvery:
		d.line = now
		fmt.Fprintln(d.w, progressLine(d.stage, d.moved, now, true))
	}
}

// beginStage writes a line about the units done before and, on a terminal, opens a bar.
func (d *display) beginStage(s farm.Snapshot) {
	d.line = s.Began
	if s.Before > 0 && !d.barOnly {
		fmt.Fprintf(d.w, "%s: %s were done before\n", s.Stage, counted(s, s.Before))
	}
	if !d.terminal || s.Total > 0 && s.Total <= s.Before {
		return
	}
	total := int64(-1)
	if s.Total > 0 && !s.About && d.columns() >= narrow {
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

// endStage removes the bar and writes the result of the current stage, if there is one.
func (d *display) endStage(now time.Time) {
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
	if s.Total == 0 || s.About {
		done = !d.failed
	}
	switch {
	case d.barOnly || s.Unit == "":
	case done && (s.Total == 0 || s.About) && s.Done == s.Before: // work that is not counted
		fmt.Fprintf(d.w, "%s: done in %s\n", s.Stage, Duration(took))
	case done:
		fmt.Fprintf(d.w, "%s: %s %s in %s\n", s.Stage, Amount(s.Done-s.Before), unit(s.Done-s.Before, s.Unit), Duration(took))
	default:
		fmt.Fprintf(d.w, "%s: stopped at %s after %s\n", s.Stage, counted(s, s.Done), Duration(took))
	}
	d.stage = farm.Snapshot{}
}

// counted formats n units of the stage s, with the total unless it is unknown or was estimated too low.
func counted(s farm.Snapshot, n uint64) string {
	switch {
	case s.Total == 0 || s.About && s.Done >= s.Total:
		return Amount(n) + " " + unit(n, s.Unit)
	case s.About:
		return fmt.Sprintf("%s of about %s %s", Amount(n), Amount(s.Total), unit(s.Total, s.Unit))
	}
	return fmt.Sprintf("%s of %s %s", Amount(n), Amount(s.Total), unit(s.Total, s.Unit))
}

// ProgressLine returns the count, percentage, remaining time, name and note of a stage.
func ProgressLine(s farm.Snapshot, now time.Time) string {
	return progressLine(s, now, now, true)
}

// progressLine is [ProgressLine] with or without the percentage. moved is the time at which the last unit
// was done. From then on the remaining time falls, but by at most the average time of a unit.
func progressLine(s farm.Snapshot, moved, now time.Time, percentage bool) string {
	took := now.Sub(s.Began)
	var parts []string
	if s.Total > 0 && !s.About || s.Done > 0 {
		parts = append(parts, counted(s, s.Done))
	}
	if s.Total == 0 || s.About && (s.Done == 0 || s.Done >= s.Total) {
		parts = append(parts, "for "+Duration(took))
	} else if percentage {
		parts = append(parts, fmt.Sprintf("%d %%", s.Done*100/s.Total))
	}
	tooEarly := s.About && s.Done < s.Total/1000 // the first units of a search are slow
	if s.Done > s.Before && s.Done < s.Total && took >= time.Second && !tooEarly {
		perUnit := float64(moved.Sub(s.Began)) / float64(s.Done-s.Before)
		left := time.Duration(min(perUnit*float64(s.Total-s.Done), 1e18)) - min(now.Sub(moved), time.Duration(perUnit))
		parts = append(parts, Duration(max(left, time.Second).Round(time.Second))+" left")
	}
	text := strings.Join(parts, ", ") + " (" + s.Stage + ")"
	if s.Note != "" {
		text += "; " + s.Note
	}
	return text
}

// fitted returns the text next to the bar, shortened if the terminal is narrow.
func (d *display) fitted(now time.Time) string {
	n, noBar := d.columns()-barColumns, d.stage.Total == 0 || d.stage.About || d.columns() < narrow
	if noBar {
		n = d.columns() - spinnerColumns
	}
	line := progressLine(d.stage, d.moved, now, noBar)
	if utf8.RuneCountInString(line) > n && d.stage.Note != "" {
		line = strings.Replace(line, " ("+d.stage.Stage+")", "", 1)
	}
	return clipTo(line, n)
}

// unit returns plural, or for an n of 1 the singular.
func unit(n uint64, plural string) string {
	if n != 1 {
		return plural
	}
	return strings.TrimSuffix(plural, "s")
}

func (d *display) columns() int {
	return cmp.Or(Columns(d.w), usualColumns)
}

// clipTo returns text or, if it has more than n characters, at least 20, its first n-1 and "…".
func clipTo(text string, n int) string {
	r := []rune(text)
	if n = max(n, 20); len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}

// Amount formats a count, as in 9500, 12.3 k or 134 M.
func Amount(n uint64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	f, prefix := float64(n)/1e3, "k"
	for _, greater := range []string{"M", "G"} {
		if f >= 999.5 { // 1000 after rounding
			f, prefix = f/1e3, greater
		}
	}
	if f < 99.95 { // below 100 after rounding
		return fmt.Sprintf("%.1f %s", f, prefix)
	}
	return fmt.Sprintf("%.0f %s", f, prefix)
}

// Bytes formats a number of bytes, as in 950 B, 12.3 kB or 134 MB.
func Bytes[N int64 | uint64](n N) string {
	text := Amount(uint64(n))
	if n < 10_000 {
		text += " "
	}
	return text + "B"
}

// Duration formats a duration, as in 212ms, 7.7s, 3m20s or 2h.
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
