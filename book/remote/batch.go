package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"endwise/book"
	"endwise/engine"
)

// Limits of a request with many positions.
const (
	// maxBatchBytes is the longest body, maxBatch the most positions in it.
	maxBatchBytes = 1 << 20
	maxBatch      = 1000
	// maxBatches is how many such requests are answered at once, each of them one
	// position at a time, in turn with all other requests.
	maxBatches = 4
	// maxBatchTime is the time for all of a request; the positions that are left
	// then are answered with an error.
	maxBatchTime = 5 * time.Minute
	// batchPatience is how long the client may take to read an answer.
	batchPatience = 10 * time.Second
)

var (
	errBatchTime = fmt.Errorf("no time left: a request has %v for all its positions", maxBatchTime)
	errFailed    = errors.New("the lookup failed; the server's log says why")
)

// Answer is the answer to one of many positions: a decision with its keys, or
// what is wrong.
type Answer struct {
	N int `json:"n"` // its place among the positions, or its line, from 1
	*engine.Decision
	Error string `json:"error,omitempty"`
}

// isBatch says whether a POST holds many positions: its body is NDJSON by its
// content type, or begins with a bracket. The body stays to be read.
func isBatch(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && kind == "application/x-ndjson" {
		return true
	}
	head := bufio.NewReaderSize(r.Body, 64)
	r.Body = struct {
		io.Reader
		io.Closer
	}{head, r.Body}
	start, _ := head.Peek(64) // where the body ends before, what there is
	return bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("["))
}

// batchTexts reads the positions of a body: the elements of a JSON array, or one a
// line.
func batchTexts(body []byte) (out []string, err error) {
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("[")) {
		var items []json.RawMessage
		if err := json.Unmarshal(body, &items); err != nil {
			return nil, fmt.Errorf("body: want a JSON array of positions: %w", err)
		}
		for _, item := range items {
			out = append(out, BatchText(string(item)))
		}
	} else {
		for line := range bytes.Lines(body) {
			out = append(out, BatchText(string(line)))
		}
	}
	switch {
	case len(out) == 0 || len(out) == 1 && out[0] == "":
		return nil, errors.New("body: no positions")
	case len(out) > maxBatch:
		return nil, fmt.Errorf("body: %d positions: at most %d in a request", len(out), maxBatch)
	}
	return out, nil
}

// BatchText is the notation in an element of an array or in a line: a JSON string
// stands for its text, all else, a server's status for instance, for itself.
func BatchText(item string) string {
	var text string
	if json.Unmarshal([]byte(item), &text) == nil {
		return text
	}
	return item
}

// serveBatch answers many positions in their order, a line of JSON each, as soon
// as it is known.
func (s *Server) serveBatch(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, err error) {
		metrics.Add("refused", 1)
		WriteError(w, status, err)
	}
	d, q, limit, status, err := s.options(r)
	if err != nil {
		refuse(status, err)
		return
	}
	body, status, err := ReadBody(w, r, "body", maxBatchBytes)
	if err != nil {
		refuse(status, err)
		return
	}
	texts, err := batchTexts(body)
	if err != nil {
		refuse(http.StatusBadRequest, err)
		return
	}
	select {
	case s.batches <- struct{}{}:
		defer func() { <-s.batches }()
	default:
		metrics.Add("busy", 1)
		w.Header().Set("Retry-After", "10")
		WriteError(w, http.StatusServiceUnavailable, ErrBusy)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxBatchTime)
	defer cancel()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	out, control := json.NewEncoder(w), http.NewResponseController(w)
	out.SetEscapeHTML(false)
	for i, text := range texts {
		a := Answer{N: i + 1}
		if len(text) > maxPositionBytes {
			err = fmt.Errorf("position: longer than %d bytes", maxPositionBytes)
		} else if q.Position, err = d.Parse(text); err == nil {
			a.Decision, err = s.decideInTurn(ctx, q, limit)
		}
		if err != nil {
			a.Error = err.Error()
		}
		// The server's own limit is on a whole answer, this one on a line of it.
		_ = control.SetWriteDeadline(time.Now().Add(batchPatience)) // what can't set one has none
		if out.Encode(a) != nil || control.Flush() != nil || r.Context().Err() != nil {
			metrics.Add("gone", 1)
			return
		}
		_ = control.SetWriteDeadline(time.Now().Add(MaxTime + maxBatchTime))
	}
}

// decideInTurn decides on one of many positions, with limit from when its turn
// has come, and waits where too many others do. The error is for the client.
func (s *Server) decideInTurn(ctx context.Context, q book.Question, limit time.Duration) (*engine.Decision, error) {
	for {
		q.Clock = engine.ClockFor(limit)
		d, err := s.Decide(ctx, q)
		switch {
		case err == nil || errors.Is(err, engine.ErrGameOver):
			return &d, nil
		case ctx.Err() != nil:
			return nil, errBatchTime
		case !errors.Is(err, ErrBusy):
			metrics.Add("failed", 1)
			s.log.Error("lookup failed", "game", q.Position.Game(), "position", q.Position.String(), "cause", err)
			return nil, errFailed
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}
