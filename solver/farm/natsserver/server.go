// Package natsserver reaches NATS servers: one at an address, with a login, or one
// inside this process.
package natsserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Server says where a NATS server is and how to log in.
type Server struct {
	// URL is nats://HOST:PORT, tls://HOST:PORT or several with commas between.
	URL string
	// User and Password, or the file Creds, or both certificate files.
	User, Password string
	Creds          string
	Cert, Key      string
	// CA is a file of the certificates that the server's is checked against.
	CA string
}

// ErrServer is returned when the server does not answer or is not fit.
var ErrServer = errors.New("NATS server")

// String is the URL without a password.
func (s Server) String() string {
	list := strings.Split(s.URL, ",")
	for i, text := range list {
		if u, err := url.Parse(text); err == nil {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}

// Check says what is wrong with the URL and the files, nil if nothing is.
func (s Server) Check() error {
	for text := range strings.SplitSeq(s.URL, ",") {
		if text == "embedded" || strings.HasPrefix(text, "embedded:") {
			return fmt.Errorf("%q: the server is inside the command that hands the work out: want its address, nats://HOST:PORT or tls://HOST:PORT", text)
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss" {
			return fmt.Errorf("%q: want nats://HOST:PORT, tls://HOST:PORT or embedded[:[HOST:]PORT]", text)
		}
	}
	if (s.Cert == "") != (s.Key == "") {
		return errors.New("a certificate and its key are only good together")
	}
	for _, file := range []string{s.Creds, s.Cert, s.Key, s.CA} {
		if file == "" {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// dialLimit bounds one attempt to connect.
const dialLimit = 3 * time.Second

// reconnectWait is the time between two attempts to connect again.
const reconnectWait = 300 * time.Millisecond

// Connect connects for good: a connection that breaks later is made again,
// however long the server is away.
func (s Server) Connect(ctx context.Context, name string, more ...nats.Option) (*nats.Conn, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	opts := []nats.Option{
		nats.Name(name), nats.Timeout(dialLimit), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(100*time.Millisecond, time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.NoEcho(),
	}
	if s.User != "" {
		opts = append(opts, nats.UserInfo(s.User, s.Password))
	}
	if s.Creds != "" {
		opts = append(opts, nats.UserCredentials(s.Creds))
	}
	if s.Cert != "" {
		opts = append(opts, nats.ClientCert(s.Cert, s.Key))
	}
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA))
	}
	if s.CA != "" || s.Cert != "" {
		opts = append(opts, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	type outcome struct {
		nc  *nats.Conn
		err error
	}
	over := make(chan outcome, 1)
	go func() {
		nc, err := nats.Connect(s.URL, append(opts, more...)...)
		over <- outcome{nc, err}
	}()
	select {
	case o := <-over:
		if o.err != nil {
			return nil, fmt.Errorf("%w %s: %s", ErrServer, s, Plainly(o.err))
		}
		return o.nc, nil
	case <-ctx.Done(): // the library knows no context; it gives up by itself
		go func() {
			if o := <-over; o.err == nil {
				o.nc.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// Plainly says in a few words why a server was not reached.
func Plainly(err error) string {
	var op *net.OpError
	switch {
	case errors.Is(err, nats.ErrNoServers), errors.As(err, &op):
		return "it does not answer: is it running, and is the address right?"
	case errors.Is(err, nats.ErrAuthorization):
		return "it does not let us in: check user, password or credentials file"
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("it does not answer within %v", dialLimit)
	}
	return strings.TrimPrefix(err.Error(), "nats: ")
}
