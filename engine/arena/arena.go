// Package arena plays games and matches between players and estimates their relative strength
// from the results. [Config.Play] plays one game, [Run] the games of a [Source] concurrently.
// A [Match] schedules pairs of games with the sides swapped. A [Journal] stores the results, so
// that an interrupted run can be resumed.
//
// A player forfeits its game by an illegal or late move, an error or a panic. A player may also
// implement [Timed], [Observer], [Finisher] and io.Closer.
package arena

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"endwise/engine"
)

type Rules struct {
	engine.Game
	// Unit is the noun for scores in reports, for instance "squares".
	Unit string
	// ForfeitScore returns the score of a forfeited game whose last position is last; nil
	// means the score of that position.
	ForfeitScore func(last engine.Position, winner engine.Side) [2]int
	// WriteLog writes a finished game in the game's own format; nil means the function [WriteLog].
	WriteLog func(w io.Writer, start engine.Position, r Result) error
}

// Participant is an entry in a run. It may play several games concurrently.
type Participant struct {
	// Name is unique within a run.
	Name string
	// Spec describes the participant's kind and settings.
	Spec string
	// Open returns a player for one game, and may wait for a program to start. An error forfeits
	// the game. ctx ends with the game.
	Open func(ctx context.Context, setup Setup) (engine.Player, error)
}

// Setup describes one game to the player of one side.
type Setup struct {
	Game     string // the ID of the [Fixture]
	Side     engine.Side
	Opponent string // the opponent's name
	// Play begins in Start; Opening contains the moves from Config.First to Start.
	Start   engine.Position
	Opening []engine.Move
	// Time is the limit of a move, 0 for none; Grace is the allowed overrun.
	Time  time.Duration
	Grace time.Duration
	Seed  uint64
	// Forfeit makes this side lose the game, unless the game has already ended. It may be called
	// from any goroutine.
	Forfeit func(Fault)
}

// Observer is implemented by players that need every move of the game. Observe is called for
// each legal move of either side after Setup.Start. The time to observe an opponent's move counts
// as time of the player's next move. An error forfeits the game, except after the last move.
type Observer interface {
	Observe(ctx context.Context, by engine.Side, m engine.Move, after engine.Position) error
}

// Timed is implemented by players that need their own move timeout. MoveTimeout returns the timeout of
// the next move, 0 for none. limit, the limit of a move in the run, is greater than 0; the player's clock
// shows limit if there is a timeout. first reports whether no move has been played after Setup.Start.
type Timed interface {
	MoveTimeout(limit time.Duration, first bool) time.Duration
}

// Finisher is implemented by players that need the result before they are closed.
type Finisher interface {
	Finish(r Result)
}

// Watcher follows a game. Its methods are called from the goroutine that plays the game;
// [Config.Play] returns the first error of a method.
type Watcher interface {
	// Returned is called after a player has returned in time from Open, from Choose, or from
	// Observe for its opponent's move, without a fault other than an illegal move.
	Returned(side engine.Side, p engine.Player) error
	// Reached is called with every position from Setup.Start on, if both players were opened.
	Reached(p engine.Position) error
	// Lost is called when a side forfeits; p is nil if the player could not be opened.
	Lost(side engine.Side, p engine.Player, f Fault) error
}

// Ending is the way in which a game ended.
type Ending string

const (
	Played   Ending = "played"
	Illegal  Ending = "illegal"  // an illegal or unreadable move
	Timeout  Ending = "timeout"  // no move within the limit
	Crash    Ending = "crash"    // any other fault of a player
	Stopped  Ending = "stopped"  // a tie because the limit of turns was reached
	NoPlayer Ending = "noplayer" // neither player could be opened: both lose
)

// Fault is the reason for a forfeit. A player's methods, Open, and Observe may return a *Fault with
// the end Illegal, Timeout or Crash. Another error becomes the fault Illegal for an illegal move,
// Timeout for an exceeded deadline, and otherwise Crash.
type Fault struct {
	End    Ending
	Reason string
	// Word is a name of the fault that is more specific than End, such as OutOfTurn; otherwise "".
	Word string
	Move string // the illegal move as it was sent; may be ""
	// Turn is the number, from 1 at Setup.Start, of the move that was due when the fault
	// happened; 0 if unknown. After Setup.Forfeit, the result omits this move and later ones.
	Turn int
}

func (f *Fault) Error() string { return f.Reason }

// OutOfTurn is the Word of an illegal move that was sent during the opponent's turn.
const OutOfTurn = "a move out of turn"

// Unreachable is the error of Participant.Open if the program runs elsewhere and no connection to it is
// possible.
type Unreachable struct{ Reason string }

func (u *Unreachable) Error() string { return u.Reason }

// Result is a game that was played. Index 0 of its arrays is the side that moves first.
type Result struct {
	ID      string    `json:"id"`
	Players [2]string `json:"players"`
	Specs   [2]string `json:"specs,omitzero"` // of the players; may be unknown
	// Winner is 1 or 2, or 0 for a tie and for a game that both sides lost.
	Winner engine.Side `json:"winner"`
	Score  [2]int      `json:"score"`
	End    Ending      `json:"end"`
	// Fault is a sentence about a game that did not end according to its rules.
	Fault   string   `json:"fault,omitempty"`
	Opening []string `json:"opening,omitempty"`
	Moves   []string `json:"moves"`
	// BadMove is the text of the illegal move that ended the game.
	BadMove string     `json:"bad_move,omitempty"`
	Time    [2]TimeUse `json:"time"`
}

// Loser returns the side that lost, None for a tie and for a game that both sides lost.
func (r Result) Loser() engine.Side {
	if r.Winner == engine.None {
		return engine.None
	}
	return r.Winner.Other()
}

func (r Result) Forfeited() bool { return r.End != Played && r.End != Stopped }

// Points returns the side's half points: 2 for a win, 1 for a tie, 0 for a loss.
func (r Result) Points(s engine.Side) int {
	switch {
	case r.End == NoPlayer:
		return 0
	case r.Winner == engine.None:
		return 1
	case r.Winner == s:
		return 2
	}
	return 0
}

// Digest returns a SHA-256, in hexadecimal, of the games in the order of their IDs, without
// specs, times and fault texts.
func Digest(results []Result) string {
	sorted := slices.Clone(results)
	slices.SortFunc(sorted, func(a, b Result) int { return strings.Compare(a.ID, b.ID) })
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, r := range sorted {
		r.Specs, r.Time, r.Fault = [2]string{}, [2]TimeUse{}, ""
		_ = enc.Encode(r) // cannot fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Faults returns sentences about the games with a Fault, one for all games with the same loser and
// ending. It contains the ID and the fault of the first of these games and the number of the others.
// Games in which the loser made no move are counted separately.
func Faults(results []Result) []string {
	type kind struct {
		loser string // "" if no side won or lost
		end   Ending
		moved bool // whether the loser has moved, if the first side began and the sides alternated
	}
	var kinds []kind // in the order of their first games
	games := map[kind][]Result{}
	for _, r := range results {
		if r.Fault == "" {
			continue
		}
		k := kind{end: r.End}
		if s := r.Loser(); s != engine.None {
			k.loser, k.moved = r.Players[s-1], len(r.Moves) >= int(s)
		}
		if games[k] == nil {
			kinds = append(kinds, k)
		}
		games[k] = append(games[k], r)
	}
	lines := []string{}
	for _, k := range kinds {
		line := games[k][0].ID + ": " + games[k][0].Fault
		if n := len(games[k]) - 1; n > 0 {
			line += fmt.Sprintf("; %s ended likewise", Count(n, "more game"))
		}
		lines = append(lines, line)
	}
	return lines
}

// TimeUse is the time that a player used for its moves, in milliseconds.
type TimeUse struct {
	Moves   int     `json:"moves"`
	TotalMS float64 `json:"total_ms"`
	MaxMS   float64 `json:"max_ms"` // of the longest move
}

func (t *TimeUse) add(d time.Duration) {
	ms := float64(d.Microseconds()) / 1000
	t.Moves++
	t.TotalMS += ms
	t.MaxMS = max(t.MaxMS, ms)
}

func (t *TimeUse) Merge(u TimeUse) {
	t.Moves += u.Moves
	t.TotalMS += u.TotalMS
	t.MaxMS = max(t.MaxMS, u.MaxMS)
}

// MeanMS returns the mean time of a move in milliseconds, 0 without moves.
func (t TimeUse) MeanMS() float64 {
	if t.Moves == 0 {
		return 0
	}
	return t.TotalMS / float64(t.Moves)
}

type Fixture struct {
	ID      string         // unique within the run
	Players [2]Participant // the first to move, the other
	Opening []engine.Move  // the moves from Config.First to Setup.Start
	Seed    uint64         // determines Setup.Seed of both sides
}

// NewFixture returns a game without an opening. Its seed is derived from id and from seed, the
// seed of the run.
func NewFixture(id string, first, second Participant, seed uint64) Fixture {
	hash := sha256.Sum256([]byte(id))
	return Fixture{ID: id, Players: [2]Participant{first, second}, Seed: mix(seed, binary.BigEndian.Uint64(hash[:]))}
}

// WriteLog writes a game in the plain format of all games ([engine.SplitRecord]). start is the
// position before the opening. A game without an ending has no lines winner, score and end.
func WriteLog(w io.Writer, start engine.Position, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "game: %s\nstart: %s\nplayer_1: %s\nplayer_2: %s\n", start.Game(), start, r.Players[0], r.Players[1])
	if r.End != "" {
		fmt.Fprintf(&b, "winner: %d\nscore: %d-%d\nend: %s\n", r.Winner, r.Score[0], r.Score[1], r.End)
	}
	if r.Fault != "" {
		fmt.Fprintf(&b, "fault: %s\n", r.Fault)
	}
	fmt.Fprintln(&b)
	for _, m := range slices.Concat(r.Opening, r.Moves) {
		fmt.Fprintln(&b, m)
	}
	if r.BadMove != "" {
		fmt.Fprintln(&b, r.BadMove)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
