package match

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"slices"
	"sync"
	"time"

	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/wire/httpd"
)

// livePage shows a running championship.
type livePage struct {
	hosts []string // further names of this machine

	mu   sync.Mutex
	view web.Championship
}

func newLivePage(now championship.Outcome, hosts []string) *livePage {
	return &livePage{hosts: hosts, view: web.Championship{Outcome: now}}
}

// reached shows a position of a running game.
func (l *livePage) reached(id string, players [2]string, p engine.Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.view.Running {
		if l.view.Running[i].ID == id {
			l.view.Running[i].Position = p
			return
		}
	}
	l.view.Running = append(l.view.Running, web.RunningGame{ID: id, Players: players, Position: p})
}

// ended shows a finished game; now is the outcome after it.
func (l *livePage) ended(r arena.Result, now championship.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.view.Running = slices.DeleteFunc(l.view.Running, func(g web.RunningGame) bool { return g.ID == r.ID })
	l.view.Outcome = now
	l.view.Finished = append([]arena.Result{r}, l.view.Finished...)
}

// server returns a server of the page.
func (l *livePage) server() *http.Server {
	return &http.Server{
		Handler: l, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		MaxHeaderBytes: 32 << 10, ErrorLog: log.New(io.Discard, "", 0), // malformed requests are not logged
	}
}

// ServeHTTP implements http.Handler.
func (l *livePage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := httpd.Foreign(r, l.hosts...); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if r.URL.Path != "/" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	l.mu.Lock()
	view := l.view
	view.Running = slices.Clone(view.Running)
	l.mu.Unlock()
	var page bytes.Buffer
	if err := view.Write(&page); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Refresh", "3")
	w.Write(page.Bytes())
}
