package cwbot

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"endwise/engine/testenv"
)

// A request to a server that accepts no connection is not sent, and its error says so.
func TestConnectionTimeout(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	defer ln.Close()
	raw, err := ln.(*net.TCPListener).SyscallConn()
	testenv.OK(t, err)
	// With a backlog of 0, the system answers one connection that is not accepted.
	testenv.OK(t, raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), 0) }))
	testenv.OK(t, err)
	waiting, err := net.Dial("tcp", ln.Addr().String())
	testenv.OK(t, err)
	defer waiting.Close()
	c, err := NewClient(ln.Addr().String())
	testenv.OK(t, err)
	if _, _, err := c.Status(t.Context()); !errors.Is(err, ErrNotSent) {
		t.Errorf("error %v, want ErrNotSent", err)
	}
}
