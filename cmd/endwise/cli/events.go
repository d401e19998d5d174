package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"endwise/engine"
)

// EventsUsage is the usage of the flag --json of bots.
const EventsUsage = JsonUsage + "; one line per event, on standard error"

// Events returns a logger to standard error. It writes sentences without the attributes in groups, or
// with asJSON one object per event. verbose or asJSON adds events below [slog.LevelInfo].
func (a *App) Events(verbose, asJSON bool) *slog.Logger {
	o := slog.HandlerOptions{Level: slog.LevelInfo}
	if verbose || asJSON {
		o.Level = slog.LevelDebug
	}
	if asJSON {
		return slog.New(slog.NewJSONHandler(a.Stderr, &o))
	}
	return slog.New(sentences{out: a.Stderr, level: o.Level})
}

// sentences is a [slog.Handler] that writes "message: cause, key value", after "endwise: " for warnings.
type sentences struct {
	out   io.Writer
	level slog.Leveler
	with  []slog.Attr
}

func (h sentences) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

func (h sentences) WithGroup(string) slog.Handler { return h }

func (h sentences) WithAttrs(more []slog.Attr) slog.Handler {
	h.with = append(h.with[:len(h.with):len(h.with)], more...)
	return h
}

func (h sentences) Handle(_ context.Context, r slog.Record) error {
	text, separator := r.Message, ": "
	if r.Level >= slog.LevelWarn {
		text = "endwise: " + text
	}
	add := func(a slog.Attr) bool {
		switch {
		case a.Value.Kind() == slog.KindGroup:
			return true
		case a.Key == "cause" || a.Key == "why" || a.Key == "store": // the value needs no name
			text += separator + a.Value.String()
		default:
			text += separator + a.Key + " " + a.Value.String()
		}
		separator = ", "
		return true
	}
	for _, a := range h.with {
		add(a)
	}
	r.Attrs(add)
	_, err := fmt.Fprintln(h.out, engine.OneLine(text, 500))
	return err
}

// LogMove logs the nth move of a game, which a bot has chosen in p; took is the time for the choice.
func LogMove(log *slog.Logger, level slog.Level, p engine.Position, n int, d engine.Decision, took time.Duration) {
	log.Log(context.Background(), level, fmt.Sprintf("move %d: %s (%s, %s)", n, d.Move, expected(p, d), Seconds(took)),
		slog.Group("move", "n", n, "move", d.Move, "score", d.Score, "proof", d.Proof.String(), "source", d.Source,
			"depth", d.Depth, "nodes", d.Nodes, "ms", took.Milliseconds()))
}

// Seconds formats a duration in tenths of a second: "2.5 s".
func Seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// expected describes the final result that a decision expects for the side to move.
func expected(p engine.Position, d engine.Decision) string {
	if _, ok := p.(worder); ok {
		return Worth(Game{}, p, d)
	}
	if d.Source == engine.Fallback {
		return "chosen without search"
	}
	if strings.HasPrefix(d.Source, "level") { // its score need not be that of the end
		return d.Source
	}
	lead := engine.Lead(p, p.Turn()) + d.Score
	result := func(bound string) string {
		switch {
		case lead > 0:
			return fmt.Sprintf("win by %s%d", bound, lead)
		case lead < 0:
			return fmt.Sprintf("loss by %s%d", bound, -lead)
		case bound != "":
			return bound + "a tie"
		}
		return "tie"
	}
	// An upper bound of a lead is a lower bound of a deficit.
	greater, smaller := "at least ", "at most "
	if lead < 0 {
		greater, smaller = smaller, greater
	}
	switch d.Proof {
	case engine.Lower:
		return "proved " + result(greater)
	case engine.Upper:
		return "proved " + result(smaller)
	case engine.Exact:
		return "proved " + result("")
	}
	return "estimated " + result("")
}
