package cli

import (
	"net"
	"net/url"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The printed address of a server can be opened, from other machines too if the server
// listens on all addresses.
func TestAddresses(t *testing.T) {
	if got := Addresses(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8095}); got != "http://127.0.0.1:8095/" {
		t.Errorf("of one address: %s", got)
	}
	ln, err := Listen("--addr", "0.0.0.0:0")
	testenv.OK(t, err)
	defer ln.Close()
	for _, text := range strings.Fields(Addresses(ln.Addr())) {
		u, err := url.Parse(text)
		testenv.OK(t, err)
		if ip := net.ParseIP(u.Hostname()); ip != nil && (ip.IsUnspecified() || ip.IsLoopback()) || u.Path != "/" {
			t.Errorf("%s is of no use to others", text)
		}
		conn, err := net.Dial("tcp", u.Host)
		testenv.OK(t, err)
		conn.Close()
	}
}

// A port alone is one of this machine. The error for an unusable address names the flag.
func TestListen(t *testing.T) {
	ln, err := Listen("--serve", "0")
	testenv.OK(t, err)
	defer ln.Close()
	if host, _, _ := net.SplitHostPort(ln.Addr().String()); host != "127.0.0.1" {
		t.Errorf("listens at %s", ln.Addr())
	}
	if _, err := Listen("--serve", "nowhere"); err == nil || err.Error() != "--serve nowhere: want HOST:PORT, with a port from 0 to 65535" {
		t.Errorf("%v", err)
	}
}
