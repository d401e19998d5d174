// Package arena plays games, and matches of several games, between players, and reports
// what the results say about their strength. Its subpackage championship plays groups and
// a knockout.
//
//   - play.go plays one game (Config.Play), which a Watcher may follow, and judges
//     every move. Whatever a player does, only its own game is lost: an illegal
//     move, a late one, an error, a panic and a player that can't be opened are a
//     loss with a sentence that says why. A program that a server of ours asks
//     is timed there (wire/cwhttp/serverclock.go, wire/wyb/limits.go).
//   - pool.go plays many games at once, journal.go keeps their results in a
//     file that an interrupted run continues from, without its torn last line.
//   - opening.go makes random balanced starts.
//   - match.go schedules matches in pairs of games with the sides swapped, each player
//     against each or one against all; tally.go counts the games of two players.
//   - elo.go computes the difference in Elo with its error bars, sprt.go is the
//     sequential test that ends a match when it is decided.
//   - report.go reports a match; document.go writes reports for a terminal or in
//     Markdown.
//
// Everything works over engine.Position and engine.Player. What a game has
// beyond them (its log format, the score of a game lost by rule) comes in
// Rules; programs behind a socket or a pipe are players as well, with the
// optional methods of Timed, Observer, Finisher and io.Closer.
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

// Rules is a game as the arena needs it.
type Rules struct {
	engine.Game
	// ForfeitScore is the score of a game lost by rule, given the position
	// that it ended in; nil leaves the score as it stood.
	ForfeitScore func(last engine.Position, winner engine.Side) [2]int
	// WriteLog writes a finished game in the game's own format; nil means
	// the plain format of WriteLog.
	WriteLog func(w io.Writer, start engine.Position, r Result) error
}

// Participant is somebody who can sit down at any number of games, several at
// once where the arena plays concurrently.
type Participant struct {
	// Name is what logs and standings show; unique within a run.
	Name string
	// Spec says how the participant is made; a run is only continued with the
	// same specs.
	Spec string
	// Open gives a player for one game. The player may also be Timed, an
	// Observer, a Finisher and an io.Closer. Open may wait for a program to
	// come up; an error loses that game. The context ends with the game.
	Open func(ctx context.Context, setup Setup) (engine.Player, error)
}

// Setup is one side of one game.
type Setup struct {
	Game     string // the fixture's ID
	Side     engine.Side
	Opponent string
	// Start is the position in which play begins; Opening holds the moves
	// that led there from the game's first position.
	Start   engine.Position
	Opening []engine.Move
	// Time is the limit of a move, 0 for none; Grace is by how much it may
	// be overrun without losing.
	Time  time.Duration
	Grace time.Duration
	// Seed differs for the two sides and all games and is the same in a repeated run.
	Seed uint64
	// Forfeit ends the game with a loss of this side even when it is not
	// its turn, for instance because a program moved out of turn. Safe from
	// any goroutine; only the first call of a game counts.
	Forfeit func(Fault)
}

// Observer is a Player that wants to know each move as it is played, its own
// included, before the next one is asked for. Opening moves are in the Setup, not
// observed. The time that it takes to observe the other side's move is part of
// its own. An error loses the game as one of Choose does, unless the move has
// ended it.
type Observer interface {
	Observe(ctx context.Context, by engine.Side, m engine.Move, after engine.Position) error
}

// Timed is a Player for whose moves the arena has a patience of its own, for
// instance because its protocol does not time the first one. MoveTimeout is given
// the limit of a move, which is what the player is told all the same, and
// whether the move is the first one played; it returns how long the arena
// waits, 0 for ever.
type Timed interface {
	MoveTimeout(limit time.Duration, first bool) time.Duration
}

// Finisher is a Player that wants to know the result before it is closed.
type Finisher interface {
	Finish(r Result)
}

// Watcher follows a game as it is played, step by step, from the goroutine that
// plays it. An error ends the run.
type Watcher interface {
	// Returned is called when a call of a player has returned: Open, Choose, or
	// Observe for the other side's move.
	Returned(side engine.Side, p engine.Player) error
	// Reached says what position the game has come to, from the start of play
	// on.
	Reached(p engine.Position) error
	// Lost says why a side has lost by rule; p is nil where it was never there.
	Lost(side engine.Side, p engine.Player, f Fault) error
}

// Ending is how a game ended.
type Ending string

// The endings.
const (
	Played   Ending = "played"   // by the rules of the game
	Illegal  Ending = "illegal"  // an illegal or unreadable move
	Timeout  Ending = "timeout"  // no move within the limit
	Crash    Ending = "crash"    // an error, a panic, or never there
	Stopped  Ending = "stopped"  // the arena's cap on turns: a tie
	NoPlayer Ending = "noplayer" // neither side was there: lost by both
)

// Fault is why a side lost by rule. As an error returned by Player.Choose,
// Observer.Observe or Participant.Open it sets the ending; any other error is a
// Crash.
type Fault struct {
	End    Ending
	Reason string
	// Word is what the game's own referee calls it, where that tells apart what
	// End does not; "" for the usual word.
	Word string
	// Move is the illegal move as it was sent, if there was one and
	// Player.Choose did not return it.
	Move string
	// Turn is the number of the move, counted from 1 at the start of play,
	// that should have been played when it happened; 0 if it is not known.
	// Moves from there on did not count any more and are taken back.
	Turn int
}

// Error returns the reason.
func (f *Fault) Error() string { return f.Reason }

// Result is a finished game. Index 0 of its pairs is the side that moves
// first.
type Result struct {
	ID      string    `json:"id"`
	Players [2]string `json:"players"`
	// Winner is 1 or 2, 0 for a tie and for a game that both lost.
	Winner engine.Side `json:"winner"`
	Score  [2]int      `json:"score"`
	End    Ending      `json:"end"`
	// Fault is a sentence about a game not simply played to its end.
	Fault   string   `json:"fault,omitempty"`
	Opening []string `json:"opening,omitempty"`
	Moves   []string `json:"moves"`
	// BadMove is the text of the illegal move that ended the game.
	BadMove string     `json:"bad_move,omitempty"`
	Time    [2]TimeUse `json:"time"`
}

// Loser is the side that lost, None for a tie and a game that both lost.
func (r Result) Loser() engine.Side {
	if r.Winner == engine.None {
		return engine.None
	}
	return r.Winner.Other()
}

// Forfeited says whether the game was lost by rule.
func (r Result) Forfeited() bool { return r.End != Played && r.End != Stopped }

// Points is what the side gets for the game in half points: 2 for a win, 1
// for a tie, 0 for a loss.
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

// Digest is a SHA-256 over the games in the order of their IDs, without times
// and without the wording of faults: two runs that played the same games have
// the same digest.
func Digest(results []Result) string {
	sorted := slices.Clone(results)
	slices.SortFunc(sorted, func(a, b Result) int { return strings.Compare(a.ID, b.ID) })
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, r := range sorted {
		r.Time, r.Fault = [2]TimeUse{}, ""
		// A struct of strings and numbers always encodes, and a hash takes
		// every write.
		_ = enc.Encode(r)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Faults has a sentence for each game that did not end by its last move.
func Faults(results []Result) []string {
	lines := []string{}
	for _, r := range results {
		if r.Fault != "" {
			lines = append(lines, r.ID+": "+r.Fault)
		}
	}
	return lines
}

// TimeUse is the time that one side spent on its moves.
type TimeUse struct {
	Moves   int     `json:"moves"`
	TotalMS float64 `json:"total_ms"`
	MaxMS   float64 `json:"max_ms"`
}

func (t *TimeUse) add(d time.Duration) {
	ms := float64(d.Microseconds()) / 1000
	t.Moves++
	t.TotalMS += ms
	t.MaxMS = max(t.MaxMS, ms)
}

// Merge adds the moves of u.
func (t *TimeUse) Merge(u TimeUse) {
	t.Moves += u.Moves
	t.TotalMS += u.TotalMS
	t.MaxMS = max(t.MaxMS, u.MaxMS)
}

// MeanMS is the mean time of a move in milliseconds, 0 without moves.
func (t TimeUse) MeanMS() float64 {
	if t.Moves == 0 {
		return 0
	}
	return t.TotalMS / float64(t.Moves)
}

// Fixture is a game to be played.
type Fixture struct {
	ID      string         // unique within the run; also the log's file name
	Players [2]Participant // the one that moves first, the other
	Opening []engine.Move
	Seed    uint64
}

// NewFixture is a game of a run with the given seed.
func NewFixture(id string, first, second Participant, seed uint64) Fixture {
	hash := sha256.Sum256([]byte(id))
	return Fixture{ID: id, Players: [2]Participant{first, second}, Seed: mix(seed, binary.BigEndian.Uint64(hash[:]))}
}

// WriteLog writes a game in the plain format, a header of "key: value" lines,
// an empty line and a move a line, for games that have no format of their own.
func WriteLog(w io.Writer, start engine.Position, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "game: %s\nstart: %s\nplayer_1: %s\nplayer_2: %s\nwinner: %d\nscore: %d-%d\nend: %s\n",
		start.Game(), start, r.Players[0], r.Players[1], r.Winner, r.Score[0], r.Score[1], r.End)
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
