package match

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena/championship"
	"endwise/engine/wire/httpd"
)

// livePage shows a running championship, and the report on its games.
type livePage struct {
	hosts  []string // further names of this machine
	report *classReport

	mu      sync.Mutex
	view    web.Championship
	started time.Time
	earlier int // number of games played before started
}

func newLivePage(report *classReport, now championship.Outcome, hosts []string) *livePage {
	l := &livePage{hosts: hosts, report: report, view: web.Championship{Title: report.title}}
	l.update(now)
	l.started, l.earlier = time.Now(), len(l.view.Finished)
	return l
}

// reached shows position p of the running game id.
func (l *livePage) reached(id string, players [2]string, p engine.Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.view.Running {
		if l.view.Running[i].ID == id {
			g := &l.view.Running[i]
			g.Before, g.Position, g.Since = g.Position, p, time.Now()
			return
		}
	}
	l.view.Running = append(l.view.Running, web.RunningGame{ID: id, Players: players, Position: p, Since: time.Now()})
}

// update shows an outcome. Its new results are no longer running games.
func (l *livePage) update(now championship.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range now.Results() {
		if slices.ContainsFunc(l.view.Finished, func(g web.FinishedGame) bool { return g.ID == r.ID }) {
			continue
		}
		l.view.Running = slices.DeleteFunc(l.view.Running, func(g web.RunningGame) bool { return g.ID == r.ID })
		l.view.Finished = append([]web.FinishedGame{{Result: r}}, l.view.Finished...)
	}
	l.view.Outcome = now
	l.view.End = l.expectedEnd()
}

// expectedEnd assumes that the remaining games take as long as those played since the start. It
// returns zero before three of these.
func (l *livePage) expectedEnd() time.Time {
	played := len(l.view.Finished) - l.earlier
	if l.started.IsZero() || played < 3 {
		return time.Time{}
	}
	now := time.Now()
	left := l.view.Outcome.Games - l.view.Outcome.Played
	return now.Add(now.Sub(l.started) / time.Duration(played) * time.Duration(left))
}

// serve starts a server of the page, which runs until ctx ends. ended receives the error of the server
// or nil.
func (l *livePage) serve(ctx context.Context, a *cli.App, address string) (ended <-chan error, err error) {
	ln, err := cli.Listen("--serve", address)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.Stderr, "live page on %s\n", cli.Addresses(ln.Addr()))
	out := make(chan error, 1)
	go func() { out <- httpd.Serve(ctx, l.server(), ln, time.Second) }()
	return out, nil
}

func (l *livePage) server() *http.Server {
	return &http.Server{
		Handler: l, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		MaxHeaderBytes: 32 << 10, ErrorLog: log.New(io.Discard, "", 0), // malformed requests are not logged
	}
}

func (l *livePage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := httpd.Foreign(r, l.hosts...); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	pages := map[string]func() ([]byte, error){
		"/":                l.page,
		"/championship.js": func() ([]byte, error) { return web.ChampionshipScript, nil },
	}
	if len(l.report.games()) > 0 {
		pages["/report"] = l.report.page
	}
	write := pages[r.URL.Path]
	if write == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "There is no such page. The championship is at / and its report, after the first game, at /report.", http.StatusNotFound)
		return
	}
	page, err := write()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if path.Ext(r.URL.Path) == ".js" {
		h.Set("Content-Type", "text/javascript; charset=utf-8")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.Write(page)
}

func (l *livePage) page() ([]byte, error) {
	l.mu.Lock()
	view := l.view
	view.Running = slices.Clone(view.Running)
	l.mu.Unlock()
	view.Reported = l.report.games()
	var out bytes.Buffer
	err := view.Write(&out)
	return out.Bytes(), err
}
