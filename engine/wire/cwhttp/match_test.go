package cwhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// match plays one game between two players over real sockets.
func match(ctx context.Context, board string, players [2]engine.Player) (game circuitwars.Log, outs [2]Outcome, err error) {
	srv, err := NewServer(ServerConfig{Board: board, Timeout: time.Minute})
	if err != nil {
		return game, outs, err
	}
	defer srv.Close()
	web := httptest.NewServer(srv)
	defer web.Close()
	var bots sync.WaitGroup
	var errs [2]error
	for i, p := range players {
		c, err := NewClient(web.URL)
		if err != nil {
			return game, outs, err
		}
		c.Interval = 0
		bots.Go(func() {
			outs[i], errs[i] = (&Bot{Client: c, Team: fmt.Sprint("player", i+1), Player: p}).Play(ctx)
		})
		for srv.status(time.Now()).code == circuitwars.WaitingForBoth { // the order of arrival makes the sides
			time.Sleep(time.Millisecond)
		}
	}
	bots.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return game, outs, err
	}
	game, _, err = srv.Result(ctx)
	return game, outs, err
}

// Games over real sockets, judged by the rules.
func TestMatch(t *testing.T) {
	for seed := range uint64(6) {
		board := []string{"3x3", "2x4", "7x7"}[seed%3]
		players := [2]engine.Player{level(t, 1, seed), level(t, 2, seed)}
		g, outs, err := match(t.Context(), board, players)
		testenv.OK(t, err)
		var rows, cols int
		fmt.Sscanf(board, "%dx%d", &rows, &cols)
		v, err := circuitwars.Judge(g, rows, cols)
		if err != nil || !v.Agrees(g) || g.Code.Kind() != 300 {
			t.Fatalf("%s: %+v, %v", board, v, err)
		}
		for i, o := range outs {
			if o.Status.Code != g.Code || o.Side != engine.Side(i+1) || o.Status.Position.Score() != g.Score {
				t.Errorf("%s: player %d saw %v, the log has %d %v", board, i+1, o, g.Code, g.Score)
			}
		}
	}
}

func TestMatchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stop := playerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
		cancel()
		<-ctx.Done()
		return engine.Decision{}, ctx.Err()
	})
	if _, _, err := match(ctx, "", [2]engine.Player{stop, first}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled match: %v", err)
	}
}
