//go:build !linux

package program

import (
	"errors"
	"net"
	"os/exec"
)

var errNoNetwork = errors.New("only Linux gives a program a network of its own")

// OwnNetwork says why a program can't have a network of its own here.
func OwnNetwork() error { return errNoNetwork }

func startInNetwork(*exec.Cmd, string) (net.Listener, error) { return nil, errNoNetwork }
