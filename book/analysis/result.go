package analysis

import (
	"endwise/book/why"
	"endwise/engine"
)

// Truth is what is known of a value for one side.
type Truth struct {
	// Lower and Upper enclose the value where something is proved.
	Lower *int `json:"lower,omitempty"`
	Upper *int `json:"upper,omitempty"`
	// Estimate is the search's opinion where the value is not exact, between the bounds.
	Estimate *int `json:"estimate,omitempty"`
}

// Exact returns the value where it is proved.
func (t Truth) Exact() (int, bool) {
	if t.Lower != nil && t.Upper != nil && *t.Lower == *t.Upper {
		return *t.Lower, true
	}
	return 0, false
}

// clip moves the estimate between two bounds, either of which may be nil; a point of a
// bound counts scale points of the estimate.
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
	// Before is the value of the position before the move for its mover.
	Before Truth  `json:"before"`
	Source string `json:"source"` // who said so
	Depth  int    `json:"depth,omitempty"`
	// Best is the move that the source prefers, or the played one if that is proved to
	// be worth more.
	Best string `json:"best"`
	// GivesUp is what the move lost against best play, where both values are
	// proved; AtLeast is a proved lower bound of it where only bounds are
	// known and they prove a loss.
	GivesUp *int `json:"gives_up,omitempty"`
	AtLeast *int `json:"at_least,omitempty"`
	// Why compares a mistake with Best.
	Why []why.Reason `json:"why,omitempty"`
}

// Loss is what the move is known to have given up at least.
func (m Move) Loss() int {
	switch {
	case m.GivesUp != nil:
		return *m.GivesUp
	case m.AtLeast != nil:
		return *m.AtLeast
	}
	return 0
}

// Margin is a point of the evaluation plot: the final result to expect from
// player 1's side after so many moves.
type Margin struct {
	Ply   int          `json:"ply"` // 0 for the first position
	Value float64      `json:"value"`
	Proof engine.Proof `json:"proof"`
}

// Mistake is a bad move, shown with its position and a better one.
type Mistake struct {
	Ply      int      `json:"ply"`
	Player   int      `json:"player"`
	Position string   `json:"position"` // before the move
	Move     string   `json:"move"`
	Better   string   `json:"better"`
	Line     []string `json:"line,omitempty"` // best play, the better move first
	GaveUp   int      `json:"gave_up"`
	Exact    bool     `json:"exact"` // otherwise GaveUp is a lower bound
	// Only is true where exactly one move keeps the position's value.
	Only bool `json:"only"`
}

// Player is what a game says about one player.
type Player struct {
	Name  string `json:"name"`
	Moves int    `json:"moves"`
	// Judged counts the moves of which GivesUp or AtLeast is known.
	Judged int `json:"judged"`
	// Mistakes counts the moves that are proved to have given something up.
	Mistakes int `json:"mistakes"`
	GaveUp   int `json:"gave_up"` // all that they gave up together
}

// Analysis is what is found out about a game.
type Analysis struct {
	Game    string    `json:"game"`
	Name    string    `json:"name"`
	Players [2]Player `json:"players"`
	Winner  int       `json:"winner"` // 1, 2, or 0
	Score   [2]int    `json:"score"`
	Fault   string    `json:"fault,omitempty"`
	Moves   []Move    `json:"moves"`
	Margins []Margin  `json:"margins"`
	// FirstSolved is the ply of the first move from which on every position
	// was solved; 0 where none was.
	FirstSolved int `json:"first_solved"`
	// Turned is the ply of the last move that changed who wins with best
	// play, among the solved ones; 0 where there is none.
	Turned int `json:"turned"`
	// Expected is who wins with best play from the first solved position on:
	// 1, 2, or 0 for a tie; meaningless where FirstSolved is 0.
	Expected int       `json:"expected"`
	Worst    []Mistake `json:"worst"`
	// Start and End are the first and the last position.
	Start string `json:"start"`
	End   string `json:"end"`
	Nodes uint64 `json:"nodes"`
	// ElapsedMS is the time that the analysis took, in milliseconds.
	ElapsedMS float64 `json:"elapsed_ms"`
}
