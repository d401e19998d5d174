//go:build !unix

package jetstream

import "testing"

// suspend does nothing, because this system cannot suspend processes.
func (p *process) suspend(*testing.T) {}

func (p *process) resume(*testing.T) {}
