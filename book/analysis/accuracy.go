package analysis

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

// Accuracy is the share of judged moves without a mistake; ok is false where
// none was judged.
func (p Player) Accuracy() (share float64, ok bool) {
	if p.Judged == 0 {
		return 0, false
	}
	return float64(p.Judged-p.Mistakes) / float64(p.Judged), true
}
