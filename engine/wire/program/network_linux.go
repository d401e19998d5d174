package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A program with its own network is started in two steps: this executable starts again in the new name
// space (networkArg), listens, sends the socket to this process, and then replaces itself by the
// program. A socket stays in the network in which it was opened.

const (
	networkArg    = "endwise-network" // as argument 0, makes this executable the first step
	networkSocket = 3                 // the file descriptor over which the listener is sent
	networkTime   = 20 * time.Second  // the maximum time of the first step
)

// init runs the first step.
func init() {
	if os.Args[0] == networkArg {
		err := enterNetwork(os.Args[1], os.Args[2:])
		_, _ = unix.Write(networkSocket, []byte(err.Error())) // if this fails, only the exit code is left
		os.Exit(126)
	}
}

// enterNetwork is the first step: it listens at an IPv4 address of the loopback device, sends
// the listener, and replaces this process by the command. It returns only if it fails.
func enterNetwork(address string, command []string) error {
	unix.CloseOnExec(networkSocket)
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !addr.Addr().Is4() {
		return fmt.Errorf("%s: want an IPv4 address", address)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("loopback device: %w", err)
	}
	ln, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	if err := unix.Bind(ln, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	if err := unix.Listen(ln, unix.SOMAXCONN); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	// The program needs none of the rights that the first step used.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	if err := unix.Sendmsg(networkSocket, []byte("listener"), unix.UnixRights(ln), nil, 0); err != nil {
		return fmt.Errorf("send the listener: %w", err)
	}
	return unix.Exec(command[0], command, os.Environ())
}

// loopbackUp turns on the loopback device of this network.
func loopbackUp() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
}

// OwnNetwork returns an error if this system cannot give a program its own network.
var OwnNetwork = sync.OnceValue(func() error {
	p, err := Start(context.Background(), Config{Command: "true", Network: "127.0.0.1:1"})
	if err != nil {
		return err
	}
	p.Listener().Close()
	<-p.Done()
	return p.Failed()
})

// startInNetwork starts the command in its own network and returns a listener at the address there. If
// this process is not root, the command also gets a new user name space with the same user ID.
func startInNetwork(cmd *exec.Cmd, address string) (net.Listener, error) {
	cmd.Args = append([]string{networkArg, address, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/proc/self/exe"
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNET
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE}
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "network")
	ours := os.NewFile(uintptr(pair[0]), "network")
	defer ours.Close()
	cmd.ExtraFiles = []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	ln, err := receiveListener(ours)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // the process was killed
		return nil, err
	}
	return ln, nil
}

// receiveListener returns the listener that the first step sends over the socket f, or the error that it
// sends instead.
func receiveListener(f *os.File) (net.Listener, error) {
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(networkTime)); err != nil {
		return nil, err
	}
	text, rights := make([]byte, 512), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := c.(*net.UnixConn).ReadMsgUnix(text, rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, errors.New("the first step ended immediately")
	case len(messages) != 1:
		return nil, errors.New(string(text[:n]))
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	ln := os.NewFile(uintptr(files[0]), "listener")
	defer ln.Close()
	return net.FileListener(ln)
}
