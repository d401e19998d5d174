//go:build !linux

package program

import (
	"errors"
	"net"
	"os/exec"
)

var errNoNetwork = errors.New("only Linux can give a program its own network")

func OwnNetwork() error { return errNoNetwork }

func startInNetwork(*exec.Cmd, string) (net.Listener, error) { return nil, errNoNetwork }
