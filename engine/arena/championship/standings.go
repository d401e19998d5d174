package championship

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
)

// Standing is a team's row in a table.
type Standing struct {
	Place  int    `json:"place"` // equal for teams with equal points and ratio
	Team   string `json:"team"`
	Played int    `json:"played"`
	Won    int    `json:"won"`
	Tied   int    `json:"tied"`
	Lost   int    `json:"lost"`
	// For is the sum of the team's scores over all its games, Against that of its opponents.
	For     int `json:"for"`
	Against int `json:"against"`
	// Forfeits is the number of forfeited games, Illegal the number of those lost by an illegal move.
	Forfeits int `json:"forfeits"`
	Illegal  int `json:"illegal"`
	Bonus    int `json:"bonus"` // for the rank in the group
}

// Ratio returns For / Against: 0 if For is 0, otherwise +Inf if Against is 0.
func (s Standing) Ratio() float64 {
	switch {
	case s.For == 0:
		return 0
	case s.Against == 0:
		return math.Inf(1)
	}
	return float64(s.For) / float64(s.Against)
}

// RatioText returns [Standing.Ratio] as text with two decimals, "∞", or "–" before the first game.
func (s Standing) RatioText() string {
	if s.Played == 0 {
		return "–"
	}
	if r := s.Ratio(); !math.IsInf(r, 1) {
		return strconv.FormatFloat(r, 'f', 2, 64)
	}
	return "∞"
}

// points returns the half points per game, from 0 to 2; 0 without games.
func (s Standing) points() float64 {
	if s.Played == 0 {
		return 0
	}
	return float64(2*s.Won+s.Tied) / float64(s.Played)
}

// add counts a game that the team played as side.
func (s *Standing) add(r arena.Result, side engine.Side) {
	s.Played++
	s.For += r.Score[side-1]
	s.Against += r.Score[side.Other()-1]
	switch r.Points(side) {
	case 2:
		s.Won++
		return
	case 1:
		s.Tied++
		return
	}
	s.Lost++
	if r.Forfeited() {
		s.Forfeits++
	}
	if r.End == arena.Illegal {
		s.Illegal++
	}
}

// byMerit orders standings for sorting: by descending points per game, then by score ratio.
func byMerit(a, b Standing) int {
	return cmp.Or(cmp.Compare(b.points(), a.points()), cmp.Compare(b.Ratio(), a.Ratio()))
}

// Table ranks the teams by their results against each other. Teams are ordered by points per game
// (a win 1, a tie ½), then by score ratio. Teams equal in both share a place and are listed by
// name. Row i of the table gets bonus[i] if i < len(bonus).
func Table(teams []string, results []arena.Result, bonus []int) []Standing {
	table := make([]Standing, len(teams))
	row := make(map[string]*Standing, len(teams))
	for i, t := range teams {
		table[i].Team = t
		row[t] = &table[i]
	}
	for _, r := range results {
		a, b := row[r.Players[0]], row[r.Players[1]]
		if a == nil || b == nil {
			continue
		}
		a.add(r, engine.First)
		b.add(r, engine.Second)
	}
	slices.SortStableFunc(table, func(a, b Standing) int {
		return cmp.Or(byMerit(a, b), cmp.Compare(a.Team, b.Team))
	})
	for i := range table {
		table[i].Place = i + 1
		if i > 0 && byMerit(table[i-1], table[i]) == 0 {
			table[i].Place = table[i-1].Place
		}
		if i < len(bonus) {
			table[i].Bonus = bonus[i]
		}
	}
	return table
}

// EqualTeams returns a text that names the teams of a complete group that are equal in points and
// ratio, and says what decides between them; "" if there are none.
func (g GroupOutcome) EqualTeams() string {
	var equal []string
	for i := 0; i < len(g.Table) && len(g.Results) == g.Games; {
		names := []string{g.Table[i].Team}
		for i++; i < len(g.Table) && g.Table[i].Place == g.Table[i-1].Place; i++ {
			names = append(names, g.Table[i].Team)
		}
		if len(names) > 1 {
			equal = append(equal, strings.Join(names, " and "))
		}
	}
	if equal == nil {
		return ""
	}
	return "Equal in points and ratio: " + strings.Join(equal, "; ") +
		". The order of names decides between them, also for bonus points and the knockout."
}

// ScoreText returns both scores of a result with a colon between them, for instance "9:0!". bold,
// if not nil, is applied to the winner's score. After the loser's score, ^ stands for a timeout or
// crash and ! for an illegal move. If neither player could be opened, both scores have a ^.
func ScoreText(r arena.Result, bold func(string) string) string {
	var side [2]string
	for i := range side {
		s := engine.First + engine.Side(i)
		side[i] = fmt.Sprint(r.Score[i])
		switch {
		case r.End == arena.NoPlayer:
			side[i] += "^"
		case r.Winner == engine.None:
		case r.Winner == s:
			if bold != nil {
				side[i] = bold(side[i])
			}
		case r.End == arena.Illegal:
			side[i] += "!"
		case r.End == arena.Timeout, r.End == arena.Crash:
			side[i] += "^"
		}
	}
	return side[0] + ":" + side[1]
}
