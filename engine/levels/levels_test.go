package levels

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	wyb "endwise/engine/watchyourback"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestHigherLevelsBeatRandomPlay(t *testing.T) {
	play := func(a, b engine.Player, rows, cols int) [2]int {
		var p engine.Position
		p, err := circuitwars.New(rows, cols)
		testenv.OK(t, err)
		for !p.Over() {
			who := a
			if p.Turn() == engine.Second {
				who = b
			}
			d, err := who.Choose(context.Background(), p, engine.Clock{})
			testenv.OK(t, err)
			p = enginetest.Play(t, p, d.Move)
		}
		return p.Score()
	}
	games := 3
	if os.Getenv("ENDWISE_DEEP") != "" {
		games = 24
	}
	for level := 2; level <= Count; level++ {
		strong, weak := 0, 0
		for i := range games {
			a, err := New(level, uint64(i))
			testenv.OK(t, err)
			b, err := New(1, uint64(i))
			testenv.OK(t, err)
			s := play(a, b, 4, 4)
			strong, weak = strong+s[0], weak+s[1]
		}
		if strong <= weak {
			t.Errorf("level %d: %d squares, random play %d", level, strong, weak)
		}
	}
	if _, err := New(5, 1); err == nil {
		t.Error("there is a level 5")
	}
}

// misere is Circuit Wars with the lower score winning.
type misere struct{ circuitwars.Position }

func (p misere) Winner() engine.Side {
	switch lead := engine.Lead(p, engine.First); {
	case !p.Over() || lead == 0:
		return engine.None
	case lead < 0:
		return engine.First
	}
	return engine.Second
}

func (p misere) Play(m engine.Move) (engine.Position, error) {
	q, err := p.Position.Play(m)
	if err != nil {
		return nil, err
	}
	return misere{q.(circuitwars.Position)}, nil
}

// A level plays to win even if the lower score wins. Two segments are left: the one on the
// border scores both squares and ends the game, the other scores one square.
func TestLevelsPlayToWin(t *testing.T) {
	p, err := circuitwars.Game{}.Parse("1x2 0,0,top 0,0,bottom 1,0,top 1,0,bottom 0,0,left")
	testenv.OK(t, err)
	for level := 2; level <= Count; level++ {
		for seed := range uint64(8) {
			l, err := New(level, seed)
			testenv.OK(t, err)
			for _, p := range []engine.Position{p, misere{p.(circuitwars.Position)}} {
				d, err := l.Choose(t.Context(), p, engine.Clock{})
				testenv.OK(t, err)
				q := enginetest.Play(t, p, d.Move)
				if _, last := p.(misere); last == q.Over() {
					t.Errorf("level %d, %T: %s", level, p, d.Move)
				}
			}
		}
	}
}

// Without time left a level still returns a legal move; only the end of the caller's
// context is an error.
func TestLevelsMoveWithoutTimeLeft(t *testing.T) {
	start, err := circuitwars.Game{}.Start("")
	testenv.OK(t, err)
	for level := 1; level <= Count; level++ {
		l, err := New(level, 1)
		testenv.OK(t, err)
		d, err := l.Choose(context.Background(), start, engine.Clock{Deadline: time.Now().Add(-time.Second)})
		if err != nil || d.Depth != 0 {
			t.Errorf("level %d: depth %d, %v", level, d.Depth, err)
		}
		if _, err := start.ParseMove(d.Move); err != nil {
			t.Errorf("level %d: %v", level, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := l.Choose(ctx, start, engine.Clock{}); !errors.Is(err, context.Canceled) {
			t.Errorf("level %d: error %v after its context ended", level, err)
		}
	}
}

func TestWatchYourBackLevelsPlayTheirStyle(t *testing.T) {
	if _, err := NewWatchYourBack("grandmaster", 1); err == nil {
		t.Error("unknown level: no error")
	}
	// White can capture a piece; the square next to the capturing one is a trap.
	p, err := wyb.Parse("X------X/--------/--O-----/--@-----/--------/--O-----/----@@--/X------X:moving:10")
	testenv.OK(t, err)
	for _, name := range WatchYourBackNames() {
		l, err := NewWatchYourBack(name, 7)
		testenv.OK(t, err)
		d, err := l.Choose(t.Context(), p, engine.Clock{})
		testenv.OK(t, err)
		m, err := p.ParseMove(d.Move)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "greedy" || name == "look-ahead" {
			if q := p.Next(m); q.Score()[1] != 2 {
				t.Errorf("%s plays %s and captures nothing", name, d.Move)
			}
		}
		over, err := wyb.Parse("X------X/--------/--O-----/--------/--------/--O-----/----@---/X------X:moving:10")
		testenv.OK(t, err)
		if _, err := l.Choose(t.Context(), over, engine.Clock{}); !errors.Is(err, engine.ErrGameOver) {
			t.Errorf("%s in a finished game: %v", name, err)
		}
	}
	// mirror replies with the half-turn image.
	l, _ := NewWatchYourBack("mirror", 1)
	p = wyb.New(false)
	m, _ := p.ParseMove("(2,3)")
	d, err := l.Choose(t.Context(), p.Next(m), engine.Clock{})
	if err != nil || d.Move != "(5,4)" {
		t.Errorf("mirror replies to (2,3) with %s, %v", d.Move, err)
	}
}

// Every game has level1 to level4, also by their numbers; only Watch Your Back has styles.
func TestNamed(t *testing.T) {
	for _, game := range []string{"circuitwars", "dotsandboxes", "watchyourback"} {
		for name, want := range map[string]string{
			"3": "level3", "level3": "level3", "Level1": "level1", "level4": "level4",
			"0": "", "5": "", "level5": "", "level": "", "levellevel1": "", "": "", "03": "",
			"greedy": map[string]string{"watchyourback": "greedy"}[game],
		} {
			if p, ok := Named(game, name, 1); ok != (want != "") || ok && p.Name() != want {
				t.Errorf("%s %q: %v, want %q", game, name, p, want)
			}
		}
		for _, name := range Names(game) {
			if p, ok := Named(game, name, 1); !ok || p.Name() != name {
				t.Errorf("%s: %s is %v", game, name, p)
			}
		}
	}
}
