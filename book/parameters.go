package book

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"endwise/engine"
)

const defaultTime = time.Second

var ErrNoPosition = errors.New("position: missing")

// ReadQuestion returns the question of a request. position is the text of the position; params and
// maxTime are as in [ReadOptions]. ReadQuestion returns [ErrNoPosition] if position is blank, an error
// of ReadOptions, or the error of parsing the position.
func ReadQuestion(
	g engine.Game, position string, params func(name string) string, maxTime time.Duration,
) (Question, error) {
	q, limit, err := ReadOptions(params, maxTime)
	if strings.TrimSpace(position) == "" {
		err = ErrNoPosition
	}
	if err != nil {
		return q, err
	}
	q.Position, err = g.Parse(position)
	q.Clock = engine.ClockFor(limit)
	return q, err
}

// ReadOptions reads the options of a question from the parameters of a request. params returns the text
// of a parameter, "" if it is missing:
//
//   - time is the time for the answer, at most maxTime, for example 500ms.
//   - moves is "best" (the default) or "all", which requests the values of all moves.
//   - play is "true" if the move will be played in a game, or "false" (the default).
//
// It returns a question without position and clock, and the time as limit, one second if the parameter
// is missing. An error describes the first invalid parameter.
func ReadOptions(
	params func(name string) string, maxTime time.Duration,
) (q Question, limit time.Duration, err error) {
	limit = defaultTime
	if text := params("time"); text != "" {
		if limit, err = time.ParseDuration(text); err != nil || limit <= 0 || limit > maxTime {
			err = fmt.Errorf("time=%.40s: want a time above 0 and up to %v, for instance 500ms", text, maxTime)
		}
	}
	isOther := func(name, usual, other string) bool {
		text := params(name)
		valid := text == "" || text == usual || text == other
		if !valid && err == nil {
			err = fmt.Errorf("%s=%.40s: want %s or %s", name, text, other, usual)
		}
		return text == other
	}
	q.AllMoves = isOther("moves", "best", "all")
	q.Play = isOther("play", "false", "true")
	return q, limit, err
}
