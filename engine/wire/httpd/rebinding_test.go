package httpd

import (
	"net/http/httptest"
	"os"
	"testing"

	"endwise/engine/testenv"
)

func TestForeign(t *testing.T) {
	own, err := os.Hostname()
	testenv.OK(t, err)
	for _, c := range []struct {
		host, origin string
		foreign      bool
	}{
		{"127.0.0.1:5000", "", false},
		{"localhost:5000", "http://localhost:5000", false},
		{"LOCALHOST.", "null", false},
		{"game.localhost", "", false},
		{"[::1]:5000", "http://[::1]:5000", false},
		{"192.168.1.5:5000", "http://192.168.1.5:5000", false},
		{"teacher:5000", "http://teacher:5000", false},
		{own + ":5000", "", false},
		{own + ".school.example", "", false},
		{"", "", false},
		{"evil.example", "", true},
		{"evil.example:5000", "http://evil.example:5000", true},
		{"localhost.evil.example", "", true},
		{"127.0.0.1.evil.example", "", true},
		{"127.0.0.1:5000", "http://evil.example", true},
		{"127.0.0.1:5000", "http://evil.example:5000", true},
		{"127.0.0.1:5000", "http://192.168.1.5", true},
		{"127.0.0.1:5000", "%", true},
	} {
		r := httptest.NewRequest("GET", "/status", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if err := Foreign(r, "Teacher:5000", "192.168.1.5:5000"); (err != nil) != c.foreign {
			t.Errorf("to %q for %q: %v", c.host, c.origin, err)
		}
	}
}
