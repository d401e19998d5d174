// Package web contains the pages that endwise shows in a browser, embedded in the binary, and the server
// for them ([Site], or [Handler] for one page). Boards are pictures of a few shapes (engine.Picture). In
// the browser board.js draws them and handles moves; package svg draws them for files and reports, whose
// boards need no script. Each page has its own script. [Site] and [Handler] serve their pages under a
// strict content security policy: no inline script or style, and nothing from other hosts except connections that the
// caller of Handler allows. Reports and the
// page of a championship have inline styles, and the script of a report is allowed by its digest.
package web

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"endwise/engine/svg"
)

//go:embed *.html *.js *.css *.svg *.game
var files embed.FS

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'"

// Handler serves the page with the given name at / and its files below /web/. The page may connect to
// its own host and to the sources in connect, in the syntax of the policy, for instance "ws:" for any
// websocket.
func Handler(name string, connect ...string) http.Handler {
	policy := strings.Join(append([]string{policy}, connect...), " ")
	html, err := page(name, nil, nil, "")
	if err != nil {
		panic(err) // the pages are embedded
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			setSecurityHeaders(w.Header(), policy)
			servePage(html, http.StatusOK)(w, r)
			return
		}
		name, ok := strings.CutPrefix(r.URL.Path, "/web/")
		if !ok || !fs.ValidPath(name) || strings.HasSuffix(name, ".html") {
			http.NotFound(w, r)
			return
		}
		setSecurityHeaders(w.Header(), policy)
		serveFile(w, r, name)
	})
}

func setSecurityHeaders(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// serveFile serves one of the embedded files.
func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Cache-Control", "no-cache")
	if name == "board.css" {
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(svg.Style))
		return
	}
	http.ServeFileFS(w, r, files, name)
}
