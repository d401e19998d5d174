package opening

import (
	"context"
	"path/filepath"
	"testing"

	"endwise/engine"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/plain"
)

// pieces estimates the balance of pieces, in hundredths of one.
func pieces(_ context.Context, pos engine.Position) (engine.Decision, error) {
	p := pos.(watchyourback.Position)
	d := engine.Decision{Depth: 1}
	for _, m := range p.Moves() {
		d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(m), Score: 100*engine.Lead(p.Next(m), p.Turn()) + noise(40, p.String(), p.MoveString(m))})
	}
	return d, nil
}

// In a game whose proved scores are its results, estimates in hundredths and proofs stay
// apart, and a grown book has the true result.
func TestWatchYourBackBookIsMinimax(t *testing.T) {
	results := map[int]bool{}
	for _, text := range []string{
		"......../......../..X--X../..-O@-../..-O@-../..X--X../......../........:moving:290:quiet=96",
		"......../......../..X@-X../..--O-../..-O@-../..X--X../......../........:moving:290:quiet=95",
		"......../......../..XO-X../..--@-../..-@O-../..X--X../......../........:moving:290:quiet=96",
		"......../......../..X-OX../..----../..@--@../..XO-X../......../........:moving:291:quiet=96",
	} {
		root, err := watchyourback.Parse(text)
		testenv.OK(t, err)
		b, err := New(watchyourback.Game{}, "")
		testenv.OK(t, err)
		results[growsTrue(t, b, oracle{&plain.WatchYourBack{}}, root, pieces)] = true
		dir := t.TempDir()
		if _, err := b.Publish(context.Background(), dir); err != nil {
			t.Fatal(err)
		}
		if _, err := CheckPublished(context.Background(), filepath.Join(dir, TableName("watchyourback", "8x8")), watchyourback.Game{}, func(err error) { t.Error(err) }, nil); err != nil {
			t.Error(err)
		}
	}
	if len(results) < 2 {
		t.Errorf("all positions have the same result: %v", results)
	}
}
