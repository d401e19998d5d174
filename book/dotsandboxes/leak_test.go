package dotsandboxes

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine may outlive what started it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
