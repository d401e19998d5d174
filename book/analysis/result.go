package analysis

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"endwise/book/why"
	"endwise/engine"
	"endwise/engine/arena/championship"
)

// Truth contains the bounds and the estimate of a value for one side.
type Truth struct {
	// Lower and Upper are proved bounds of the value, nil if there is none.
	Lower *int `json:"lower,omitempty"`
	Upper *int `json:"upper,omitempty"`
	// Estimate is an estimate between the bounds, nil if there is none.
	Estimate *int `json:"estimate,omitempty"`
}

// Exact returns the value; proved is false, and the value 0, if it is not proved.
func (t Truth) Exact() (value int, proved bool) {
	if t.Lower != nil && t.Upper != nil && *t.Lower == *t.Upper {
		return *t.Lower, true
	}
	return 0, false
}

// clip clips the estimate, if any, to the bounds, which may be nil. A bound v is the estimate v*scale.
func (t *Truth) clip(lower, upper *int, scale int) {
	if t.Estimate == nil {
		return
	}
	if lower != nil {
		t.Estimate = new(max(*t.Estimate, *lower*scale))
	}
	if upper != nil {
		t.Estimate = new(min(*t.Estimate, *upper*scale))
	}
}

// Move is one move of an analysed game.
type Move struct {
	Ply    int    `json:"ply"`    // from 1
	Player int    `json:"player"` // 1 or 2
	Move   string `json:"move"`
	Score  [2]int `json:"score"` // after the move
	// Before is the value of the position before the move for the side to move.
	Before Truth  `json:"before"`
	Source string `json:"source"` // of Before
	Depth  int    `json:"depth,omitempty"`
	// Best is the best move of the position before, as far as it is known.
	Best string `json:"best"`
	// Loss is the loss by the move against best play, if it is proved, and MinLoss its lower bound, if
	// only that is proved and positive. A square or box that changes sides counts 2.
	Loss    *int `json:"gives_up,omitempty"`
	MinLoss *int `json:"at_least,omitempty"`
	// Line is the best play from the position before a mistake, beginning with Best, and Refutation
	// the best play after it, if its value is proved.
	Line       []string `json:"line,omitempty"`
	Refutation []string `json:"refutation,omitempty"`
	// Why compares a mistake, or a likely one, with Best.
	Why []why.Reason `json:"why,omitempty"`
}

// ProvedLoss returns the proved lower bound of the loss by the move, 0 if no loss is proved.
func (m Move) ProvedLoss() int {
	switch {
	case m.Loss != nil:
		return *m.Loss
	case m.MinLoss != nil:
		return *m.MinLoss
	}
	return 0
}

// Margin is a point of the evaluation plot: the final result to expect after Ply moves.
type Margin struct {
	Ply int `json:"ply"` // 0 for the first position
	// Value is the final result from player 1's side: the score difference, or in games without a
	// score the result, 1 for a win and -1 for a loss.
	Value float64      `json:"value"`
	Proof engine.Proof `json:"proof"` // what is proved about Value
}

// Mistake is a losing move with its position and a better move.
type Mistake struct {
	Ply      int    `json:"ply"`
	Player   int    `json:"player"`
	Position string `json:"position"` // before the move
	Move     string `json:"move"`
	Better   string `json:"better"`
	Loss     int    `json:"gave_up"`
	Exact    bool   `json:"exact"` // otherwise Loss is a lower bound
	// Only reports whether exactly one move is proved to keep the position's value.
	Only bool `json:"only"`
}

type Player struct {
	Name  string `json:"name"`
	Moves int    `json:"moves"`
	// Evaluated is the number of moves with Loss or MinLoss.
	Evaluated int `json:"judged"`
	// Mistakes is the number of moves with a proved loss.
	Mistakes int `json:"mistakes"`
	Loss     int `json:"gave_up"` // sum of all proved losses
}

// Analysis is the analysis of a game.
type Analysis struct {
	Game    string    `json:"game"`
	Name    string    `json:"name"`
	Players [2]Player `json:"players"`
	Winner  int       `json:"winner"` // 1, 2, or 0
	Score   [2]int    `json:"score"`
	Fault   string    `json:"fault,omitempty"`
	Moves   []Move    `json:"moves"`
	Margins []Margin  `json:"margins"`
	// FirstSolved is the ply of the first move such that the position before it and all later
	// positions were solved; 0 if there is none.
	FirstSolved int `json:"first_solved"`
	// Proved is the player who is proved to win from the first position with best play, 0 for none.
	Proved int `json:"proved_winner,omitempty"`
	// ProvedUntil is the ply of the last move before FirstSolved at which Proved is still proved to win.
	ProvedUntil int `json:"proved_until,omitempty"`
	// Turned is the ply of the last move, from FirstSolved on, that changed the winner with best
	// play; 0 if there is none, or if a forfeit decided the game.
	Turned int `json:"turned"`
	// Expected is the winner with best play from the first solved position on: 1, 2, or 0 for a tie.
	// It is not used if FirstSolved is 0.
	Expected int `json:"expected"`
	// ExpectedScore is the final score with best play from there; in games without scores it is {0, 0}.
	ExpectedScore [2]int    `json:"expected_score,omitzero"`
	Worst         []Mistake `json:"worst"`
	// Likely contains possible mistakes in the part that was only estimated, the largest first.
	Likely []LikelyMistake `json:"likely,omitempty"`
	// Decisive is the loser's likely mistake that decided the game: the largest that turned the game,
	// or else the largest. It is nil if there is none, if the game was not played to its end, if a
	// proof says more, if a proved loss of the loser is as large, or if the winner is Proved.
	Decisive *LikelyMistake `json:"decisive,omitempty"`
	Start    string         `json:"start"`
	End      string         `json:"end"`
	Nodes    uint64         `json:"nodes"`
	// ElapsedMS is the time of the analysis in milliseconds.
	ElapsedMS float64 `json:"elapsed_ms"`
}

// ByForfeit reports whether a forfeit decided the game: its last position is not proved to be won by
// the winner.
func (a Analysis) ByForfeit() bool {
	if a.Fault == "" || a.Winner == 0 {
		return false
	}
	last := Margin{}
	if n := len(a.Margins); n > 0 {
		last = a.Margins[n-1]
	}
	won := last.Value > 0 && a.Winner == 1 || last.Value < 0 && a.Winner == 2
	return last.Ply != len(a.Moves) || last.Proof != engine.Exact || !won
}

// Occasion returns the round or the number that the game's name contains, "Group A", "Semifinal 1" or
// "Game 3", and "" if the name contains none.
func (a Analysis) Occasion() string {
	if n := a.Number(); n > 0 {
		return "Game " + strconv.Itoa(n)
	}
	round := a.round()
	if round == a.base() || round == "" {
		return ""
	}
	words := championship.InWords(round)
	return strings.ToUpper(words[:1]) + words[1:]
}

// base returns Name without the extension of a record.
func (a Analysis) base() string {
	return strings.TrimSuffix(strings.TrimSuffix(a.Name, ".log"), ".game")
}

// round returns the group or duel of a championship that base begins with, or base itself.
func (a Analysis) round() string {
	return championship.RoundOf(a.base(), [2]string{a.Players[0].Name, a.Players[1].Name})
}

// Number returns the number n of a game with the name PLAYER-PLAYER-n, and 0 for other names.
func (a Analysis) Number() int {
	if number, found := strings.CutPrefix(a.base(), a.Players[0].Name+"-"+a.Players[1].Name+"-"); found {
		n, _ := strconv.Atoi(number)
		return n
	}
	return 0
}

// Duels returns the number of duels in the game's round of a championship's knockout, and a larger number
// for every other game.
func (a Analysis) Duels() int {
	return cmp.Or(championship.DuelsOf(a.round()), math.MaxInt)
}

// Title names the game by its occasion and players, "Final: ann – bob", or by Name.
func (a Analysis) Title() string {
	if o := a.Occasion(); o != "" {
		return fmt.Sprintf("%s: %s – %s", o, a.Players[0].Name, a.Players[1].Name)
	}
	return a.Name
}
