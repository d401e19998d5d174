package analysis

import (
	"cmp"
	"slices"
)

// Standing contains the results of one player in several games.
type Standing struct {
	Player
	Games int `json:"games"`
	Won   int `json:"won"`
	Tied  int `json:"tied"`
	Lost  int `json:"lost"`
	// Forfeits is the number of lost games that were not played to their end.
	Forfeits int `json:"lost_by_rule"`
	// MissedWins is the number of games, played to their end, that the player did not win although
	// the first solved position was won.
	MissedWins int `json:"thrown"`
	// WorstGame and WorstPly locate the largest mistake, and WorstLoss is its loss.
	WorstGame string `json:"worst_game,omitempty"`
	WorstPly  int    `json:"worst_ply,omitempty"`
	WorstLoss int    `json:"worst_loss,omitempty"`
}

// minEvaluated is the minimum number of evaluated moves for [Player.Accuracy], or the number of the player's
// moves if that is smaller.
const minEvaluated = 5

// Accuracy returns the share of evaluated moves without a mistake; ok is false if too few were evaluated.
func (p Player) Accuracy() (share float64, ok bool) {
	if p.Evaluated < max(1, min(minEvaluated, p.Moves)) {
		return 0, false
	}
	return float64(p.Evaluated-p.Mistakes) / float64(p.Evaluated), true
}

// Summary contains the results of several games.
type Summary struct {
	Games int `json:"games"`
	Moves int `json:"moves"`
	// Unfinished is the number of games that have no result.
	Unfinished int `json:"unfinished,omitempty"`
	// Solved is the number of positions before a move whose value is proved.
	Solved int `json:"solved"`
	// Evaluated, Mistakes, Loss and MissedWins are the sums over all players.
	Evaluated  int `json:"judged"`
	Mistakes   int `json:"mistakes"`
	Loss       int `json:"gave_up"`
	MissedWins int `json:"thrown"`
	// FirstSolvedMedian is the median length, in moves, of the solved parts of games that have one.
	FirstSolvedMedian int        `json:"first_solved_median"`
	Players           []Standing `json:"players"`
}

// Summarize combines analyses of games. Players of one name are one, in descending order of accuracy.
func Summarize(games []Analysis) Summary {
	var s Summary
	players := map[string]*Standing{}
	var lengths []int
	for _, g := range games {
		s.Games++
		s.Moves += len(g.Moves)
		for _, m := range g.Moves {
			if _, ok := m.Before.Exact(); ok {
				s.Solved++
			}
		}
		if g.FirstSolved > 0 {
			lengths = append(lengths, len(g.Moves)-g.FirstSolved+1)
		}
		if g.Winner == 0 && g.Fault != "" {
			s.Unfinished++
		}
		for i, p := range g.Players {
			s.Evaluated += p.Evaluated
			s.Mistakes += p.Mistakes
			s.Loss += p.Loss
			st := players[p.Name]
			if st == nil {
				st = &Standing{Player: Player{Name: p.Name}}
				players[p.Name] = st
			}
			st.addGame(g, i)
		}
	}
	if len(lengths) > 0 {
		slices.Sort(lengths)
		s.FirstSolvedMedian = lengths[len(lengths)/2]
	}
	for _, p := range players {
		s.Players = append(s.Players, *p)
		s.MissedWins += p.MissedWins
	}
	slices.SortFunc(s.Players, func(a, b Standing) int {
		x, _ := a.Accuracy()
		y, _ := b.Accuracy()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Name, b.Name))
	})
	return s
}

// addGame adds the results of g.Players[i].
func (st *Standing) addGame(g Analysis, i int) {
	p := g.Players[i]
	st.Games++
	st.Moves += p.Moves
	st.Evaluated += p.Evaluated
	st.Mistakes += p.Mistakes
	st.Loss += p.Loss
	switch {
	case g.Winner == 0 && g.Fault != "": // no result
	case g.Winner == 0:
		st.Tied++
	case g.Winner == i+1:
		st.Won++
	default:
		st.Lost++
		if g.Fault != "" {
			st.Forfeits++
		}
	}
	if g.FirstSolved > 0 && g.Fault == "" && g.Expected == i+1 && g.Winner != i+1 {
		st.MissedWins++
	}
	for _, m := range g.Moves {
		if m.Player == i+1 && m.ProvedLoss() > st.WorstLoss {
			st.WorstGame, st.WorstPly, st.WorstLoss = g.Name, m.Ply, m.ProvedLoss()
		}
	}
}
