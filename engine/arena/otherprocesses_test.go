package arena

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
	"endwise/engine/testenv"
)

// sent plays games as another process would: results are sent as JSON and looked at
// when they arrive.
func sent(t *testing.T, h Hall) Play {
	return func(ctx context.Context, games []Fixture) ([]Result, error) {
		played, err := h.PlayAll(ctx, games)
		if err != nil {
			return nil, err
		}
		results := make([]Result, len(played))
		for i, r := range played {
			data, err := json.Marshal(r)
			if err == nil {
				err = json.Unmarshal(data, &results[i])
			}
			if err == nil {
				results[i], err = h.Vet(games[i], results[i])
			}
			if err != nil {
				return nil, err
			}
			if d := cmp.Diff(r, results[i]); d != "" {
				t.Errorf("%s is not what was sent:\n%s", r.ID, d)
			}
		}
		return results, nil
	}
}

func TestVetRefusesWhatCannotBe(t *testing.T) {
	h := hall(t, "2x2", 0)
	first := h.First
	opening := []engine.Move{first.Moves()[0], first.Moves()[3]}
	f := Fixture{ID: "a-b-0001", Players: [2]Entrant{level(2), level(1)}, Opening: opening, Seed: 3}
	good, err := h.Play(t.Context(), f)
	testenv.OK(t, err)
	if _, err := h.Vet(f, good); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		lie  func(r *Result)
		want string
	}{
		"id":       {func(r *Result) { r.ID = "a-b-0002\x1b[2J" }, "is that of a-b-0002 [2J"},
		"players":  {func(r *Result) { r.Players[0], r.Players[1] = r.Players[1], r.Players[0] }, "between level1 and level2"},
		"opening":  {func(r *Result) { r.Opening = nil }, "another opening"},
		"move":     {func(r *Result) { r.Moves[1] = r.Moves[0] }, "move 4: "},
		"short":    {func(r *Result) { r.Moves = r.Moves[:len(r.Moves)-1] }, `ending "played" does not fit`},
		"long":     {func(r *Result) { r.Moves = append(r.Moves, r.Moves[0]) }, "move 1"},
		"winner":   {func(r *Result) { r.Winner = engine.Second - r.Winner + 1 }, "do not follow"},
		"score":    {func(r *Result) { r.Score[0]++ }, "do not follow"},
		"ending":   {func(r *Result) { r.End = "won" }, `ending "won" does not fit`},
		"stopped":  {func(r *Result) { r.End = Stopped }, `ending "stopped" does not fit`},
		"too soon": {func(r *Result) { r.Moves, r.End, r.Winner = nil, Stopped, engine.None }, `ending "stopped" does not fit`},
		"finished": {func(r *Result) { r.End, r.Score = Timeout, allSquares(first, r.Winner) }, `ending "timeout" does not fit`},
		"writing":  {func(r *Result) { r.Moves[0] = "\v" + r.Moves[0] }, "is written "},
		"nobody":   {func(r *Result) { r.End = NoPlayer }, `ending "noplayer" does not fit`},
		"no loser": {func(r *Result) { r.End, r.Winner = Timeout, engine.None }, `ending "timeout" does not fit`},
		"by both":  {func(r *Result) { r.End, r.Winner = Crash, 3 }, `ending "crash" does not fit`},
		"forfeit":  {func(r *Result) { r.Moves, r.End, r.Winner, r.Score = nil, Illegal, engine.First, [2]int{1, 0} }, "do not follow"},
		"time":     {func(r *Result) { r.Time[0].TotalMS = -1 }, "can't have taken"},
		"mean":     {func(r *Result) { r.Time[1].MaxMS = r.Time[1].TotalMS + 1 }, "can't have taken"},
	} {
		r := good
		r.Moves, r.Opening = append([]string{}, good.Moves...), append([]string{}, good.Opening...)
		tc.lie(&r)
		if got, err := h.Vet(f, r); err == nil || !strings.Contains(err.Error(), tc.want) || strings.ContainsAny(err.Error(), "\x1b") {
			t.Errorf("%s: %v, %v; want an error with %q", name, got.ID, err, tc.want)
		}
	}
	short := h
	short.MaxTurns = len(good.Moves) - 1
	if _, err := short.Vet(f, good); err == nil || !strings.Contains(err.Error(), "it is stopped after") {
		t.Errorf("more moves than turns: %v", err)
	}
	loud := good
	loud.Fault = strings.Repeat("\x1b[2J\n", 1000)
	if r, err := h.Vet(f, loud); err != nil || len(r.Fault) > maxFault+len("…") || strings.ContainsAny(r.Fault, "\x1b\n") {
		t.Errorf("%d bytes of fault, %v", len(r.Fault), err)
	}
}
