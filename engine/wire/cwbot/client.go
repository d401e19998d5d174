package cwbot

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/cwhttp"
	"endwise/engine/wire/lenient"
)

// Limits of requests and answers.
const (
	maxAnswerBytes = 64 << 10
	maxAnswerTime  = 2 * time.Second
	maxDialTime    = maxAnswerTime * 3 / 4 // shorter, so that a timeout tells that no request was sent
	maxRedirects   = 3
)

// ErrNotSent is wrapped by errors of requests that no connection carried. Such a request may be repeated.
var ErrNotSent = errors.New("no server answers")

// ErrNotFound is wrapped by errors of requests that a server answers with 404.
var ErrNotFound = errors.New("no Circuit Wars server at this address")

// Client sends requests to one server. It is not safe for concurrent use.
type Client struct {
	// Interval is the minimum time between the end of one request and the start of the
	// next. A redirected request counts as a new one.
	Interval time.Duration
	// HTTP must neither repeat requests nor follow redirects.
	HTTP *http.Client
	// RTT estimates the time of a request. A longer request sets it to that request's time; a
	// shorter one reduces it by at most an eighth.
	RTT time.Duration

	base *url.URL
	last time.Time // end of the last request
}

// NewClient returns a client for the server at an address like http://127.0.0.1:5000; the
// scheme may be omitted.
func NewClient(server string) (*Client, error) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || !isServer(u) {
		return nil, fmt.Errorf("server %q: want an address like http://127.0.0.1:5000", server)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return &Client{
		Interval: DefaultInterval,
		base:     u,
		HTTP: &http.Client{
			Transport: &http.Transport{
				// On a reused connection the transport may repeat a request, and a move
				// sent twice loses the game; so each request has a new connection.
				DisableKeepAlives:      true,
				DisableCompression:     true,
				MaxResponseHeaderBytes: 16 << 10,
				DialContext:            (&net.Dialer{Timeout: maxDialTime}).DialContext,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// isServer reports whether u is an http or https address with a host, and without query and fragment.
func isServer(u *url.URL) bool {
	_, portErr := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16)
	isHTTP := u.Scheme == "http" || u.Scheme == "https"
	return isHTTP && u.Host != "" && portErr == nil && u.RawQuery == "" && u.Fragment == ""
}

// Register requests a place in the game. The error of a refusal is a cwhttp.RegisterCode.
func (c *Client) Register(ctx context.Context, team string) (engine.Side, error) {
	body, _, err := c.request(ctx, "/reg/"+url.PathEscape(team))
	if err != nil {
		return engine.None, fmt.Errorf("register: %w", err)
	}
	var answer struct {
		Response  string         `json:"response"`
		Player    lenient.Number `json:"player"`
		ErrorCode lenient.Number `json:"error_code"`
	}
	if _, err := lenient.Unmarshal(body, &answer); err != nil {
		return engine.None, fmt.Errorf("register: the answer is not JSON as expected: %s", shown(body))
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

// Status requests the status. at is the time of the request.
func (c *Client) Status(ctx context.Context) (st circuitwars.Status, at time.Time, err error) {
	body, at, err := c.request(ctx, "/status")
	if err != nil {
		return circuitwars.Status{}, at, err
	}
	st, err = circuitwars.ParseStatus(body)
	return st, at, err
}

// Move sends a move once. ok reports whether the server answered with a status. If ok is false and err
// is nil, the next status shows whether the move was played.
func (c *Client) Move(ctx context.Context, team, move string) (st circuitwars.Status, at time.Time, ok bool, err error) {
	body, at, err := c.request(ctx, "/move/"+url.PathEscape(team)+"/"+escapeMove(move))
	if err != nil {
		return circuitwars.Status{}, at, false, err
	}
	st, err = circuitwars.ParseStatus(body)
	return st, at, err == nil, nil
}

func (c *Client) Restart(ctx context.Context) error {
	_, _, err := c.request(ctx, "/restart")
	return err
}

// DefaultInterval is the minimum interval in the rules of the championship.
const DefaultInterval = 200 * time.Millisecond

// Hurry shortens Interval to at most a tenth of limit, the time limit per move.
func (c *Client) Hurry(limit time.Duration) { c.Interval = min(c.Interval, limit/10) }

// escapeMove escapes a move for a path, but not its commas.
func escapeMove(move string) string {
	return strings.ReplaceAll(url.PathEscape(move), "%2C", ",")
}

// request sends GET path and follows redirects on the same server. It returns the body of the last
// answer and the time at which the last request began. The error is that of ctx or of get,
// or names a redirect that is not followed. It wraps [ErrNotSent] only if no request was sent.
func (c *Client) request(ctx context.Context, path string) (body []byte, at time.Time, err error) {
	u, err := url.Parse(c.base.String() + path)
	if err != nil {
		return nil, at, err
	}
	for hop := 0; ; hop++ {
		if err := engine.Pause(ctx, time.Until(c.last.Add(c.Interval))); err != nil {
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
		u = next
	}
}

// get sends one request and waits at most maxAnswerTime. It returns the location of a redirect, or else
// the body of the answer. The error wraps [ErrNotSent] if no connection was made, and [ErrNotFound] if
// the answer is complete and its status 404.
func (c *Client) get(ctx context.Context, target string) (body []byte, location string, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxAnswerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("User-Agent", "endwise")
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, "", c.requestError(err)
	}
	defer resp.Body.Close()
	if location := resp.Header.Get("Location"); location != "" && resp.StatusCode/100 == 3 {
		return nil, location, nil
	}
	if resp.StatusCode == http.StatusSwitchingProtocols { // the body is the connection, which ctx does not end
		return nil, "", fmt.Errorf("the server answers %.60q; is this the address of the game server?", resp.Status)
	}
	body, err = readAnswer(resp)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("reading the answer: %w", err)
	case len(body) > maxAnswerBytes:
		return nil, "", fmt.Errorf("the answer is longer than %d bytes", maxAnswerBytes)
	case resp.StatusCode == http.StatusNotFound:
		return nil, "", fmt.Errorf("%w: %s answers %.60q", ErrNotFound, target, resp.Status)
	case resp.StatusCode/100 != 2:
		return nil, "", fmt.Errorf("the server answers %.60q: %s", resp.Status, shown(body))
	}
	return body, "", nil
}

// requestError returns an error for the user, given an error of [http.Client.Do].
func (c *Client) requestError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("%w at %s (%w): is it running?", ErrNotSent, c.base, op.Err)
	}
	var request *url.Error // its text repeats the URL of the request
	if errors.As(err, &request) {
		err = request.Err
	}
	return fmt.Errorf("no answer from %s: %w", c.base, err)
}

// shown returns the beginning of an answer for an error message.
func shown(body []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		return "a web page; is this the address of the game server?"
	}
	return fmt.Sprintf("%.60q", body)
}

// readAnswer reads and unpacks the body of an answer, but no more than maxAnswerBytes+1 bytes.
func readAnswer(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return body, err
	}
	unpacked := io.Reader(bytes.NewReader(body))
	switch coding := strings.ToLower(resp.Header.Get("Content-Encoding")); {
	case bytes.HasPrefix(body, []byte("\x1f\x8b")): // gzip, even if the header does not say so
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
