package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Login contains the credentials of a client or of an embedded server. Empty fields are not used.
// Its JSON form is part of a context of the nats command.
type Login struct {
	User     string `json:"user"`
	Password string `json:"password"`
	Creds    string `json:"creds"` // file with NATS credentials
	Cert     string `json:"cert"`  // file with a certificate
	Key      string `json:"key"`   // file with the key of Cert
	CA       string `json:"ca"`    // file with certificates that verify the other side's certificate
}

func (l Login) check() error {
	if (l.Cert == "") != (l.Key == "") || (l.User == "") != (l.Password == "") {
		return errors.New("a certificate needs its key, and a user a password")
	}
	return nil
}

// Server is a NATS server with a login.
type Server struct {
	// URL is nats://HOST:PORT, tls://HOST:PORT or several, separated by commas.
	URL string
	Login

	within *server.Server // the server in this process; nil for others
}

// String returns the URL without a password.
func (s Server) String() string {
	list := strings.Split(s.URL, ",")
	for i, text := range list {
		if u, err := url.Parse(text); err == nil {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}

// Check returns an error for a malformed URL, an incomplete login, or a missing file of the login.
func (s Server) Check() error {
	schemes := []string{"nats", "tls", "ws", "wss"}
	for text := range strings.SplitSeq(s.URL, ",") {
		if text == "embedded" || strings.HasPrefix(text, "embedded:") {
			return fmt.Errorf("%q would start a server: want the address of a running one, "+
				"nats://HOST:PORT or tls://HOST:PORT", text)
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
			return fmt.Errorf("%q: want nats://HOST:PORT, tls://HOST:PORT or embedded[:[HOST:]PORT]", text)
		}
	}
	if err := s.Login.check(); err != nil {
		return err
	}
	for _, file := range []string{s.Creds, s.Cert, s.Key, s.CA} {
		if file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	return nil
}

const dialLimit = 3 * time.Second // for one attempt to connect

// connect connects to the server with the options more; name is the client's name in the server's
// log. If the connection breaks later, it is restored as soon as the server is available. The error
// wraps ErrServer if the server cannot be reached.
func (s Server) connect(ctx context.Context, name string, more ...nats.Option) (*nats.Conn, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	opts := []nats.Option{
		nats.Name(name), nats.Timeout(dialLimit), nats.MaxReconnects(-1), nats.ReconnectWait(retryEvery),
		nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
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
	if s.within != nil {
		opts = append(opts, nats.InProcessServer(s.within))
	}
	nc, err := nats.Connect(s.URL, append(opts, more...)...)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%w %s: %s", ErrServer, s, plainly(err))
	}
	return nc, nil
}

// plainly returns a clause for users that explains err, in which "it" is the server.
func plainly(err error) string {
	switch {
	case errors.Is(err, nats.ErrNoServers), errors.As(err, new(*net.OpError)):
		return "it does not answer: is it running, and is the address right?"
	case errors.Is(err, nats.ErrAuthorization):
		return "it refuses the login: check user, password or credentials file"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return "JetStream is off there: start it with nats-server -js"
	case errors.Is(err, nats.ErrNoResponders):
		return ErrNoRun.Error()
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return "it does not answer in time"
	}
	return strings.TrimPrefix(err.Error(), "nats: ")
}
