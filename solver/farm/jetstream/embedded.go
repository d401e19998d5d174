package jetstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// DefaultPort is where NATS servers listen.
const DefaultPort = 4222

// Embedded is a NATS server inside this process.
type Embedded struct {
	server *server.Server
	dir    string
	login  Server
}

// EmbeddedOptions say where an embedded server listens and what it asks for.
type EmbeddedOptions struct {
	// Host is the address to listen on; "" for loopback. Port 0 takes one
	// that is free.
	Host string
	Port int
	// Dir is where the server keeps its streams; it is emptied first and
	// removed at the end.
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

// StartEmbedded starts a server.
func StartEmbedded(o EmbeddedOptions) (*Embedded, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	host := o.Host
	if host == "" {
		host = "127.0.0.1"
	}
	// A port that is taken should be said in a sentence, not in the server's
	// log; and whoever has the port has the directory.
	address := net.JoinHostPort(host, strconv.Itoa(o.Port))
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", err)
	}
	if err = os.RemoveAll(o.Dir); err == nil {
		err = os.MkdirAll(o.Dir, 0o700)
	}
	if err != nil {
		ln.Close()
		return nil, err
	}
	port := ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	opts := &server.Options{
		ServerName: "endwise", Host: host, Port: port, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: o.Dir, JetStreamMaxStore: o.MaxBytes,
		Username: o.User, Password: o.Password, DisableJetStreamBanner: true,
	}
	e := &Embedded{dir: o.Dir, login: Server{URL: "nats://" + net.JoinHostPort(host, strconv.Itoa(port)), User: o.User, Password: o.Password}}
	if o.Cert != "" {
		if opts.TLSConfig, err = serverTLS(o); err != nil {
			return nil, err
		}
		opts.TLS, opts.TLSVerify = true, o.CA != ""
	}
	if e.server, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("embedded NATS server: %w", err)
	}
	e.server.Start()
	if !e.server.ReadyForConnections(startLimit) {
		e.Close()
		return nil, fmt.Errorf("embedded NATS server: not ready at %s within %v", address, startLimit)
	}
	return e, nil
}

func serverTLS(o EmbeddedOptions) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	if o.CA == "" {
		return c, nil
	}
	data, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s: no certificate in it", o.CA)
	}
	c.ClientCAs, c.ClientAuth = pool, tls.RequireAndVerifyClientCert
	return c, nil
}

// URL is where the server listens.
func (e *Embedded) URL() string { return e.login.URL }

// Close stops the server and removes what it kept.
func (e *Embedded) Close() error {
	e.server.Shutdown()
	e.server.WaitForShutdown()
	return os.RemoveAll(e.dir)
}
