package analysis

import (
	"cmp"
	"slices"
)

// Standing is what several games say about one player.
type Standing struct {
	Player
	Games int `json:"games"`
	Won   int `json:"won"`
	Tied  int `json:"tied"`
	Lost  int `json:"lost"`
	// LostByRule counts the lost games that were not played to their end.
	LostByRule int `json:"lost_by_rule"`
	// Thrown counts the games that the player would have won from the first
	// solved position on and did not win.
	Thrown int `json:"thrown"`
	// WorstGame and WorstPly name the dearest mistake, WorstLoss what it cost.
	WorstGame string `json:"worst_game,omitempty"`
	WorstPly  int    `json:"worst_ply,omitempty"`
	WorstLoss int    `json:"worst_loss,omitempty"`
}

// Accuracy is the share of judged moves without a mistake; ok is false where
// none was judged.
func (p Player) Accuracy() (share float64, ok bool) {
	if p.Judged == 0 {
		return 0, false
	}
	return float64(p.Judged-p.Mistakes) / float64(p.Judged), true
}

// Summary is what several games say together.
type Summary struct {
	Games int `json:"games"`
	Moves int `json:"moves"`
	// Solved counts the positions before a move whose value is proved.
	Solved int `json:"solved"`
	// Judged, Mistakes and GaveUp add up all players'.
	Judged   int `json:"judged"`
	Mistakes int `json:"mistakes"`
	GaveUp   int `json:"gave_up"`
	// OtherWinner counts the games played to their end whose winner is not
	// the one that best play from the first solved position gives.
	OtherWinner int `json:"other_winner"`
	// FirstSolvedMedian is the median over the games with a solved part of
	// how many moves before the last one that part begins.
	FirstSolvedMedian int        `json:"first_solved_median"`
	Players           []Standing `json:"players"`
}

// Summarize adds up games; players are told apart by name. The best come
// first: by accuracy, then by name.
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
			if g.Fault == "" && g.Expected != g.Winner {
				s.OtherWinner++
			}
		}
		for i, p := range g.Players {
			s.Judged += p.Judged
			s.Mistakes += p.Mistakes
			s.GaveUp += p.GaveUp
			st := players[p.Name]
			if st == nil {
				st = &Standing{Player: Player{Name: p.Name}}
				players[p.Name] = st
			}
			st.add(g, i)
		}
	}
	if len(lengths) > 0 {
		slices.Sort(lengths)
		s.FirstSolvedMedian = lengths[len(lengths)/2]
	}
	for _, p := range players {
		s.Players = append(s.Players, *p)
	}
	slices.SortFunc(s.Players, func(a, b Standing) int {
		x, _ := a.Accuracy()
		y, _ := b.Accuracy()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Name, b.Name))
	})
	return s
}

// add counts a game for the player with index i in it.
func (st *Standing) add(g Analysis, i int) {
	p := g.Players[i]
	st.Games++
	st.Moves += p.Moves
	st.Judged += p.Judged
	st.Mistakes += p.Mistakes
	st.GaveUp += p.GaveUp
	switch g.Winner {
	case 0:
		st.Tied++
	case i + 1:
		st.Won++
	default:
		st.Lost++
		if g.Fault != "" {
			st.LostByRule++
		}
	}
	if g.FirstSolved > 0 && g.Expected == i+1 && g.Winner != i+1 {
		st.Thrown++
	}
	for _, m := range g.Moves {
		if m.Player == i+1 && m.Loss() > st.WorstLoss {
			st.WorstGame, st.WorstPly, st.WorstLoss = g.Name, m.Ply, m.Loss()
		}
	}
}
