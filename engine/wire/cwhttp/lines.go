package cwhttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// Question is one line that AnswerLines reads.
type Question struct {
	ID     int64           `json:"id"`
	Status json.RawMessage `json:"status"`  // the status object as the server sent it
	TimeMS float64         `json:"time_ms"` // for the answer; 0 or less means DefaultMoveTime
}

// Answer is one line that AnswerLines writes: the decision with its usual
// keys, or an error.
type Answer struct {
	ID    int64  `json:"id"`
	Error string `json:"error,omitempty"`
	*engine.Decision
}

// maxQuestionBytes is the longest line that AnswerLines reads.
const maxQuestionBytes = maxAnswerBytes

// AnswerLines lets another program ask a player for moves over a pipe: one
// JSON object a line each way, a Question in and an Answer out. A new question
// stops the thinking about the one before, which is then answered with what
// there is. It returns after the answer to the last question of the input.
// With ponder a player that is an engine.Ponderer goes on thinking between its answer
// and the next line.
func AnswerLines(ctx context.Context, in io.Reader, out io.Writer, player engine.Player, ponder bool) error {
	ctx, stop := context.WithCancel(ctx)
	stopPondering := func() {} // also waits until the player has returned
	defer func() { stop(); stopPondering() }()
	type asked struct {
		line     []byte
		thinking context.Context // ends when the next line has come
		answered context.CancelFunc
	}
	questions := make(chan asked)
	var readErr error // valid once questions is closed
	go func() {
		defer close(questions)
		sc := bufio.NewScanner(in)
		sc.Buffer(nil, maxQuestionBytes)
		stopThinking := func() {}
		for sc.Scan() {
			stopThinking()
			thinking, cancel := context.WithCancel(ctx)
			stopThinking = cancel
			select {
			case questions <- asked{bytes.Clone(sc.Bytes()), thinking, cancel}:
			case <-ctx.Done():
				cancel()
				return
			}
		}
		if readErr = sc.Err(); errors.Is(readErr, bufio.ErrTooLong) {
			readErr = fmt.Errorf("a line longer than %d bytes", maxQuestionBytes)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case q, ok := <-questions:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !ok {
				return readErr
			}
			stopPondering()
			a, after := answerLine(q.thinking, q.line, player)
			q.answered()
			text, err := json.Marshal(a)
			if err != nil {
				return err
			}
			if _, err := out.Write(append(text, '\n')); err != nil {
				return fmt.Errorf("write the answer: %w", err)
			}
			stopPondering = func() {}
			if ponder && after != nil {
				stopPondering = engine.PonderBeside(ctx, player, after, nil)
			}
		}
	}
}

// answerLine answers one question. after is the position with the answer
// played, nil where there is none.
func answerLine(ctx context.Context, line []byte, player engine.Player) (a Answer, after engine.Position) {
	start := time.Now()
	var q Question
	if err := json.Unmarshal(line, &q); err != nil {
		return Answer{Error: fmt.Sprintf("the question is not JSON as expected: %v", err)}, nil
	}
	st, err := circuitwars.ParseStatus(q.Status)
	if err != nil {
		return Answer{ID: q.ID, Error: err.Error()}, nil
	}
	limit := DefaultMoveTime
	if q.TimeMS > 0 {
		limit = time.Duration(min(q.TimeMS, 3.6e6) * float64(time.Millisecond))
	}
	d, err := player.Choose(ctx, st.Position, engine.Clock{Deadline: start.Add(limit)})
	if err != nil {
		return Answer{ID: q.ID, Error: err.Error()}, nil
	}
	if m, err := st.Position.ParseMove(d.Move); err == nil {
		if next, err := st.Position.Play(m); err == nil {
			after = next
		}
	}
	return Answer{ID: q.ID, Decision: &d}, after
}
