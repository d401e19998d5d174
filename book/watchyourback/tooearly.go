package watchyourback

import (
	"endwise/engine"
	"endwise/engine/watchyourback"
)

// TooEarly returns a sentence if a minute will hardly prove the value of p, else "".
func TooEarly(p engine.Position) string {
	if p.(watchyourback.Position).Phase() == watchyourback.Placing {
		return "Too early for a proof while pieces are placed; it is likely once they move."
	}
	return ""
}
