package arena

import (
	"fmt"
	"io"
	"math"
	"strings"
)

type Report struct {
	Game        string          `json:"game"`
	Board       string          `json:"board"`
	Unit        string          `json:"unit"`    // of scores, for instance "squares"
	TimeMS      int64           `json:"time_ms"` // limit of a move, 0 for none
	Players     []PlayerReport  `json:"players"`
	Pairings    []PairingReport `json:"pairings"`
	Faults      []string        `json:"faults"` // about forfeited and stopped games
	Interrupted bool            `json:"interrupted"`
	Digest      string          `json:"digest"`
}

type PlayerReport struct {
	Name     string  `json:"name"`
	Spec     string  `json:"spec"`
	Games    int     `json:"games"`
	Wins     int     `json:"wins"`
	Ties     int     `json:"ties"`
	Losses   int     `json:"losses"`
	Forfeits int     `json:"forfeits"`
	Moves    int     `json:"moves"`
	MeanMS   float64 `json:"mean_ms"` // per move
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
	// AsFirst and AsSecond are wins, ties and losses when A moved first and second.
	AsFirst  Counts `json:"as_first"`
	AsSecond Counts `json:"as_second"`
	// Pairs counts complete pairs by half points.
	Pairs Pairs   `json:"pairs"`
	Score float64 `json:"score"` // mean over complete pairs, 0 to 1
	Elo   Bars    `json:"elo"`
	// Difference is the mean score difference of a game.
	Difference Bars        `json:"margin"`
	SPRT       *SPRTReport `json:"sprt,omitempty"`
}

// SPRTReport is the state of a sequential test.
type SPRTReport struct {
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	Pairs   int     `json:"pairs"`
	LLR     float64 `json:"llr"`
	Lower   float64 `json:"lower"` // the LLR at which the test accepts Elo0
	Upper   float64 `json:"upper"` // the LLR at which the test accepts Elo1
	Verdict Verdict `json:"verdict"`
}

// Bars is an Interval in JSON, in which infinity is null.
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

// Report summarises the pairings of a run. interrupted reports whether the run ended with an error.
func (m *Match) Report(pairings []*Pairing, interrupted bool) Report {
	results := Results(pairings)
	rep := Report{
		Game: m.Config.First.Game(), Board: m.Config.Board, Unit: m.Config.Rules.Unit, TimeMS: m.Config.Time.Milliseconds(),
		Players: []PlayerReport{}, Pairings: []PairingReport{}, Faults: Faults(results),
		Interrupted: interrupted, Digest: Digest(results),
	}
	for _, p := range m.Participants {
		rep.Players = append(rep.Players, p.report(pairings))
	}
	for _, p := range pairings {
		rep.Pairings = append(rep.Pairings, p.report())
	}
	return rep
}

// report adds up the results of p in its pairings.
func (p Participant) report(pairings []*Pairing) PlayerReport {
	rep := PlayerReport{Name: p.Name, Spec: p.Spec}
	var use TimeUse
	for _, pairing := range pairings {
		player, games := 0, pairing.Tally.All()
		switch p.Name {
		case pairing.A.Name:
		case pairing.B.Name: // the tally is from A's view
			player, games[0], games[2] = 1, games[2], games[0]
		default:
			continue
		}
		rep.Games += games.Games()
		rep.Wins += games[0]
		rep.Ties += games[1]
		rep.Losses += games[2]
		rep.Forfeits += pairing.Tally.Forfeits[player]
		use.Merge(pairing.Tally.Time[player])
	}
	rep.Moves, rep.MeanMS, rep.MaxMS = use.Moves, use.MeanMS(), use.MaxMS
	return rep
}

func (p *Pairing) report() PairingReport {
	t, games := &p.Tally, p.Tally.All()
	rep := PairingReport{
		A: p.A.Name, B: p.B.Name, Games: games.Games(),
		Wins: games[0], Ties: games[1], Losses: games[2],
		AsFirst: t.BySide[0], AsSecond: t.BySide[1],
		Pairs: t.Pairs, Score: t.Pairs.Score(), Elo: barsOf(t.Pairs.Elo()), Difference: barsOf(t.Difference()),
	}
	if p.sprt != nil {
		rep.SPRT = &SPRTReport{
			Elo0: p.sprt.Elo0, Elo1: p.sprt.Elo1, Pairs: p.tested.N(), LLR: p.sprt.LLR(p.tested),
			Lower: -sprtBound, Upper: sprtBound, Verdict: p.Verdict,
		}
	}
	return rep
}

// pairPoints is indexed by half points.
var pairPoints = [...]string{"0 points", "½ point", "1 point", "1½ points", "2 points"}

func (p PairingReport) text(d *Document, unit string) {
	counts := Counts{p.Wins, p.Ties, p.Losses}
	d.WriteString("\n")
	d.Line("", fmt.Sprintf("%s against %s: %s, %s", Bold(p.A), Bold(p.B), Count(p.Games, "game"), Bold(counts.String())))
	d.Line("  ", fmt.Sprintf("moving first: %s; moving second: %s", p.AsFirst, p.AsSecond))
	if p.Pairs.N() > 0 {
		d.Line("  ", fmt.Sprintf("score %.1f %%, %s", 100*p.Score, p.Pairs.Text()))
		difference := fmt.Sprintf("score difference %+.2f", *p.Difference.Value)
		if p.Difference.High != nil {
			difference += fmt.Sprintf(" ± %.2f", *p.Difference.High-*p.Difference.Value)
		}
		d.Line("  ", difference+" "+unit+" per game")
		var points []string
		for half, n := range p.Pairs {
			if n > 0 {
				points = append(points, fmt.Sprintf("%d with %s", n, pairPoints[half]))
			}
		}
		d.Line("  ", "pairs of games: "+strings.Join(points, ", "))
	}
	if s := p.SPRT; s != nil {
		d.Line("  ", fmt.Sprintf("SPRT of Elo %g against %g: LLR %.2f (%.2f to %.2f) after %s: %s",
			s.Elo0, s.Elo1, s.LLR, s.Lower, s.Upper, Count(s.Pairs, "pair"), s.words()))
	}
}

func (s SPRTReport) words() string {
	switch s.Verdict {
	case AcceptH0:
		return fmt.Sprintf("H0, not stronger than %g", s.Elo0)
	case AcceptH1:
		return fmt.Sprintf("H1, stronger by at least %g", s.Elo1)
	}
	return string(s.Verdict)
}

func (rep Report) playersTable() Table {
	t := Table{Head: []string{"player", "games", "won", "tied", "lost", "forfeits", "moves", "mean move", "longest move"}, Left: 1}
	for _, p := range rep.Players {
		mean, longest := fmt.Sprintf("%.1f ms", p.MeanMS), fmt.Sprintf("%.1f ms", p.MaxMS)
		t.Add(p.Name, p.Games, p.Wins, p.Ties, p.Losses, p.Forfeits, p.Moves, mean, longest)
	}
	return t
}

// WriteText writes the report for a terminal with the given number of columns, 0 for no limit.
// color turns on bold text.
func (rep Report) WriteText(w io.Writer, color bool, columns int) error {
	d := NewText(color, columns)
	title := Heading(rep.Game, rep.Board, rep.TimeMS)
	if rep.Interrupted {
		title += ", interrupted"
	}
	d.Title(title)
	for _, p := range rep.Pairings {
		p.text(d, rep.Unit)
	}
	d.WriteString("\n")
	d.Table(rep.playersTable())
	d.Faults(rep.Faults)
	return d.Print(w)
}

// Count returns a number with its noun, for instance "1 game" or "2 games".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
