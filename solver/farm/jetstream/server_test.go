package jetstream

import (
	"errors"
	"net"
	"os"
	"testing"

	"endwise/engine/disk"
	"endwise/engine/testenv"
)

// Two servers cannot use the same port or directory.
func TestPortOrDirectoryInUse(t *testing.T) {
	e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir() + "/nats"})
	testenv.OK(t, err)
	defer e.Close()
	if _, err := StartEmbedded(EmbeddedOptions{Port: e.server.Addr().(*net.TCPAddr).Port, Dir: t.TempDir() + "/x"}); err == nil {
		t.Error("two servers at one port")
	}
	if _, err := StartEmbedded(EmbeddedOptions{Dir: e.dir}); !errors.As(err, new(*disk.HeldError)) {
		t.Errorf("two servers in one directory: %v", err)
	}
	if _, err := os.Stat(e.dir); err != nil {
		t.Errorf("the first one's directory is gone: %v", err)
	}
}

func TestURLs(t *testing.T) {
	for _, url := range []string{"", "127.0.0.1", "http://127.0.0.1", "nats://", "nats://%zz"} {
		if err := (Server{URL: url}).Check(); err == nil {
			t.Errorf("URL %q is taken", url)
		}
	}
}

// Addresses and logins that an embedded server accepts.
func TestEmbeddedOptions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]EmbeddedOptions{
		"embedded": {Port: DefaultPort}, "embedded:0": {}, "embedded:5000": {Port: 5000},
		"embedded:0.0.0.0:5000": {Host: "0.0.0.0", Port: 5000}, "embedded:[::1]:1": {Host: "::1", Port: 1},
	} {
		if got, ok, err := ParseEmbedded(text); !ok || err != nil || got != want {
			t.Errorf("%s: %+v, %v, %v", text, got, ok, err)
		}
	}
	for _, text := range []string{"nats://127.0.0.1", "embed", "embeddedness"} {
		if _, ok, err := ParseEmbedded(text); ok || err != nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
	for _, text := range []string{"embedded:", "embedded:x", "embedded:70000", "embedded:-1"} {
		if _, ok, err := ParseEmbedded(text); !ok || err == nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
	good := []EmbeddedOptions{{}, {Host: "127.0.0.1"}, {Host: "localhost"}, {Host: "::1"}, {Host: "0.0.0.0", Login: Login{User: "a", Password: "b"}}, {Host: "0.0.0.0", Login: Login{Cert: "c", Key: "k", CA: "a"}}}
	for _, o := range good {
		if err := o.Check(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, o := range []EmbeddedOptions{{Host: "0.0.0.0"}, {Host: "::"}, {Host: "example.org"}, {Host: "0.0.0.0", Login: Login{Cert: "c", Key: "k"}}} {
		if _, err := StartEmbedded(o); !errors.Is(err, ErrOpen) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, o := range []Login{{User: "a"}, {Password: "b"}, {Cert: "c"}, {CA: "a"}} {
		if err := (EmbeddedOptions{Login: o}).Check(); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
