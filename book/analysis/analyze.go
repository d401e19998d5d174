package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"endwise/book"
	"endwise/book/why"
	"endwise/engine"
)

// Limits configure the time of an analysis.
type Limits struct {
	// Solve is the time for solving a position on an idle machine. On a busy machine it may take up to
	// eight times as long.
	Solve time.Duration
	// Estimate is the time for estimating a position.
	Estimate time.Duration
	// Unsolved is the number of successive positions without a proved value after which all earlier
	// positions are only estimated; at least 1.
	Unsolved int
	// Worst is the maximum number of mistakes in Analysis.Worst.
	Worst int
}

// DefaultLimits are the limits of the analyze command.
var DefaultLimits = Limits{Solve: time.Second, Estimate: 30 * time.Millisecond, Unsolved: 2, Worst: 5}

// Decider is implemented by [book.Lookup].
type Decider interface {
	Decide(ctx context.Context, q book.Question) (engine.Decision, error)
}

// Step is the progress of an analysis: Done of Total positions are evaluated.
type Step struct{ Done, Total int }

// Analyze analyses the recorded game r with a lookup; rules are those of its game. report, if not nil,
// is called after each position, in the same goroutine. Analyze returns errors of the lookup and of ctx.
func Analyze(
	ctx context.Context, rules Rules, r Record, lookup Decider, lim Limits, report func(Step),
) (Analysis, error) {
	a := &analyst{rules: rules, record: r, lookup: lookup, limits: lim, load: newLoad()}
	return a.analyze(ctx, report)
}

// analyze implements [Analyze].
func (a *analyst) analyze(ctx context.Context, report func(Step)) (Analysis, error) {
	start := time.Now()
	r := a.record
	a.values = make([]evaluation, len(r.Positions))
	a.limits.Unsolved = max(a.limits.Unsolved, 1)
	for i := len(r.Positions) - 1; i >= 0; i-- {
		if err := a.evaluate(ctx, i); err != nil {
			return Analysis{}, err
		}
		if report != nil {
			report(Step{len(r.Positions) - i, len(r.Positions)})
		}
	}
	a.clipEstimates()
	out, err := a.assemble(ctx)
	if err != nil {
		return Analysis{}, err
	}
	out.Nodes = a.nodes
	out.ElapsedMS = float64(time.Since(start).Microseconds()) / 1000
	return out, nil
}

type analyst struct {
	rules    Rules
	record   Record
	lookup   Decider
	load     load
	limits   Limits
	values   []evaluation // of record.Positions
	unsolved int          // number of successive positions, up to the last one evaluated, without a proved value
	nodes    uint64
}

// assemble returns the analysis that follows from a.values. It calls the lookup to explain mistakes.
func (a *analyst) assemble(ctx context.Context) (Analysis, error) {
	r := a.record
	out := Analysis{
		Game: a.rules.Name(), Name: r.Name, Winner: int(r.Winner), Score: r.Score, Fault: r.Fault,
		Start: r.Positions[0].String(), End: r.Final().String(),
		Moves: []Move{}, Margins: []Margin{}, Worst: []Mistake{},
	}
	for i := range r.Players {
		out.Players[i].Name = r.Players[i]
	}
	for i := range r.Positions {
		if m, ok := a.margin(i); ok {
			out.Margins = append(out.Margins, m)
		}
	}
	for i, m := range r.Moves {
		move := a.move(i, m)
		out.Moves = append(out.Moves, move)
		player := &out.Players[move.Player-1]
		player.Moves++
		if move.Loss != nil || move.MinLoss != nil {
			player.Evaluated++
		}
		if loss := move.ProvedLoss(); loss > 0 {
			player.Mistakes++
			player.Loss += loss
		}
	}
	a.findTurningPoint(&out)
	a.findLikelyMistakes(&out)
	if err := a.explain(ctx, &out); err != nil {
		return out, err
	}
	return out, a.collectWorst(ctx, &out)
}

// explain sets Line, Refutation and Why of every move with a proved loss, and Why of likely mistakes.
func (a *analyst) explain(ctx context.Context, out *Analysis) (err error) {
	isLikely := func(ply int) bool {
		same := func(m LikelyMistake) bool { return m.Ply == ply }
		return slices.ContainsFunc(out.Likely, same) || out.Decisive != nil && same(*out.Decisive)
	}
	for i := range out.Moves {
		m, before, next := &out.Moves[i], a.values[i], a.values[i+1]
		loses := m.ProvedLoss() > 0
		if !loses && !isLikely(m.Ply) {
			continue
		}
		played, better := why.Play{Line: append([]string{m.Move}, next.line...)}, why.Play{Line: before.line}
		limit := a.limits.Estimate
		if loses {
			after := a.playedValue(i)
			limit, m.Line = a.limits.Solve, before.line
			played.Score, played.Proof = *after.Upper, engine.Upper
			better.Score, better.Proof = *before.Lower, engine.Lower
			if _, proved := before.Exact(); proved {
				better.Proof = engine.Exact
			}
			if _, proved := after.Exact(); proved {
				played.Proof, m.Refutation = engine.Exact, next.line
			}
		}
		solve := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
			return a.decide(ctx, p, limit, false)
		}
		if !loses && a.provedBefore(i) { // the better move's proof is the reason
			d := engine.Decision{Move: before.best, Score: *before.Lower, Proof: engine.Lower, Line: before.line}
			if m.Why, err = why.Position(ctx, a.record.Positions[i], d, nil); err != nil {
				return err
			}
			m.Why = slices.DeleteFunc(m.Why, func(r why.Reason) bool { return r.Kind == why.Unexplained })
			continue
		}
		if m.Why, err = why.Mistake(ctx, a.record.Positions[i], played, better, solve); err != nil {
			return err
		}
	}
	return nil
}

// collectWorst sets out.Worst from out.Moves. If the turning point is not among the largest
// mistakes, it replaces the last of them. Mistake.Only is false in positions without a proved value.
func (a *analyst) collectWorst(ctx context.Context, out *Analysis) error {
	mistakes := slices.DeleteFunc(slices.Clone(out.Moves), func(m Move) bool { return m.ProvedLoss() <= 0 })
	slices.SortStableFunc(mistakes, func(x, y Move) int { return cmp.Compare(y.ProvedLoss(), x.ProvedLoss()) })
	worst := mistakes[:min(len(mistakes), a.limits.Worst)]
	if i := slices.IndexFunc(mistakes, func(m Move) bool { return m.Ply == out.Turned }); i >= len(worst) && len(worst) > 0 {
		worst[len(worst)-1] = mistakes[i]
	}
	for _, m := range worst {
		p, v := a.record.Positions[m.Ply-1], a.values[m.Ply-1]
		mistake := Mistake{
			Ply: m.Ply, Player: m.Player, Position: p.String(), Move: m.Move, Better: v.best,
			Loss: m.ProvedLoss(), Exact: m.Loss != nil,
		}
		if _, ok := v.Exact(); ok {
			d, err := a.solve(ctx, p, true) // again, with the values of all moves
			if err != nil {
				return fmt.Errorf("position %d of %d: %w", m.Ply, len(a.values), err)
			}
			mistake.Only = hasOnlyMove(p, d)
		}
		out.Worst = append(out.Worst, mistake)
	}
	return nil
}

// hasOnlyMove reports whether, according to the decision d for p, one move is proved to keep the
// value and every other move is proved to be worth less.
func hasOnlyMove(p engine.Position, d engine.Decision) bool {
	if d.Proof != engine.Exact || len(d.Moves) != len(p.Moves()) || len(d.Moves) < 2 {
		return false
	}
	keeping := 0
	for _, m := range d.Moves {
		switch {
		case m.Proof == engine.Exact && m.Score == d.Score:
			keeping++
		case (m.Proof == engine.Exact || m.Proof == engine.Upper) && m.Score < d.Score:
		default:
			return false
		}
	}
	return keeping == 1
}

// Outline returns an [Analysis] of the game r without values and mistakes. rules are those of its game.
func Outline(ctx context.Context, rules Rules, r Record) (Analysis, error) {
	a := &analyst{rules: rules, record: r, values: make([]evaluation, len(r.Positions))}
	return a.assemble(ctx)
}
