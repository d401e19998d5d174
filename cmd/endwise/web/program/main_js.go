// Command program answers the requests of the static site's pages in a worker of the browser
// (worker.js), with one thread.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/circuitwars"
	"endwise/book/dotsandboxes"
	"endwise/book/watchyourback"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	cwgame "endwise/engine/circuitwars"
	dabgame "endwise/engine/dotsandboxes"
	wybgame "endwise/engine/watchyourback"
)

const (
	hashBytes = 32 << 20         // small enough for phones
	maxTime   = 10 * time.Minute // of a request
)

// sources maps each game to its lookup, which is opened when it is first used.
type sources map[string]func() (*book.Lookup, error)

// Decide implements [analysis.Decider].
func (s sources) Decide(ctx context.Context, q book.Question) (engine.Decision, error) {
	l, err := s[q.Position.Game()]()
	if err != nil {
		return engine.Decision{}, err
	}
	return l.Decide(ctx, q)
}

// add adds the game's lookup, which open opens, to s, and returns the description of the game.
func (s sources) add(g engine.Game, open func(book.Options) (*book.Lookup, error), tooEarly func(engine.Position) string, readers ...analysis.Reader) answer.Game {
	var opened *book.Lookup
	s[g.Name()] = func() (l *book.Lookup, err error) {
		if opened == nil {
			opened, err = open(book.Options{Store: "/store", Threads: 1, HashBytes: hashBytes})
		}
		return opened, err
	}
	game := answer.NewGame(g)
	game.TooEarly = tooEarly
	game.Readers = append(readers, game.Readers...)
	return game
}

func main() {
	opened := sources{}
	wyb := opened.add(wybgame.Game{}, watchyourback.Open, watchyourback.TooEarly, analysis.ReadWatchYourBack)
	wyb.NearEnd, wyb.EstimateScale, wyb.Points = analysis.SmallWatchYourBack, 800, "pieces"
	games := []answer.Game{
		opened.add(cwgame.Game{}, circuitwars.Open, circuitwars.TooEarly, analysis.CircuitWarsReader(0, 0)),
		wyb,
		opened.add(dabgame.Game{}, dotsandboxes.Open, dotsandboxes.TooEarly, analysis.ReadDotsAndBoxes),
	}
	handler := answer.NewHandler(answer.Handler{Games: games, Lookups: opened, Analyses: opened, MaxTime: maxTime})
	// endwiseAsk(what, params, body, tell) returns at once; reply calls tell later.
	js.Global().Set("endwiseAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		params := args[1]
		q := answer.Question{What: args[0].String(), Body: args[2].String(), Params: func(name string) string {
			if v := params.Get(name); v.Type() == js.TypeString {
				return v.String()
			}
			return ""
		}}
		go reply(handler, q, args[3])
		return nil
	}))
	js.Global().Call("endwiseReady")
	select {}
}

// reply answers q by calls of tell(kind, JSON): any number of kind "update", then one of kind "answer" or,
// with a sentence, "error".
func reply(handler *answer.Handler, q answer.Question, tell js.Value) {
	send := func(kind string, value any) {
		text, err := json.Marshal(value)
		if err != nil {
			kind, text = "error", []byte(`"the answer can't be written"`)
		}
		tell.Invoke(kind, string(text))
	}
	answered, err := handler.Answer(context.Background(), q, func(update any) { send("update", update) })
	if err != nil {
		send("error", err.Error())
		return
	}
	send("answer", answered)
}
