package plain

import (
	"errors"
	"maps"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/kayles"
	"endwise/engine/testenv"
)

// By a game's own rules comes out what the solvers say that have rules of their
// own, and in Kayles what the theory says: rows of equal size in pairs are lost.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rules *Rules
		other Solver
		text  string
	}{
		{&Rules{Game: dotsandboxes.Game{}}, &DotsAndBoxes{}, "2x2 h0,0 v1,1 h2,0"},
		{&Rules{Game: circuitwars.Game{}}, &CircuitWars{}, "2x2 0,0,top 1,1,right 0,0,left"},
		{&Rules{Game: circuitwars.Game{}}, &CircuitWars{}, "1x3 0,0,top"},
	} {
		p, err := c.rules.Game.Parse(c.text)
		testenv.OK(t, err)
		got, err1 := c.rules.Solve(p.String())
		want, err2 := c.other.Solve(p.String())
		testenv.OK(t, errors.Join(err1, err2))
		if got.Value != want.Value || !maps.Equal(got.Moves, want.Moves) {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
	k := &Rules{Game: kayles.Game{}}
	for text, want := range map[string]int{"4-4": -1, "3-5-3-5": -1, "1-2-3": -1, "9": 1, "1-4": -1, "2-4": 1, "5:.I...:2": 1} {
		p, err := k.Game.Parse(text)
		testenv.OK(t, err)
		if a, err := k.Solve(p.String()); err != nil || a.Value != want {
			t.Errorf("%s: %+d, want %+d, %v", text, a.Value, want, err)
		}
	}
	if a, err := k.Solve("5:.....:2"); err != nil || !a.Over || a.Value != 0 {
		t.Errorf("a finished game: %v, %v", a, err)
	}
	few := &Rules{Game: kayles.Game{}, Visits: 100}
	if _, err := few.Solve("20:IIIIIIIIIIIIIIIIIIII:1"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large board: %v", err)
	}
	if _, err := k.Solve("5:x:1"); err == nil {
		t.Error("no position is solved")
	}
}

// misere is Kayles where who takes the last pin has lost, by a score that says
// otherwise.
type misere struct{ kayles.Game }

type miserePosition struct{ engine.Position }

func (misere) Parse(text string) (engine.Position, error) {
	p, err := kayles.Game{}.Parse(text)
	return miserePosition{p}, err
}

func (p miserePosition) Play(m engine.Move) (engine.Position, error) {
	next, err := p.Position.Play(m)
	return miserePosition{next}, err
}

func (p miserePosition) Winner() engine.Side {
	if w := engine.Winner(p.Position); w != engine.None {
		return w.Other()
	}
	return engine.None
}

// Who has won is what the position says of itself, not the higher score.
func TestRulesAskForTheWinner(t *testing.T) {
	for text, want := range map[string]int{"1": -1, "2": 1, "1-1": 1, "1-1-1": -1} {
		start, err := kayles.Game{}.Parse(text)
		testenv.OK(t, err)
		if a, err := (&Rules{Game: misere{}}).Solve(start.String()); err != nil || a.Value != want {
			t.Errorf("%s: %+d, want %+d, %v", text, a.Value, want, err)
		}
	}
}
