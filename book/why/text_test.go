package why

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

// won is a decision that proves a win of the player to move and does not say in how many turns.
func won(context.Context, engine.Position) (engine.Decision, error) {
	return engine.Decision{Score: 1, Proof: engine.Exact, Source: "solved"}, nil
}

// Sentences name the rest if they are about it, count in the singular and plural, call a
// difference of no boxes 0, and give no reason that does not yield the value. An empty sentence
// stands for no reason of the kind.
func TestSentences(t *testing.T) {
	dots, circuit, pieces := engine.Game(dotsandboxes.Game{}), engine.Game(circuitwars.Game{}), engine.Game(watchyourback.Game{})
	solve := map[engine.Game]Solve{dots: plainDots, circuit: plainCircuit, pieces: won}
	for _, c := range []struct {
		game     engine.Game
		position string
		best     string // if not any best move
		want     map[Kind]string
	}{
		{dots, "3x3 h101/110/111/111 v1101/1111/0000 3-0 1", "", map[Kind]string{
			Captures: "Player 1 can capture 3 boxes; taking all of them gives 0, because player 1 then has to move first in the rest, which is worth −3 to the player who does. A double-deal leaves the last 2 to player 2, which costs 4 and makes player 2 move first in the rest: it gives +2, 2 more, and player 1 keeps control.",
			Loony:    "The rest consists of a chain of 3 boxes: the player who opens it gets 3 boxes fewer than the opponent.",
		}},
		{dots, "3x3 h011/001/110/111 v1100/1101/1001 0-0 2", "", map[Kind]string{
			Captures: "Player 2 can capture 9 boxes; taking all of them ends the game and gives +9. A double-deal leaves the last 2 to player 1, which costs 4: it gives +5, 4 less.",
		}},
		{dots, "3x5 h11111/11111/11101/01110 v111111/111100/111101 7-3 1", "", map[Kind]string{
			Captures: "Player 1 can capture 1 box; taking it gives −3, because player 1 then has to move first in the rest, which is worth −4 to the player who does. No double-deal is possible.",
		}},
		{dots, "3x3 h000/111/111/111 v0111/0000/1111 0-3 2", "", map[Kind]string{
			Loony: "The rest consists of chains of 3 and 1 boxes: the player who opens the first gets 2 boxes more than the opponent.",
		}},
		// 14 lines and 9 boxes are 14 - 9 + 1 turns if no line completes two boxes.
		{dots, "3x3 h000/100/000/001 v0111/0101/1110 0-0 1", "", map[Kind]string{
			Chains:    "There are chains of 2, 1, 1, 1, 1 and 1 boxes; no chain is long (at least 3 boxes); 2 boxes have at least 3 free lines.",
			SafeLines: "1 line is safe; if player 1 draws it, player 2 has to give boxes away first.",
			ChainRule: "Long chain rule: if every long chain except the last ends in a double-deal, the turns left are the number of long chains and 5 more (14 free lines less 9 boxes). The player with the last turn usually controls the ending, so player 1 wants an even number of long chains and player 2 an odd number.",
			Nimbers:   "In Nimstring, where the player who cannot move loses, the 3 parts have the nimbers 2, 1 and 1, and their nim-sum is 2: player 1 wins the fight for the last turn.",
		}},
		// Leaving 4 boxes of the loop gains only 3: the opponent takes all of it, and opens
		// the chain.
		{dots, "3x4 h1110/0100/0100/1110 v10011/11111/10011 0-1 1", "", map[Kind]string{
			Loony: "Only a chain of 3 boxes and a loop of 8 boxes are left: the player who opens the first gets 5 boxes fewer than the opponent. Best play, counted for player 1: player 1 opens a loop of 8 (−8), player 2 opens a chain of 3 (+3); together −5.",
		}},
		{dots, "3x3 h001/110/001/010 v0101/1010/1101 0-0 1", "", map[Kind]string{
			Loony: "Only chains of 5, 3 and 1 boxes are left: the player who opens the first gets 3 boxes more than the opponent. Best play, counted for player 1: player 1 opens a chain of 1 (−1), player 2 opens a chain of 3 and player 1 leaves 2 of it (−1), player 2 opens a chain of 5 (+5); together +3.",
		}},
		{circuit, "2x2 1,1,bottom 1,1,left 0,1,bottom 1,0,right 0,0,left 1,0,top 0,1,left 0,0,top", "", map[Kind]string{
			Areas: "An area of 4 squares hangs by one segment. Nothing else is left, so player 1 captures it.",
		}},
		{circuit, "2x2 0,1,top 1,1,top 0,0,left 1,1,right 1,1,left 1,0,left", "", map[Kind]string{
			Mirror:   "The position is symmetric (equal squares or areas are exchanged): no segment is its own image, so player 2 can answer every segment with its image and captures at least as much as player 1; 2 squares are their own images and can be captured by player 2 only: player 1 gets at least 2 squares fewer than player 2.",
			Areas:    "2 areas of 1 square hang by one segment each.",
			Segments: "Player 1 can capture up to 1 square with one segment; every segment that captures nothing gives player 2 a new capture or a larger one.",
		}},
		{circuit, "2x2 0,0,left 1,1,right 0,1,top 1,1,top", "", map[Kind]string{
			Mirror: "The position is symmetric (half turn): no segment is its own image, so player 2 can answer every segment with its image and captures at least as much as player 1; no square is its own image, so player 1 cannot gain on player 2.",
		}},
		// Taking both squares is worth as much, so leaving one explains nothing.
		{circuit, "2x2 1,1,bottom 0,0,top 0,0,left 1,1,right 0,1,top 1,1,top 0,1,bottom 1,0,top", "1,0,left", map[Kind]string{
			Leave: "",
		}},
		{circuit, "2x3 1,1,bottom 1,0,top 2,1,top 0,1,top 1,1,top 2,1,right 1,1,left 2,0,left 2,0,top 0,1,bottom", "2,1,left", map[Kind]string{
			Leave: "2,1,left takes 1 of the 2 squares of an area and leaves 1, which is worth +2: if player 2 takes the rest of the area, player 1 moves first elsewhere. Taking all 2 is worth 0: player 2 moves first elsewhere.",
		}},
		{circuit, "2x4 1,0,left 3,1,left 3,0,left 1,1,left 2,0,top 1,1,bottom 2,1,top", "1,0,right", map[Kind]string{
			MirrorMove: "1,0,right takes 1 square and makes the position symmetric: player 2 can answer every segment with its image. This gives at least +2.",
		}},
		{pieces, "X------X/--------/--------/---O----/--@-O---/--O@----/--------/X------X:moving:82", "", map[Kind]string{
			Shrinks: "The board shrinks in 46 turns; if it shrank now, neither side would lose a piece.",
			Win:     "With best play of both sides White wins in 1 turn, both sides' turns counted.",
			Threat:  "White can capture one of the pieces on (2,4) and (3,5).",
		}},
		{pieces, "......../......../..X--X../..-@O-../..@@-@../..XOOX../......../........:moving:240", "", map[Kind]string{
			Blocked: "White has 1 blocked piece, on (3,5).",
		}},
	} {
		p, err := c.game.Parse(c.position)
		testenv.OK(t, err)
		d, err := solve[c.game](t.Context(), p)
		testenv.OK(t, err)
		if c.best != "" {
			d.Move = c.best
		}
		reasons, err := Position(t.Context(), p, d, solve[c.game])
		testenv.OK(t, err)
		got := map[Kind]string{}
		for _, r := range reasons {
			got[r.Kind] = r.Text
		}
		for kind, want := range c.want {
			if got[kind] != want {
				t.Errorf("%s: %s: %q, want %q", c.position, kind, got[kind], want)
			}
		}
	}
}

// A move is called worse than the best one only if that is proved.
func TestPlayedIsNotCalledWorse(t *testing.T) {
	p, err := dotsandboxes.Game{}.Parse("3x3")
	testenv.OK(t, err)
	for _, c := range []struct {
		value    engine.MoveValue // of h1,1
		unproved bool
	}{
		{engine.MoveValue{Move: "h1,1", Score: -3, Proof: engine.Upper}, true},
		{engine.MoveValue{Move: "h1,1", Score: -5, Proof: engine.Upper}, false},
		{engine.MoveValue{Move: "h1,1", Score: -5, Proof: engine.Exact}, false},
		{engine.MoveValue{Move: "h1,1", Score: -5, Proof: engine.Estimate}, true},
		{engine.MoveValue{Move: "h1,1", Score: -5, Proof: engine.Lower}, true},
	} {
		d := engine.Decision{Move: "h0,0", Score: -3, Proof: engine.Exact, Moves: []engine.MoveValue{{Move: "h0,0", Score: -3, Proof: engine.Exact}, c.value}}
		reasons, err := Played(t.Context(), p, d, "h1,1", func(context.Context, engine.Position) (engine.Decision, error) {
			return engine.Decision{}, nil
		})
		testenv.OK(t, err)
		if got := reasons[0].Kind == Unproved; got != c.unproved || slices.ContainsFunc(reasons[1:], func(r Reason) bool { return r.Kind == Unproved || got && r.Kind == Unchanged }) {
			t.Errorf("%+v: %+v", c.value, reasons)
		}
	}
}

// The reasons for a mistake are sentences; bounds are not called results, and estimates not best play.
func TestMistakeSentences(t *testing.T) {
	line := func(text string) []string { return strings.Split(text, " ") }
	for _, c := range []struct {
		game           engine.Game
		position       string
		played, better Play
		want           []string
	}{
		{dotsandboxes.Game{}, "3x4 h1111/1101/0011/0011 v00111/10111/11111 4-0 1 o...1/...1/..11",
			Play{Line: line("v0,1 h1,2 v0,0 h2,0 h3,0 v1,1 h2,1 h3,1"), Score: 0, Proof: engine.Exact},
			Play{Line: line("h1,2 v0,0 v0,1 h2,0 h3,0 v1,1 h2,1 h3,1"), Score: 4, Proof: engine.Exact}, []string{
				"With best play player 1 wins 8–4 after v0,1, and 10–2 after h1,2.",
				"Player 1 can capture 4 boxes; taking all of them gives 0, because player 1 then has to move first in the rest, which is worth −4 to the player who does. A double-deal leaves the last 2 to player 2, which costs 4 and makes player 2 move first in the rest: it gives +4, 4 more, and player 1 keeps control.",
				"The first long chain (at least 3 boxes) or loop in best play: after v0,1 player 1 opens a chain of 4 boxes with h2,0 when player 1 leads 8–0; after h1,2 player 2 opens a chain of 4 boxes with h2,0 when player 1 leads 6–2.",
			}},
		{circuitwars.Game{}, "3x3:8b7f9e:1-1:1:......12.",
			Play{Line: line("2,2,right 2,0,bottom 2,0,top 1,0,top"), Score: -5, Proof: engine.Exact},
			Play{Line: line("0,1,right 1,1,right 1,0,top 2,1,bottom 2,0,bottom 2,2,right 2,0,top"), Score: 3, Proof: engine.Exact}, []string{
				"With best play player 2 wins 7–2 after 2,2,right, and player 1 wins 6–3 after 0,1,right.",
				"Best play differs in these captures, in squares: after 2,2,right, player 2 takes 5 (2,0,bottom); after 0,1,right, player 1 takes 2 and 1 twice, player 2 takes 1.",
			}},
		// The line does not lead to the value, so its captures prove nothing.
		{circuitwars.Game{}, "3x3:8b7f9e:1-1:1:......12.",
			Play{Line: line("2,2,right 2,0,bottom 2,0,top 1,0,top"), Score: -7, Proof: engine.Exact},
			Play{Line: line("0,1,right"), Score: 2, Proof: engine.Lower}, []string{
				"With best play player 2 wins 8–1 after 2,2,right, and player 1 wins at least 6–3 after the best move.",
			}},
		{watchyourback.Game{}, "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196",
			Play{Line: line("(3,4)->(4,4)"), Score: -1, Proof: engine.Upper},
			Play{Line: line("(2,3)->(4,3) (5,3)->(5,4)"), Score: 0, Proof: engine.Exact}, []string{
				"With best play Black wins after (3,4)->(4,4), and the game is a tie after (2,3)->(4,3).",
				"Estimated best play from (3,4)->(4,4) on, 1 turn: no captures.",
				"Best play from (2,3)->(4,3) on, 2 turns: White loses the piece that enters (4,3).",
			}},
	} {
		p, err := c.game.Parse(c.position)
		testenv.OK(t, err)
		reasons, err := Mistake(t.Context(), p, c.played, c.better, nil)
		testenv.OK(t, err)
		var got []string
		for _, r := range reasons {
			got = append(got, r.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.position, diff)
		}
	}
}

// A value that no reason yields is shown by the first captures in best play, with the result only if the line
// leads to it.
func TestBestPlay(t *testing.T) {
	p, err := circuitwars.Game{}.Parse("3x3:8b7f9e:1-1:1:......12.")
	testenv.OK(t, err)
	line := strings.Fields("0,1,right 1,1,right 1,0,top 2,1,bottom 2,0,bottom 2,2,right 2,0,top")
	for _, c := range []struct {
		score, moves int
		want         string
	}{
		{3, 7, "With best play player 1 takes 2 with 0,1,right, player 2 takes 1 with 1,1,right, player 1 takes 1 with 1,0,top, 1 with 2,0,bottom, player 2 takes 1 with 2,2,right, player 1 takes 1 with 2,0,top; player 1 wins 6–3."},
		{4, 7, "The value is proved (source: book). Best play from 0,1,right on, 7 turns: player 1 captures 2 squares by 0,1,right; player 2 captures 1 square by 1,1,right; player 1 captures 1 square by 1,0,top; player 1 captures 1 square by 2,0,bottom; and more."},
		{3, 3, "The value is proved (source: book). Best play from 0,1,right on, 3 turns: player 1 captures 2 squares by 0,1,right; player 2 captures 1 square by 1,1,right; player 1 captures 1 square by 1,0,top."},
		{3, 0, "The value is proved (source: book)."},
	} {
		d := engine.Decision{Move: line[0], Line: line[:c.moves], Score: c.score, Proof: engine.Exact, Source: "book"}
		reasons, err := Position(t.Context(), p, d, nil)
		testenv.OK(t, err)
		if got := reasons[len(reasons)-1]; got.Kind != Unexplained || got.Text != c.want {
			t.Errorf("%d moves, value %d: %+v, want %q", c.moves, c.score, got, c.want)
		}
	}
}

// Of many captures in best play the first are named. An estimate is not explained, but shown.
func TestBestPlayIsShort(t *testing.T) {
	for _, c := range []struct {
		game           engine.Game
		position, line string
		proof          engine.Proof
		want           string
	}{
		{circuitwars.Game{}, "1x7 0,0,top 1,0,top 2,0,top 3,0,top 4,0,top 5,0,top 6,0,top 0,0,bottom 1,0,bottom 2,0,bottom 3,0,bottom 4,0,bottom 5,0,bottom 6,0,bottom 0,0,left",
			"0,0,right 1,0,right 2,0,right 3,0,right 4,0,right 5,0,right 6,0,right", engine.Exact, "With best play player 2 takes 1 with 0,0,right, player 1 takes 1 with 1,0,right, player 2 takes 1 with 2,0,right, player 1 takes 1 with 3,0,right, player 2 takes 1 with 4,0,right, and 2 more captures follow; player 2 wins 4–3."},
		{dotsandboxes.Game{}, "2x2 h11/00/11 v101/000", "v1,0 h1,0 h1,1 v1,1", engine.Estimate, "The exact value is not proved. Estimated best play from v1,0 on, 4 turns: player 2 captures 1 box by v1,1."},
		{watchyourback.Game{}, "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196", "(2,3)->(4,3) (5,3)->(5,4)", engine.Exact, "The value comes from a table of solved positions. Best play from (2,3)->(4,3) on, 2 turns: White loses the piece that enters (4,3)."},
		{watchyourback.Game{}, "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196", "(2,3)->(4,3) (5,3)->(5,4)", engine.Estimate, "The exact value is not proved. Estimated best play from (2,3)->(4,3) on, 2 turns: White loses the piece that enters (4,3)."},
	} {
		p, err := c.game.Parse(c.position)
		testenv.OK(t, err)
		d := engine.Decision{Line: strings.Fields(c.line), Proof: c.proof, Source: "table"}
		q := enginetest.PlayMoves(t, p, d.Line...)
		d.Move, d.Score = d.Line[0], engine.Lead(q, p.Turn())-engine.Lead(p, p.Turn())
		reasons, err := Position(t.Context(), p, d, nil)
		testenv.OK(t, err)
		if got := reasons[len(reasons)-1]; got.Kind != Unexplained || got.Text != c.want {
			t.Errorf("%s: %+v, want %q", c.position, got, c.want)
		}
	}
}
