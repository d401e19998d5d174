package cwhttp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Whatever a server answers, a client has an error or something that makes
// sense.
func FuzzClient(f *testing.F) {
	f.Add(200, `{"response":"OK","player":1}`, "")
	f.Add(200, `{"response":"ERROR","error_code":-102}`, "")
	f.Add(200, `{"status_code":201,"score_1":0,"score_2":0,"board":[[0]],"last_move":"","time_left":-1,"board_size":1}`, "")
	f.Add(302, "", "/status")
	f.Add(307, "x", "http://127.0.0.1:1/%zz")
	f.Add(999, "\x1f\x8b\x08", "//")
	var status int
	var body, location string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	f.Cleanup(srv.Close)
	f.Fuzz(func(t *testing.T, code int, text, to string) {
		if code < 200 || code > 999 || strings.ContainsAny(to, "\r\n") {
			return
		}
		// Only this server may be asked.
		if strings.Contains(to, "//") || strings.Contains(to, ":") || strings.Contains(to, `\`) {
			to = ""
		}
		status, body, location = code, text, to
		c, err := NewClient(srv.URL)
		testenv.OK(t, err)
		c.Interval = time.Nanosecond
		if side, err := c.Register(t.Context(), "team"); err == nil && side != 1 && side != 2 {
			t.Errorf("registered as %v", side)
		} else if refused := RegisterCode(0); errors.As(err, &refused) && refused.Error() == "" {
			t.Error("a refusal without a sentence")
		}
		st, _, err := c.Status(t.Context())
		if err == nil {
			if back, err := (circuitwars.Game{}).Parse(st.Position.String()); err != nil || back.String() != st.Position.String() {
				t.Errorf("the status is the position %s, which is read as %v, %v", st.Position, back, err)
			}
		}
		if _, _, _, err := c.Move(t.Context(), "team", "0,0,top"); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
	})
}
