package cli

import (
	"testing"

	"endwise/book/circuitwars"
	"endwise/book/watchyourback"
	"endwise/engine"
)

// The outcome counts the squares that both sides have already, and names the sides as the
// game does.
func TestOutcome(t *testing.T) {
	cw, wyb := NewGame(circuitwars.Game()), NewGame(watchyourback.Game())
	const late = "7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112...."
	const end = "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192"
	for _, c := range []struct {
		game     Game
		position string
		score    int
		proof    engine.Proof
		distance int
		want     string
	}{
		{cw, late, 6, engine.Exact, 0, "Player 2 wins 25–24 with best play."}, // 17 and 8 of 10 squares against 22 and 2
		{cw, late, -4, engine.Exact, 0, "Player 1 wins 29–20 with best play."},
		{cw, late, 6, engine.Lower, 0, "Player 2 wins by at least 1."},
		{cw, late, 5, engine.Lower, 0, "Player 2 gets at least a tie."},
		{cw, late, 0, engine.Lower, 0, "Player 2 loses by at most 5."},
		{cw, late, 5, engine.Upper, 0, "Player 1 gets at least a tie."},
		{cw, late, 0, engine.Upper, 0, "Player 1 wins by at least 5."},
		{cw, late, 8, engine.Upper, 0, "Player 2 wins by at most 3."},
		{cw, late, 8, engine.Estimate, 0, "Player 2 is expected to win by about 3, an estimate."},
		{cw, late, 6, engine.Estimate, 0, "Too close to call, an estimate."},
		{cw, "2x2", 0, engine.Exact, 0, "A tie with best play."},
		{wyb, end, 1, engine.Exact, 5, "White wins in 5 turns with best play."},
		{wyb, end, 0, engine.Exact, 0, "White gets a tie with best play."},
		{wyb, end, -1, engine.Upper, 0, "White loses with best play."},
		{wyb, end, 0, engine.Lower, 0, "White gets at least a tie with best play."},
		{wyb, end, -120, engine.Estimate, 0, "Black is slightly ahead, an estimate."},
		{wyb, end, -594, engine.Estimate, 0, "Black is clearly ahead, an estimate."},
		{wyb, end, 1590, engine.Estimate, 0, "White is far ahead, an estimate."},
	} {
		p, err := c.game.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		if got := Outcome(c.game, p, engine.Decision{Score: c.score, Proof: c.proof, Distance: c.distance}); got != c.want {
			t.Errorf("%s %d %v: %q, want %q", c.game.Name(), c.score, c.proof, got, c.want)
		}
	}
	if cw.SideName(engine.Second) != "player 2" || wyb.SideName(engine.Second) != "Black" {
		t.Errorf("sides %q and %q", cw.SideName(engine.Second), wyb.SideName(engine.Second))
	}
}
