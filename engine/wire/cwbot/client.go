package cwbot

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/cwhttp"
	"endwise/engine/wire/lenient"
)

// What a client takes from a server at most. The status of the largest board
// is about 1 KB.
const (
	maxAnswerBytes = 64 << 10
	maxAnswerTime  = 2 * time.Second
	maxRedirects   = 3
)

// ErrNotSent is wrapped by errors of requests that never reached the server:
// the connection could not be made. Such a request may be repeated.
var ErrNotSent = errors.New("not sent")

// Client asks one server, one request at a time, and keeps the interval
// between them. It is not safe for concurrent use.
type Client struct {
	// Interval is the least time between the end of one request and the
	// start of the next, redirects included. Hurry shortens it.
	Interval time.Duration
	// HTTP carries the requests. As New makes it, it repeats none and follows no
	// redirect.
	HTTP *http.Client
	// RTT is the time of recent requests, the slow ones weighing more.
	RTT time.Duration

	base *url.URL
	last time.Time // end of the last request
}

// NewClient returns a client for the server at an address like
// http://127.0.0.1:5000; without a scheme http is meant.
func NewClient(server string) (*Client, error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("server %q: want an address like http://127.0.0.1:5000", server)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return &Client{
		Interval: DefaultInterval,
		base:     u,
		HTTP: &http.Client{
			Transport: &http.Transport{
				// A request on a connection that was used before may be
				// repeated by the transport without asking, and a move sent
				// twice loses the game. So: a new connection for each.
				DisableKeepAlives:      true,
				DisableCompression:     true, // no gzip is asked for
				MaxResponseHeaderBytes: 16 << 10,
				DialContext:            (&net.Dialer{Timeout: maxAnswerTime}).DialContext,
			},
			// Redirects are followed here, at the pace of all requests.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Register asks for a place in the game. A refusal is a cwhttp.RegisterCode.
func (c *Client) Register(ctx context.Context, team string) (engine.Side, error) {
	body, _, err := c.ask(ctx, "/reg/"+url.PathEscape(team))
	if err != nil {
		return engine.None, fmt.Errorf("register: %w", err)
	}
	// Of these, player is needed, or error_code.
	var answer struct {
		Response  string         `json:"response"`
		Player    lenient.Number `json:"player"`
		ErrorCode lenient.Number `json:"error_code"`
	}
	if _, err := lenient.Unmarshal(body, &answer); err != nil {
		return engine.None, fmt.Errorf("register: the answer is not JSON as expected: %.60q", body)
	}
	player, _ := answer.Player.Whole()
	code, _ := answer.ErrorCode.Whole()
	switch refused := code != 0 && !strings.EqualFold(answer.Response, "OK"); {
	case refused:
		return engine.None, cwhttp.RegisterCode(code)
	case player == 1 || player == 2:
		return engine.Side(player), nil
	}
	return engine.None, fmt.Errorf("register: unexpected answer %.60q", body)
}

// Status asks for the status. at is a moment before the server wrote it: what
// it says of the time left counts from there at the latest.
func (c *Client) Status(ctx context.Context) (st circuitwars.Status, at time.Time, err error) {
	body, at, err := c.ask(ctx, "/status")
	if err != nil {
		return circuitwars.Status{}, at, err
	}
	st, err = circuitwars.ParseStatus(body)
	return st, at, err
}

// Move sends a move. ok says whether the server answered with a status, by a
// redirect or directly; at is as with Status. Any other answer of a server
// that was reached, for instance a line of text, gives neither ok nor an
// error: a fresh status must tell what became of the move.
func (c *Client) Move(ctx context.Context, team, move string) (st circuitwars.Status, at time.Time, ok bool, err error) {
	body, at, err := c.ask(ctx, "/move/"+url.PathEscape(team)+"/"+escapeMove(move))
	if err != nil {
		return circuitwars.Status{}, at, false, err
	}
	st, err = circuitwars.ParseStatus(body)
	return st, at, err == nil, nil
}

// Restart asks for a new game.
func (c *Client) Restart(ctx context.Context) error {
	_, _, err := c.ask(ctx, "/restart")
	return err
}

// DefaultInterval is the time that clients must leave between two requests.
const DefaultInterval = 200 * time.Millisecond

// perMove is how many requests fit into a move's time at least, as far as that
// is known: the interval of the championship's rules fits ten times into 2 s.
const perMove = 10

// Hurry asks often enough for a limit of time for a move: where that is short, the
// server's rules would cost much of it.
func (c *Client) Hurry(limit time.Duration) { c.Interval = min(c.Interval, limit/perMove) }

// pause waits until the interval since the last request is over.
func (c *Client) pause(ctx context.Context) error {
	return engine.Pause(ctx, time.Until(c.last.Add(c.Interval)))
}

// escapeMove leaves the commas alone, which url.PathEscape would encode.
func escapeMove(move string) string {
	return strings.ReplaceAll(url.PathEscape(move), "%2C", ",")
}

// ask sends GET path and follows redirects on the same server. at is when the
// last of these requests was started.
func (c *Client) ask(ctx context.Context, path string) (body []byte, at time.Time, err error) {
	target := c.base.String() + path
	for hop := 0; ; hop++ {
		u, err := url.Parse(target)
		if err != nil {
			return nil, at, fmt.Errorf("%.60q: %w: not an address", target, ErrNotSent)
		}
		if err := c.pause(ctx); err != nil {
			return nil, at, err
		}
		var location string
		at = time.Now()
		body, location, err = c.get(ctx, u.String())
		c.last = time.Now()
		if err != nil {
			if hop > 0 && errors.Is(err, ErrNotSent) {
				// The first request was sent.
				err = errors.New(err.Error())
			}
			return nil, at, err
		}
		c.RTT = max(c.last.Sub(at), c.RTT*7/8)
		if location == "" {
			return body, at, nil
		}
		next, err := u.Parse(location)
		if err != nil || next.Scheme != c.base.Scheme || next.Host != c.base.Host {
			return nil, at, fmt.Errorf("%s: redirected away from the server, to %.60q", path, location)
		}
		if hop == maxRedirects {
			return nil, at, fmt.Errorf("%s: more than %d redirects", path, maxRedirects)
		}
		target = next.String()
	}
}

// get sends one request. location is set for a redirect.
func (c *Client) get(ctx context.Context, target string) (body []byte, location string, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxAnswerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	req.Header.Set("User-Agent", "endwise")
	resp, err := c.HTTP.Do(req)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) && op.Op == "dial" {
			return nil, "", fmt.Errorf("%w: %w", ErrNotSent, err)
		}
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err = readAnswer(resp)
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "":
		return nil, resp.Header.Get("Location"), nil
	case err != nil:
		return nil, "", fmt.Errorf("reading the answer: %w", err)
	case len(body) > maxAnswerBytes:
		return nil, "", fmt.Errorf("the answer is longer than %d bytes", maxAnswerBytes)
	case resp.StatusCode/100 != 2:
		return nil, "", fmt.Errorf("the server answers %.60q: %.60q", resp.Status, body)
	}
	return body, "", nil
}

// readAnswer reads an answer, unpacked if it is compressed, up to a byte more than is
// taken.
func readAnswer(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return body, err
	}
	unpacked := io.Reader(bytes.NewReader(body))
	switch coding := strings.ToLower(resp.Header.Get("Content-Encoding")); {
	case bytes.HasPrefix(body, []byte("\x1f\x8b")): // gzip, whatever the header says
		unpacked, err = gzip.NewReader(unpacked)
	case coding == "deflate":
		unpacked, err = zlib.NewReader(unpacked)
	default:
		return body, nil
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(unpacked, maxAnswerBytes+1))
}
