// Package web holds the pages that endwise shows in a browser, embedded in the
// binary. Boards are pictures of a few shapes (engine.Picture), drawn in the
// browser by board.js, where they can be played on, and by package svg for
// files and reports, which need no script; each page has a script of its own.
// Everything is served under a strict content security policy: no inline script
// or style, nothing from elsewhere.
package web

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"endwise/engine/svg"
)

//go:embed *.html *.js *.css
var files embed.FS

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'"

// Handler shows the named page at / and the files it needs below /web/. The
// page may connect to its own host, and to the further sources given, in the
// words of the policy, for instance "ws:" for any websocket.
func Handler(page string, connect ...string) http.Handler {
	policy := strings.Join(append([]string{policy}, connect...), " ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/web/")
		if r.URL.Path == "/" {
			name, ok = page, true
		}
		if !ok || !fs.ValidPath(name) {
			http.NotFound(w, r)
			return
		}
		serveFile(w, r, name, policy)
	})
}

// serveFile shows one of the embedded files.
func serveFile(w http.ResponseWriter, r *http.Request, name, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if name == "board.css" {
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(svg.Style))
		return
	}
	http.ServeFileFS(w, r, files, name)
}
