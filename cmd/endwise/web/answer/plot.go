package answer

import (
	"fmt"
	"math"
	"strings"

	"endwise/book/analysis"
	"endwise/engine"
)

// Size of a plot, in the units of its drawing.
const (
	plotWidth, plotHeight        = 640, 200
	plotLeft, plotRight, plotTop = 52, 18, 14
	plotBottom                   = 24
)

// escaped replaces the characters that HTML reserves. Package html would add its list of all
// entities to the browser's program.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// Plot draws, as SVG, the expected final result after each move, with player 1's side up.
// The proved part is a solid line on a shaded background, the estimated part a dotted line;
// rings mark mistakes.
func (words Game) Plot(g analysis.Analysis) string {
	top := 1.0
	for _, m := range g.Margins {
		top = math.Max(top, math.Abs(m.Value))
	}
	x := func(ply int) float64 {
		return plotLeft + float64(ply)/float64(max(len(g.Moves), 1))*(plotWidth-plotLeft-plotRight)
	}
	y := func(v float64) float64 {
		return plotTop + (1-v/top)/2*(plotHeight-plotTop-plotBottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %d %d" data-left="%d" data-right="%d" role="img" aria-label="%s"><path class="cursor"/>`, plotWidth, plotHeight, plotLeft, plotWidth-plotRight,
		escaped.Replace("Expected result after each move: "+plotWords(g)))
	if g.FirstSolved > 0 {
		x0 := x(g.FirstSolved - 1)
		fmt.Fprintf(&b, `<rect class="solved" x="%.1f" y="%d" width="%.1f" height="%d"/>`, x0, plotTop, plotWidth-plotRight-x0, plotHeight-plotTop-plotBottom)
		at, anchor := x0+4, "start"
		if x0 > plotWidth-80 { // no room on the shaded part
			at, anchor = x0-4, "end"
		}
		fmt.Fprintf(&b, `<text class="note" text-anchor="%s" x="%.1f" y="%d">proved</text>`, anchor, at, plotTop+12)
	}
	labels := [3]string{fmt.Sprintf("+%.0f", top), "0", fmt.Sprintf("−%.0f", top)}
	if !words.Scored {
		sides := [2]string{"1 wins", "2 wins"}
		if s, ok := words.Rules.Game.(engine.Sided); ok {
			sides = s.SideNames()
		}
		labels = [3]string{sides[0], "tie", sides[1]}
	}
	for i, v := range []float64{top, 0, -top} {
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fH%d"/><text class="axis" x="%d" y="%.1f">%s</text>`, plotLeft, y(v), plotWidth-plotRight, plotLeft-4, y(v), labels[i])
	}
	step := 10
	for len(g.Moves)/step > 12 {
		step *= 2
	}
	for ply := step; ply <= len(g.Moves); ply += step {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%d">%d</text>`, x(ply), plotHeight-6, ply)
	}
	var guess, proved strings.Builder
	for i, m := range g.Margins {
		if m.Proof == engine.Lower || m.Proof == engine.Upper {
			// Only a bound: a triangle that points to the possible values.
			tip := -6.0
			if m.Proof == engine.Upper {
				tip = 6
			}
			fmt.Fprintf(&b, `<path class="bound" d="M%.1f %.1fl-3 0l3 %.1fl3 %.1fz"/>`, x(m.Ply), y(m.Value), tip, -tip)
			continue
		}
		w := &guess
		if m.Proof == engine.Exact {
			w = &proved
			if w.Len() == 0 && i > 0 { // join the two parts
				fmt.Fprintf(&guess, "L%.1f %.1f", x(m.Ply), y(m.Value))
			}
		}
		verb := "L"
		if w.Len() == 0 {
			verb = "M"
		}
		fmt.Fprintf(w, "%s%.1f %.1f", verb, x(m.Ply), y(m.Value))
	}
	if guess.Len() > 0 {
		fmt.Fprintf(&b, `<path class="guess" d="%s"/>`, guess.String())
	}
	if proved.Len() > 0 {
		fmt.Fprintf(&b, `<path class="proved" d="%s"/>`, proved.String())
	}
	values := map[int]float64{}
	for _, m := range g.Margins {
		values[m.Ply] = m.Value
	}
	for _, m := range g.Moves {
		v, ok := values[m.Ply]
		if m.ProvedLoss() <= 0 || !ok {
			continue
		}
		fmt.Fprintf(&b, `<circle class="mistake%d" cx="%.1f" cy="%.1f" r="4"><title>move %d: %s loses %s</title></circle>`,
			m.Player, x(m.Ply), y(v), m.Ply, escaped.Replace(m.Move), words.MistakeLoss(m.ProvedLoss(), m.Loss != nil))
	}
	b.WriteString("</svg>")
	return b.String()
}

// plotWords describes the plot in words.
func plotWords(g analysis.Analysis) string {
	if g.FirstSolved == 0 {
		return "estimates only"
	}
	return fmt.Sprintf("estimates up to move %d, proved from there on", g.FirstSolved-1)
}
