package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// firstMove answers every question with the first legal move and records it.
type firstMove struct{ asked []book.Question }

func (*firstMove) Name() string { return "first" }

func (s *firstMove) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	s.asked = append(s.asked, *q)
	q.Known.Estimate(s.Name(), 0, book.Estimate{Move: q.Position.Moves()[0]})
	return true, nil
}

// newSite returns a site of Dots and Boxes with the given source.
func newSite(t *testing.T, s book.Source) *Site {
	t.Helper()
	g := Game{Game: answer.Game{Rules: analysis.Rules{Game: dotsandboxes.Game{}}}, Boards: []string{"2x2"}}
	g.Open = func() (*book.Lookup, error) { return &book.Lookup{Sources: []book.Source{s}}, nil }
	site, err := NewSite(Config{Games: Games{g}, Burst: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

// send sends a request without the headers of a browser.
func send(site *Site, method, address string, body io.Reader) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, address, body)
	r.Host = "localhost"
	site.ServeHTTP(w, r)
	return w
}

// The page's engine requests a move to play; a lookup does not.
func TestEngineOfAPageIsAskedToPlay(t *testing.T) {
	var s firstMove
	site := newSite(t, &s)
	for _, path := range []string{"choose?player=engine&time=1s&position=2x2", "lookup?time=1s&position=2x2"} {
		if w := send(site, "GET", "/v1/dotsandboxes/"+path, nil); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if len(s.asked) != 2 || !s.asked[0].Play || s.asked[1].Play {
		t.Errorf("asked %+v, want to play first and then not", s.asked)
	}
}

// A record whose transfer breaks off is not reported as too long.
func TestRecordThatCanNotBeRead(t *testing.T) {
	w := send(newSite(t, &firstMove{}), "POST", "/v1/analysis", iotest.ErrReader(errors.New("gone")))
	if w.Code != http.StatusBadRequest || strings.Contains(w.Body.String(), "longer") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
