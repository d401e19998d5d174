//go:build !linux

package program

import (
	"errors"
	"net"
	"os/exec"
)

// errNoNetwork is the error of all functions for networks.
var errNoNetwork = errors.New("only Linux can give a program its own network")

// OwnNetwork returns an error, because this system cannot give a program its own network.
func OwnNetwork() error { return errNoNetwork }

// startInNetwork returns an error: the system has no networks for programs.
func startInNetwork(*exec.Cmd, string) (net.Listener, error) { return nil, errNoNetwork }
