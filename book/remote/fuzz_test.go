package remote

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Whatever a server answers, a client records nothing or a decision that can be played.
func FuzzClient(f *testing.F) {
	f.Add(200, `{"move":"0,0,top","score":-2,"proof":"exact","exact":true,"source":"solved","depth":0,"line":["0,0,top"],"moves":[{"move":"0,0,top","score":-2,"proof":"exact"}]}`)
	f.Add(200, `{"move":"0,0,top","source":"x","line":["0,0,top","0,0,top"]}`)
	f.Add(200, `{"move":"9,9,left","source":"x","proof":"sure"}`)
	f.Add(503, `{"error":"busy"}`)
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(f, err)
	var status int
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	f.Cleanup(srv.Close)
	f.Fuzz(func(t *testing.T, code int, text string) {
		if code < 200 || code > 999 {
			return
		}
		status, body = code, text
		c, err := New(srv.URL, circuitwars.Game{})
		testenv.OK(t, err)
		l := book.Lookup{Sources: []book.Source{c, local{}}}
		d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute)})
		testenv.OK(t, err)
		q := engine.Position(p)
		for i, move := range append([]string{d.Move}, d.Line...) {
			if i == 1 {
				q = p
			}
			m, err := q.ParseMove(move)
			if err != nil {
				t.Fatalf("%q is taken, move %q: %v", text, move, err)
			}
			q, err = q.Play(m)
			testenv.OK(t, err)
		}
	})
}
