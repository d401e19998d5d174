// Package lines lets one process ask another for moves over a pipe, one JSON
// object a line each way: a Question in, an Answer out. Serve is the process
// that thinks, of any game; Child is one of those as an engine.Player, started
// again once should it die or hang, and game_ai.py of package cwbot another
// one that asks.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"endwise/engine"
)

// Question is a line to the process that thinks. Each has one answer, but for those
// so far, and ends what is pondered.
type Question struct {
	ID int64 `json:"id"`
	// Position is what the game's Parse reads: the text as a string, or a JSON
	// object that is a position, like a server's status.
	Position json.RawMessage `json:"position,omitempty"`
	// TimeMS is the time for the answer in milliseconds; 0 or less means
	// DefaultTime.
	TimeMS float64 `json:"time_ms,omitempty"`
	// Ponder asks to think about a position of the opponent's until the next
	// line. The answer, when that is over, is empty.
	Ponder bool `json:"ponder,omitempty"`
	// Improve asks for answers with SoFar before the one that counts.
	Improve bool `json:"improve,omitempty"`
	// Stop ends the thinking about the earlier question of this id, which is then
	// answered with what there is. It has no answer of its own.
	Stop bool `json:"stop,omitempty"`
}

// Answer is a line back: the decision with its usual keys, or an error.
type Answer struct {
	ID    int64  `json:"id"`
	Error string `json:"error,omitempty"`
	// SoFar is what would be played if the time ended now; the answer follows.
	SoFar bool `json:"so_far,omitempty"`
	*engine.Decision
}

const (
	// DefaultTime is the time for a question that sets none.
	DefaultTime = 3 * time.Second
	// maxTime bounds what a question can ask for.
	maxTime = time.Hour
	// maxLine is the longest line that is read, in bytes.
	maxLine = 64 << 10
)

// Serve answers questions for a player, several at once if they come so, until
// the end of the input, and returns after the last answer. With ponder a player
// that is an engine.Ponderer thinks in the opponents' time when asked to.
func Serve(ctx context.Context, in io.Reader, out io.Writer, game engine.Game, player engine.Player, ponder bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{game: game, player: player, ponder: ponder, out: out, stops: map[int64]context.CancelFunc{}, failed: cancel, stopPondering: func() {}, pondered: make(chan struct{})}
	close(s.pondered)
	type line struct {
		text    []byte
		arrived time.Time // while the one before may still be waited for
	}
	questions := make(chan line)
	var readErr error // valid once questions is closed
	go func() {
		defer close(questions)
		sc := bufio.NewScanner(in)
		sc.Buffer(nil, maxLine)
		for sc.Scan() {
			select {
			case questions <- line{bytes.Clone(sc.Bytes()), time.Now()}:
			case <-ctx.Done():
				return
			}
		}
		if readErr = sc.Err(); errors.Is(readErr, bufio.ErrTooLong) {
			readErr = fmt.Errorf("a line longer than %d bytes", maxLine)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return s.end(ctx.Err())
		case q, ok := <-questions:
			switch {
			case ctx.Err() != nil:
				return s.end(ctx.Err())
			case !ok:
				return s.end(readErr)
			}
			s.take(ctx, q.text, q.arrived)
		}
	}
}

// server is a Serve under way.
type server struct {
	game          engine.Game
	player        engine.Player
	ponder        bool
	thinking      sync.WaitGroup
	stopPondering context.CancelFunc
	pondered      chan struct{} // closed when the player has returned from it

	mu     sync.Mutex
	out    io.Writer
	stops  map[int64]context.CancelFunc // of the questions that are thought about
	err    error                        // of writing
	failed context.CancelFunc
}

// end waits until the player has returned.
func (s *server) end(err error) error {
	s.stopPondering()
	<-s.pondered
	s.thinking.Wait()
	if s.err != nil {
		return s.err
	}
	return err
}

// take begins to answer one line.
func (s *server) take(ctx context.Context, line []byte, arrived time.Time) {
	s.stopPondering()
	var q Question
	if err := json.Unmarshal(line, &q); err != nil {
		s.answer(Answer{Error: fmt.Sprintf("the question is not JSON as expected: %v", err)})
		return
	}
	if q.Stop {
		s.mu.Lock()
		defer s.mu.Unlock()
		if stop := s.stops[q.ID]; stop != nil {
			stop()
		}
		return
	}
	p, err := q.position(s.game)
	if err != nil {
		s.answer(Answer{ID: q.ID, Error: err.Error()})
		return
	}
	thinking, stop := context.WithCancel(ctx)
	pondered := s.pondered
	if q.Ponder {
		returned := make(chan struct{})
		s.stopPondering, s.pondered = stop, returned
		go func() {
			defer close(returned)
			defer stop()
			<-pondered
			a := Answer{ID: q.ID}
			if s.ponder {
				if err := engine.Ponder(thinking, s.player, p); err != nil {
					a.Error = err.Error()
				}
			}
			s.answer(a)
		}()
		return
	}
	limit := DefaultTime
	if q.TimeMS > 0 {
		limit = time.Duration(min(q.TimeMS*float64(time.Millisecond), float64(maxTime)))
	}
	s.mu.Lock()
	s.stops[q.ID] = stop
	s.mu.Unlock()
	s.thinking.Go(func() {
		defer stop()
		// A player that is slow to return has the whole machine against it: it is
		// asked all the same after a tenth of the time.
		select {
		case <-pondered:
		case <-time.After(limit / 10):
		}
		var improved func(engine.Decision)
		if q.Improve {
			improved = func(d engine.Decision) {
				d.Moves, d.Line = nil, nil
				s.answer(Answer{ID: q.ID, SoFar: true, Decision: &d})
			}
		}
		a := <-engine.Ask(thinking, s.player, p, engine.Clock{Deadline: arrived.Add(limit)}, 0, improved).Answer
		if a.Err != nil {
			s.answer(Answer{ID: q.ID, Error: a.Err.Error()})
			return
		}
		s.answer(Answer{ID: q.ID, Decision: &a.Decision})
	})
}

// position reads the position of a question.
func (q Question) position(game engine.Game) (engine.Position, error) {
	if len(q.Position) == 0 {
		return nil, errors.New("no position; a program that shim wrote for an older version must be written again")
	}
	text := string(q.Position)
	if text[0] == '"' {
		if err := json.Unmarshal(q.Position, &text); err != nil {
			return nil, err
		}
	}
	return game.Parse(text)
}

func (s *server) answer(a Answer) {
	text, err := json.Marshal(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !a.SoFar {
		delete(s.stops, a.ID)
	}
	if err == nil {
		_, err = s.out.Write(append(text, '\n'))
	}
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("write the answer: %w", err)
		s.failed()
	}
}
