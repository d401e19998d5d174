package natsserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"endwise/engine/disk"
)

// DefaultPort is where NATS servers listen.
const DefaultPort = 4222

// Embedded is a NATS server inside this process.
type Embedded struct {
	server  *server.Server
	dir     string
	release func() // of the lock on dir
	login   Server
}

// EmbeddedOptions say where an embedded server listens and what it asks for.
type EmbeddedOptions struct {
	// Host is the address to listen on; "" for loopback. Port 0 takes one
	// that is free.
	Host string
	Port int
	// Dir is where the server keeps its streams; it is emptied first and
	// removed at the end. The file Dir.lock beside it says who has it.
	Dir string
	// User and Password are what clients must give; "" for nothing.
	User, Password string
	// Cert and Key are files for TLS; with CA clients need a certificate too.
	Cert, Key, CA string
	// MaxBytes bounds what the server keeps on disk; 0 for three quarters of
	// what is free.
	MaxBytes int64
}

// ParseEmbedded reads "embedded", "embedded:PORT" or "embedded:HOST:PORT"; ok
// is false for anything else.
func ParseEmbedded(text string) (o EmbeddedOptions, ok bool, err error) {
	rest, ok := strings.CutPrefix(text, "embedded")
	if !ok || rest != "" && rest[0] != ':' {
		return o, false, nil
	}
	o.Port = DefaultPort
	if rest == "" {
		return o, true, nil
	}
	port := rest[1:]
	if i := strings.LastIndexByte(port, ':'); i >= 0 {
		o.Host, port = strings.Trim(port[:i], "[]"), port[i+1:]
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return o, true, fmt.Errorf("%q: want embedded, embedded:PORT or embedded:HOST:PORT", text)
	}
	o.Port = n
	return o, true, nil
}

// loopback says whether a host is this machine seen from itself.
func loopback(host string) bool {
	if host == "" || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// ErrOpen is returned for an embedded server that everybody could use.
var ErrOpen = errors.New("listening on other addresses than loopback takes a user and a password, or certificates of all clients")

// Check says what is wrong with the options, nil if nothing is.
func (o EmbeddedOptions) Check() error {
	switch {
	case (o.Cert == "") != (o.Key == ""):
		return errors.New("a certificate and its key are only good together")
	case o.CA != "" && o.Cert == "":
		return errors.New("asking clients for certificates takes one of the server's own")
	case (o.User == "") != (o.Password == ""):
		return errors.New("a user and a password are only good together")
	case !loopback(o.Host) && o.User == "" && o.CA == "":
		return fmt.Errorf("%s: %w", o.Host, ErrOpen)
	}
	return nil
}

// startLimit is how long an embedded server may take to come up.
const startLimit = 20 * time.Second

// StartEmbedded starts a server. Its error says who has the port or the
// directory.
func StartEmbedded(o EmbeddedOptions) (*Embedded, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	e := &Embedded{dir: o.Dir, release: func() {}}
	err := e.start(o)
	if err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", errors.Join(err, e.Close()))
	}
	return e, nil
}

// start empties the directory and runs the server in it. The rest is for Close.
func (e *Embedded) start(o EmbeddedOptions) error {
	release, err := disk.Lock(o.Dir + ".lock")
	if err != nil {
		e.dir = "" // another's
		return fmt.Errorf("%s: %w", o.Dir, err)
	}
	e.release = release
	if err := errors.Join(os.RemoveAll(o.Dir), os.MkdirAll(o.Dir, 0o700)); err != nil {
		return err
	}
	opts := &server.Options{
		ServerName: "endwise", Host: cmp.Or(o.Host, "127.0.0.1"), Port: cmp.Or(o.Port, server.RANDOM_PORT), NoSigs: true,
		JetStream: true, StoreDir: o.Dir, JetStreamMaxStore: o.MaxBytes,
		Username: o.User, Password: o.Password, DisableJetStreamBanner: true,
	}
	if o.Cert != "" {
		opts.TLS, opts.TLSVerify = true, o.CA != ""
		if opts.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: o.Cert, KeyFile: o.Key, CaFile: o.CA, Verify: opts.TLSVerify}); err != nil {
			return err
		}
	}
	if e.server, err = server.NewServer(opts); err != nil {
		return err
	}
	failure := make(fatal, 1)
	e.server.SetLogger(failure, false, false)
	e.server.Start()
	for deadline := time.Now().Add(startLimit); ; {
		select {
		case err := <-failure:
			return err
		default:
		}
		if e.server.ReadyForConnections(reconnectWait) {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready within %v", startLimit)
		}
	}
	port := e.server.Addr().(*net.TCPAddr).Port
	e.login = Server{URL: "nats://" + net.JoinHostPort(opts.Host, strconv.Itoa(port)), User: o.User, Password: o.Password}
	return nil
}

// fatal is a server's logger that keeps the first reason why it cannot start,
// for instance that its port is taken.
type fatal chan error

func (f fatal) Fatalf(format string, v ...any) {
	select {
	case f <- fmt.Errorf(format, v...):
	default:
	}
}

func (fatal) Noticef(string, ...any) {}
func (fatal) Warnf(string, ...any)   {}
func (fatal) Errorf(string, ...any)  {}
func (fatal) Debugf(string, ...any)  {}
func (fatal) Tracef(string, ...any)  {}

// Connect connects to the server from within the process: what TLS may ask for stays
// between the server and others.
func (e *Embedded) Connect(ctx context.Context, name string) (*nats.Conn, error) {
	return e.login.Connect(ctx, name, nats.InProcessServer(e.server))
}

// Login is where the server listens and what it asks for.
func (e *Embedded) Login() Server { return e.login }

// URL is where the server listens.
func (e *Embedded) URL() string { return e.login.URL }

// Close stops the server and removes what it kept.
func (e *Embedded) Close() error {
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
	var err error
	if e.dir != "" {
		err = os.RemoveAll(e.dir)
	}
	e.release()
	return err
}
