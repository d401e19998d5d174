package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"endwise/book/analysis"
	"endwise/engine"
)

// Size of a plot, in the units of its drawing.
const (
	PlotWidth                    = 420
	plotHeight                   = 140
	plotLeft, plotRight, plotTop = 8, 8, 24
	plotBottom                   = 20
	plotHalf                     = (plotHeight - plotTop - plotBottom) / 2 // from the value 0 to an edge
	boundTip                     = 6                                       // length of the triangle of a bound
	plotLeast                    = 5                                       // score difference at the upper edge, at least, unless all squares are fewer
)

// escaped replaces the characters that HTML reserves. Package html would add a large table to the
// browser's program.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// plot is a plot in progress. Its edges are the values top and -top, and the place right.
type plot struct {
	strings.Builder
	words Game
	game  analysis.Analysis
	top   float64
	right int
}

// Plot draws, as SVG, the expected final result after each move, with player 1's side up. A solid line is
// proved, a dotted one estimated; triangles mark bounds, and rings mistakes.
func (words Game) Plot(g analysis.Analysis, width int) string {
	p := plot{words: words, game: g, top: 1, right: width - plotRight}
	if words.Scored {
		p.top = float64(max(1, min(plotLeast, g.Score[0]+g.Score[1])))
	}
	for _, m := range g.Margins {
		top := math.Abs(m.Value)
		if words.Scored && (m.Proof == engine.Lower || m.Proof == engine.Upper) {
			top = math.Ceil(top * plotHalf / (plotHalf - boundTip)) // the triangle does not cross the edge
		}
		p.top = math.Max(p.top, top)
	}
	title := escaped.Replace("Expected result after each move: " + plotWords(g))
	fmt.Fprintf(&p, `<svg class="plot" viewBox="0 0 %d %d" data-left="%d" data-right="%d" role="img" aria-label="%s">`,
		width, plotHeight, plotLeft, p.right, title)
	p.WriteString(`<path class="cursor"/>`)
	p.drawLegend()
	p.drawSolved()
	p.drawAxes()
	p.drawCurve()
	p.drawMistakes()
	p.WriteString("</svg>")
	return p.String()
}

func (p *plot) x(ply int) float64 {
	return plotLeft + float64(ply)/float64(max(len(p.game.Moves), 1))*float64(p.right-plotLeft)
}

func (p *plot) y(value float64) float64 {
	return plotTop + (1-value/p.top)*plotHalf
}

// drawSolved draws the background of the solved part.
func (p *plot) drawSolved() {
	if p.game.FirstSolved == 0 {
		return
	}
	x := p.x(p.game.FirstSolved - 1)
	fmt.Fprintf(p, `<rect class="solved" x="%.1f" y="%d" width="%.1f" height="%d"/>`,
		x, plotTop, float64(p.right)-x, plotHeight-plotTop-plotBottom)
}

// drawLegend explains what occurs in the plot.
func (p *plot) drawLegend() {
	x := plotLeft
	entry := func(drawing string, width int, text string) {
		fmt.Fprintf(p, `<g transform="translate(%d %d)">%s<text x="%d">%s</text></g>`, x, plotTop-9, drawing, width, text)
		x += width + 7*len(text) + 10
	}
	for _, e := range []struct {
		proof         engine.Proof
		drawing, text string
	}{
		{engine.Estimate, `<path class="guess" d="M0 -4h16"/>`, "estimate"}, {engine.Exact, `<path class="proved" d="M0 -4h16"/>`, "proved"},
		{engine.Lower, `<path class="bound" d="M5 -1h6l-3 -6z"/>`, "at least"}, {engine.Upper, `<path class="bound" d="M5 -7h6l-3 6z"/>`, "at most"},
	} {
		if slices.ContainsFunc(p.game.Margins, func(m analysis.Margin) bool { return m.Proof == e.proof }) {
			entry(e.drawing, 21, e.text)
		}
	}
	if slices.ContainsFunc(p.game.Moves, func(m analysis.Move) bool { return m.ProvedLoss() > 0 }) {
		entry(`<circle class="mistake1" cx="5" cy="-4" r="4"/><circle class="mistake2" cx="18" cy="-4" r="4"/>`, 27, "mistake")
	}
}

// drawAxes draws lines at the edges and at 0, and the numbers of some moves.
func (p *plot) drawAxes() {
	for i, v := range []float64{p.top, -p.top, 0} {
		fmt.Fprintf(p, `<path class="grid" d="M%d %.1fH%d"/>`, plotLeft, p.y(v), p.right)
		if v == 0 {
			continue
		}
		y := p.y(v) + 14
		if v < 0 {
			y = p.y(v) - 5
		}
		fmt.Fprintf(p, `<text class="who%d" x="%d" y="%.1f">%s</text>`, i+1, plotLeft+3, y, escaped.Replace(p.edgeLabel(i)))
	}
	step := 10
	for len(p.game.Moves)/step > 12 {
		step *= 2
	}
	for ply := step; ply <= len(p.game.Moves); ply += step {
		fmt.Fprintf(p, `<text class="tick" x="%.1f" y="%d">%d</text>`, p.x(ply), plotHeight-6, ply)
	}
}

// edgeLabel returns the result at the upper edge for player 0, or at the lower one for player 1.
func (p *plot) edgeLabel(i int) string {
	name := []rune(p.game.Players[i].Name)
	if side := engine.Side(i + 1).String(); string(name) == side {
		name = []rune("P" + side[1:])
	}
	if len(name) > 24 {
		name = append(name[:23], '…')
	}
	if !p.words.Scored {
		return string(name) + " wins"
	}
	return fmt.Sprintf("%s +%.0f", string(name), p.top)
}

// smoothed returns the margins with means of successive estimates, because estimates that depend on the
// side to move would show as a zigzag.
func (p *plot) smoothed() []analysis.Margin {
	out := slices.Clone(p.game.Margins)
	for i, m := range p.game.Margins {
		sum, n := 2*m.Value, 2.0
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(out) && p.game.Margins[j].Proof == engine.Estimate {
				sum, n = sum+p.game.Margins[j].Value, n+1
			}
		}
		if m.Proof == engine.Estimate {
			if n == 3 { // at an end both positions count the same
				sum, n = sum-m.Value, 2
			}
			out[i].Value = sum / n
		}
	}
	return out
}

// drawCurve draws the estimates as one line and the exact values as another, and bounds as triangles. A line
// of estimates begins and ends at an exact value next to it.
func (p *plot) drawCurve() {
	var estimated, proved strings.Builder
	point := func(line *strings.Builder, verb string, m analysis.Margin) {
		fmt.Fprintf(line, "%s%.1f %.1f", verb, p.x(m.Ply), p.y(m.Value))
	}
	last := analysis.Margin{Ply: -1} // the last value that is not a bound
	for _, m := range p.smoothed() {
		switch m.Proof {
		case engine.Lower:
			p.drawBound(m, -boundTip)
			continue
		case engine.Upper:
			p.drawBound(m, boundTip)
			continue
		case engine.Exact:
			if last.Proof == engine.Exact && last.Ply == m.Ply-1 {
				point(&proved, "L", m)
				break
			}
			if last.Ply >= 0 && last.Proof != engine.Exact {
				point(&estimated, "L", m)
			}
			point(&proved, "M", m)
			proved.WriteString("h0") // a dot if no exact value follows
		default:
			if last.Ply < 0 {
				point(&estimated, "M", m)
				break
			}
			if last.Proof == engine.Exact {
				point(&estimated, "M", last)
			}
			point(&estimated, "L", m)
		}
		last = m
	}
	for _, line := range []struct{ class, path string }{{"guess", estimated.String()}, {"proved", proved.String()}} {
		if line.path != "" {
			fmt.Fprintf(p, `<path class="%s" d="%s"/>`, line.class, line.path)
		}
	}
}

// drawBound draws a triangle with its base at the value and its tip the given number of units below it.
func (p *plot) drawBound(m analysis.Margin, tip float64) {
	fmt.Fprintf(p, `<path class="bound" d="M%.1f %.1fl-3 0l3 %.1fl3 %.1fz"/>`, p.x(m.Ply), p.y(m.Value), tip, -tip)
}

// drawMistakes draws a ring at each move with a proved loss whose value is known.
func (p *plot) drawMistakes() {
	values := map[int]float64{}
	for _, m := range p.game.Margins {
		values[m.Ply] = m.Value
	}
	for _, m := range p.game.Moves {
		v, ok := values[m.Ply]
		if m.ProvedLoss() <= 0 || !ok {
			continue
		}
		loss := p.words.MistakeLoss(m.ProvedLoss(), m.Loss != nil)
		fmt.Fprintf(p, `<circle class="mistake%d" cx="%.1f" cy="%.1f" r="4">`, m.Player, p.x(m.Ply), p.y(v))
		fmt.Fprintf(p, `<title>move %d: %s loses %s</title></circle>`, m.Ply, escaped.Replace(m.Move), loss)
	}
}

func plotWords(g analysis.Analysis) string {
	if g.FirstSolved == 0 {
		return "estimates only"
	}
	return fmt.Sprintf("estimates up to move %d, proved from there on", g.FirstSolved-1)
}
