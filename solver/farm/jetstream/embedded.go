package jetstream

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"endwise/engine/disk"
)

// DefaultPort is the usual port of NATS servers.
const DefaultPort = 4222

// Embedded is a NATS server inside this process.
type Embedded struct {
	Server  Server // for clients in this process; other clients use its URL and login
	server  *server.Server
	dir     string // "" if another process uses it
	release func() // unlocks dir
}

// EmbeddedOptions are the options of an embedded server.
type EmbeddedOptions struct {
	// Login contains the user and the password that clients must give, the server's certificate
	// and, if clients need certificates, the CA that verifies them.
	Login
	// Host is the address to listen on; "" means loopback. Port 0 means a free port.
	Host string
	Port int
	// Dir is the directory of the streams. StartEmbedded empties it, and Close removes it.
	Dir string
	// MaxBytes limits the disk space of the streams; 0 means three quarters of the free space.
	MaxBytes int64
}

// ParseEmbedded parses "embedded", "embedded:PORT" or "embedded:HOST:PORT" into Host and Port. ok
// is false if text has another form. err is set if the port is invalid.
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

// loopback reports whether a server on host, as in EmbeddedOptions, accepts only this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || host == "localhost" || ip != nil && ip.IsLoopback()
}

// ErrOpen means that an embedded server would accept other machines without a login.
var ErrOpen = errors.New("to listen on other addresses than loopback, set a user and a password, " +
	"or require certificates of all clients")

// Check returns an error if the options are incomplete or contradict each other; it wraps [ErrOpen] if
// other machines could connect without a login.
func (o EmbeddedOptions) Check() error {
	switch err := o.check(); {
	case err != nil:
		return err
	case o.CA != "" && o.Cert == "":
		return errors.New("a server that checks the certificates of clients needs a certificate too")
	case !loopback(o.Host) && o.User == "" && o.CA == "":
		return fmt.Errorf("%s: %w", o.Host, ErrOpen)
	}
	return nil
}

const startLimit = 20 * time.Second

// StartEmbedded starts a server, which the caller must close. It returns an error if the options
// contradict each other, or the port or the directory is in use.
func StartEmbedded(o EmbeddedOptions) (*Embedded, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	e := &Embedded{dir: o.Dir, release: func() {}}
	if err := e.start(o); err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", errors.Join(err, e.Close()))
	}
	return e, nil
}

// start locks and empties the directory and starts the server. Close undoes it, also after an error.
func (e *Embedded) start(o EmbeddedOptions) error {
	release, err := disk.Lock(o.Dir + ".lock")
	if err != nil {
		e.dir = ""
		return fmt.Errorf("%s: %w", o.Dir, err)
	}
	e.release = release
	if err := errors.Join(os.RemoveAll(o.Dir), os.MkdirAll(o.Dir, 0o700)); err != nil {
		return err
	}
	opts := &server.Options{
		ServerName: "endwise", NoSigs: true, DisableJetStreamBanner: true,
		Host: cmp.Or(o.Host, "127.0.0.1"), Port: cmp.Or(o.Port, server.RANDOM_PORT),
		JetStream: true, StoreDir: o.Dir, JetStreamMaxStore: o.MaxBytes,
		Username: o.User, Password: o.Password,
	}
	if o.Cert != "" {
		opts.TLS, opts.TLSVerify = true, o.CA != ""
		opts.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{
			CertFile: o.Cert, KeyFile: o.Key, CaFile: o.CA, Verify: opts.TLSVerify,
		})
		if err != nil {
			return err
		}
	}
	// The server returns no error if it cannot listen, so the port is tested first.
	listener, err := net.Listen("tcp", net.JoinHostPort(opts.Host, strconv.Itoa(o.Port)))
	if err != nil {
		return err
	}
	listener.Close()
	if e.server, err = server.NewServer(opts); err != nil {
		return err
	}
	e.server.Start()
	if !e.server.ReadyForConnections(startLimit) {
		return fmt.Errorf("not ready within %v: is the disk full?", startLimit)
	}
	port := strconv.Itoa(e.server.Addr().(*net.TCPAddr).Port)
	e.Server = Server{
		within: e.server, URL: "nats://" + net.JoinHostPort(opts.Host, port),
		Login: Login{User: o.User, Password: o.Password},
	}
	return nil
}

// Close stops the server and removes its directory.
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
