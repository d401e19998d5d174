package arena

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// maxFaultLines is how many games lost by rule or stopped a report in text
// lists.
const maxFaultLines = 20

// MatchReport is a run of matches in numbers, for people and for programs.
type MatchReport struct {
	Game        string          `json:"game"`
	Board       string          `json:"board"`
	TimeMS      int64           `json:"time_ms"` // limit of a move, 0 for none
	Players     []PlayerReport  `json:"players"`
	Pairings    []PairingReport `json:"pairings"`
	Faults      []string        `json:"faults"` // one sentence a game lost by rule or stopped
	Interrupted bool            `json:"interrupted"`
	Digest      string          `json:"digest"`
}

// PlayerReport is a player's total over all its games.
type PlayerReport struct {
	Name     string  `json:"name"`
	Spec     string  `json:"spec"`
	Games    int     `json:"games"`
	Wins     int     `json:"wins"`
	Ties     int     `json:"ties"`
	Losses   int     `json:"losses"`
	Forfeits int     `json:"forfeits"` // games lost by rule
	Moves    int     `json:"moves"`
	MeanMS   float64 `json:"mean_ms"` // of a move
	MaxMS    float64 `json:"max_ms"`
}

// PairingReport is one match from player A's view.
type PairingReport struct {
	A      string `json:"a"`
	B      string `json:"b"`
	Games  int    `json:"games"`
	Wins   int    `json:"wins"`
	Ties   int    `json:"ties"`
	Losses int    `json:"losses"`
	// AsFirst and AsSecond are wins, ties and losses by who moved first.
	AsFirst  [3]int `json:"as_first"`
	AsSecond [3]int `json:"as_second"`
	// Pairs counts complete pairs by half points, as in Pairs.
	Pairs Pairs   `json:"pairs"`
	Score float64 `json:"score"` // mean of complete pairs, 0 to 1
	Elo   Bars    `json:"elo"`
	// Margin is the score difference of a game.
	Margin Bars        `json:"margin"`
	SPRT   *SPRTReport `json:"sprt,omitempty"`
}

// SPRTReport is how a sequential test stands.
type SPRTReport struct {
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	Pairs   int     `json:"pairs"` // that the test has looked at
	LLR     float64 `json:"llr"`
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Verdict Verdict `json:"verdict"`
}

// Bars is an Interval in JSON, where infinity is null.
type Bars struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

func barsOf(i Interval) Bars {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return Bars{finite(i.Value), finite(i.Low), finite(i.High)}
}

// Report sums up the pairings of a match.
func (m *Match) Report(pairings []*Pairing, interrupted bool) MatchReport {
	results := Results(pairings)
	rep := MatchReport{
		Game: m.Hall.First.Game(), Board: m.Hall.Board, TimeMS: m.Hall.Time.Milliseconds(),
		Players: []PlayerReport{}, Pairings: []PairingReport{}, Faults: faultLines(results),
		Interrupted: interrupted, Digest: Digest(results),
	}
	for _, e := range m.Entrants {
		p := PlayerReport{Name: e.Name, Spec: e.Spec}
		var use TimeUse
		for _, q := range pairings {
			t := &q.Tally
			wins, ties, losses := sum(t.Wins), sum(t.Ties), sum(t.Losses)
			side := 0
			switch e.Name {
			case q.A.Name:
			case q.B.Name:
				side, wins, losses = 1, losses, wins
			default:
				continue
			}
			p.Games += t.Games()
			p.Wins, p.Ties, p.Losses = p.Wins+wins, p.Ties+ties, p.Losses+losses
			p.Forfeits += t.Forfeits[side]
			use.merge(t.Time[side])
		}
		p.Moves, p.MeanMS, p.MaxMS = use.Moves, use.MeanMS(), use.MaxMS
		rep.Players = append(rep.Players, p)
	}
	for _, q := range pairings {
		t := &q.Tally
		p := PairingReport{
			A: q.A.Name, B: q.B.Name, Games: t.Games(),
			Wins: sum(t.Wins), Ties: sum(t.Ties), Losses: sum(t.Losses),
			AsFirst:  [3]int{t.Wins[0], t.Ties[0], t.Losses[0]},
			AsSecond: [3]int{t.Wins[1], t.Ties[1], t.Losses[1]},
			Pairs:    t.Pairs, Score: t.Pairs.Score(), Elo: barsOf(t.Pairs.Elo()), Margin: barsOf(t.Margin()),
		}
		if m.SPRT != nil {
			p.SPRT = &SPRTReport{m.SPRT.Elo0, m.SPRT.Elo1, q.tested.N(), m.SPRT.LLR(q.tested), -bound, bound, q.Verdict}
		}
		rep.Pairings = append(rep.Pairings, p)
	}
	return rep
}

func sum(n [2]int) int { return n[0] + n[1] }

// wtl writes wins, ties and losses.
func wtl(w, t, l int) string { return fmt.Sprintf("+%d =%d -%d", w, t, l) }

// EloText writes an Elo difference with its 95 % error bars; where every game
// went the same way only one end is known.
func EloText(p Pairs) string {
	e := p.Elo()
	low, high := math.IsInf(e.Low, -1), math.IsInf(e.High, 1)
	switch {
	case p.N() == 0:
		return "Elo unknown, no pair is complete"
	case math.IsInf(e.Value, 1) && e.Low <= 0:
		return "Elo unknown, every pair won but they are too few"
	case math.IsInf(e.Value, -1) && e.High >= 0:
		return "Elo unknown, every pair lost but they are too few"
	case math.IsInf(e.Value, 1):
		return fmt.Sprintf("Elo above %+.1f (95 %%), every pair won", e.Low)
	case math.IsInf(e.Value, -1):
		return fmt.Sprintf("Elo below %+.1f (95 %%), every pair lost", e.High)
	case low && high:
		return fmt.Sprintf("Elo %+.1f, with no bounds at 95 %% yet", e.Value)
	case low:
		return fmt.Sprintf("Elo %+.1f, at most %+.1f (95 %%)", e.Value, e.High)
	case high:
		return fmt.Sprintf("Elo %+.1f, at least %+.1f (95 %%)", e.Value, e.Low)
	}
	return fmt.Sprintf("Elo %+.1f ± %.1f (95 %%: %+.1f to %+.1f)", e.Value, e.Error(), e.Low, e.High)
}

// text writes the pairing for a terminal.
func (p PairingReport) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s against %s: %d games, %s\n", bold(p.A), bold(p.B), p.Games, bold(wtl(p.Wins, p.Ties, p.Losses)))
	fmt.Fprintf(b, "  moving first %s, moving second %s\n",
		wtl(p.AsFirst[0], p.AsFirst[1], p.AsFirst[2]), wtl(p.AsSecond[0], p.AsSecond[1], p.AsSecond[2]))
	n := p.Pairs.N()
	if n > 0 {
		fmt.Fprintf(b, "  score %.1f %%, %s\n", 100*p.Score, EloText(p.Pairs))
		fmt.Fprintf(b, "  score difference %+.2f", *p.Margin.Value)
		if p.Margin.High != nil {
			fmt.Fprintf(b, " ± %.2f", *p.Margin.High-*p.Margin.Value)
		}
		fmt.Fprintf(b, " a game\n  %s with 0, ½, 1, 1½, 2 points: %d %d %d %d %d\n", pairs(n), p.Pairs[0], p.Pairs[1], p.Pairs[2], p.Pairs[3], p.Pairs[4])
	}
	if s := p.SPRT; s != nil {
		fmt.Fprintf(b, "  SPRT of Elo %g against %g: LLR %.2f (%.2f to %.2f) after %s: %s\n", s.Elo0, s.Elo1, s.LLR, s.Lower, s.Upper, pairs(s.Pairs), s.words())
	}
}

// pairs says how many pairs of games there are.
func pairs(n int) string {
	if n == 1 {
		return "1 pair"
	}
	return fmt.Sprintf("%d pairs", n)
}

// words says what the verdict means.
func (s SPRTReport) words() string {
	switch s.Verdict {
	case AcceptH0:
		return fmt.Sprintf("H0, not stronger than %g", s.Elo0)
	case AcceptH1:
		return fmt.Sprintf("H1, stronger by at least %g", s.Elo1)
	}
	return string(s.Verdict)
}

// playedTitle says which game is played on which board with which time.
func playedTitle(game, board string, timeMS int64) string {
	s := game
	if board != "" {
		s += " " + board
	}
	if timeMS > 0 {
		s += fmt.Sprintf(", %v a move", time.Duration(timeMS)*time.Millisecond)
	}
	return s
}

// playersLayout is the table of the players' totals.
func (rep MatchReport) playersLayout() layout {
	l := layout{head: []string{"player", "games", "won", "tied", "lost", "by rule", "moves", "mean", "max"}, left: 1}
	for _, p := range rep.Players {
		l.rows = append(l.rows, []string{p.Name, fmt.Sprint(p.Games), fmt.Sprint(p.Wins), fmt.Sprint(p.Ties), fmt.Sprint(p.Losses),
			fmt.Sprint(p.Forfeits), fmt.Sprint(p.Moves), fmt.Sprintf("%.1f ms", p.MeanMS), fmt.Sprintf("%.1f ms", p.MaxMS)})
	}
	return l
}

// WriteText writes the report for a terminal.
func (rep MatchReport) WriteText(w io.Writer, color bool) error {
	d := newText(color)
	title := playedTitle(rep.Game, rep.Board, rep.TimeMS)
	if rep.Interrupted {
		title += ", interrupted"
	}
	d.title(title)
	for _, p := range rep.Pairings {
		p.text(&d.Builder)
	}
	d.WriteString("\n")
	d.table(rep.playersLayout())
	if n := len(rep.Faults); n > 0 {
		d.section(faultsTitle)
		d.list(rep.Faults[:min(n, maxFaultLines)])
		if n > maxFaultLines {
			fmt.Fprintf(d, "and %d more\n", n-maxFaultLines)
		}
	}
	return d.write(w)
}
