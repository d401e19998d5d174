//go:build !unix

package jetstream

import "testing"

// suspend does nothing: no process can be stopped where it is.
func (p *process) suspend(*testing.T) {}

func (p *process) resume(*testing.T) {}
