package dotsandboxes

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

const (
	minuteProves = 48 // free lines above which a minute proves hardly any value
	usuallyFrom  = 44 // free lines below which it usually does
)

// TooEarly returns a sentence if a minute will hardly prove the value of p, else "".
func TooEarly(p engine.Position) string {
	if n := p.(dotsandboxes.Position).Free().Len(); n > minuteProves {
		return fmt.Sprintf("Too early for a proof with %d lines free; from about %d on it is likely.", n, usuallyFrom)
	}
	return ""
}
