package circuitwars

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

const (
	minuteProves = 65 // free segments above which a minute proves hardly any value
	usuallyFrom  = 54 // free segments below which it usually does
)

// TooEarly returns a sentence if a minute will hardly prove the value of p, else "".
func TooEarly(p engine.Position) string {
	if n := p.(circuitwars.Position).Free().Len(); n > minuteProves {
		return fmt.Sprintf("Too early for a proof with %d segments free; from about %d on it is likely.", n, usuallyFrom)
	}
	return ""
}
