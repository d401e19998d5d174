package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"endwise/book"
	"endwise/engine"
)

const (
	maxAnswerBytes = 1 << 20
	minTime        = 30 * time.Millisecond
	// unlimitedTime is the time requested from the server if the clock has no limit.
	unlimitedTime = 3 * time.Second
	// After a failure the client sends no request for firstPause. Each further failure doubles the
	// pause, up to lastPause.
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second
)

// Client is a [book.Source] that queries a [Server]. If the server is unreachable, does not answer in
// time or returns an invalid answer, the client records nothing and returns no error.
type Client struct {
	game engine.Game
	base string
	http *http.Client

	mu    sync.Mutex
	pause time.Duration
	until time.Time // no request before this time
}

// New returns a client for one game of the server at an address like http://127.0.0.1:8080, which may
// have a path. It sends no request. The client does not follow redirects.
func New(address string, g engine.Game) (*Client, error) {
	u, err := url.Parse(address)
	valid := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	if !valid || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("address %.40q: want http://HOST:PORT", address)
	}
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		game: g,
		base: strings.TrimRight(address, "/"),
		http: &http.Client{CheckRedirect: noRedirects},
	}, nil
}

func (c *Client) Name() string { return "remote" }

// Reach returns an error if no server answers within a second, or the server does not have the game.
func (c *Client) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	// Without a position, a Server answers that the request is bad.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/v1/"+c.game.Name()+"/lookup", nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if failed := new(url.Error); errors.As(err, &failed) {
		return failed.Err // the text of err repeats the address
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return errors.New("not a server of endwise serve, or without this game")
	}
	return nil
}

// Improve queries the server and records its answer. It waits for at most three quarters of the
// remaining time. It sends no request if less than minTime is left, or during a pause. enough reports
// whether it has recorded an answer; err is always nil.
func (c *Client) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	total, limited := q.Clock.Remaining()
	if !limited {
		total = unlimitedTime
	}
	if total < minTime || c.pausing() {
		return false, nil
	}
	request, cancel := context.WithTimeout(ctx, total*3/4)
	defer cancel()
	// The difference is for the network.
	d, err := c.request(request, q, min(total*6/10, MaxTime))
	if ctx.Err() != nil {
		return false, nil // not a failure of the server
	}
	c.recordOutcome(err == nil)
	if err != nil {
		return false, nil
	}
	q.Known.Learn(d)
	return true, nil
}

func (c *Client) pausing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.until)
}

// recordOutcome starts a pause after a failed request. A successful one resets the pause's length.
func (c *Client) recordOutcome(ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.pause = 0
		return
	}
	c.pause = min(max(2*c.pause, firstPause), lastPause)
	c.until = time.Now().Add(c.pause)
}

// request asks the server to answer q within limit. The request itself ends with ctx.
func (c *Client) request(
	ctx context.Context, q *book.Question, limit time.Duration,
) (d engine.Decision, err error) {
	params := url.Values{"time": {limit.Round(time.Millisecond).String()}}
	if q.AllMoves {
		params.Set("moves", "all")
	}
	if q.Play {
		params.Set("play", "true")
	}
	address := c.base + "/v1/" + c.game.Name() + "/lookup?" + params.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(q.Position.String()))
	if err != nil {
		return d, err
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := c.http.Do(req)
	if err != nil {
		return d, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return d, fmt.Errorf("status %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return d, err
	}
	if len(data) > maxAnswerBytes {
		return d, fmt.Errorf("longer than %d bytes", maxAnswerBytes)
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, err
	}
	return d, checkDecision(q.Position, d)
}

const maxSource = 40

// checkDecision returns an error if a decision contains a move that is illegal in p, has no source,
// or contains a text or a list of moves that is too long.
func checkDecision(p engine.Position, d engine.Decision) error {
	if d.Source == "" {
		return errors.New("no source")
	}
	if len(d.Source) > maxSource || len(d.Note) > 1000 || len(d.Moves) > len(p.Moves()) {
		return errors.New("longer than a decision can be")
	}
	if _, err := p.ParseMove(d.Move); err != nil {
		return err
	}
	for _, m := range d.Moves {
		if len(m.Source) > maxSource {
			return errors.New("longer than a decision can be")
		}
		if _, err := p.ParseMove(m.Move); err != nil {
			return err
		}
	}
	for _, text := range d.Line {
		var err error
		if p, err = engine.PlayText(p, text); err != nil {
			return fmt.Errorf("line: %w", err)
		}
	}
	return nil
}
