package web

import (
	"bytes"
	"html/template"
	"net/http"
	"time"
)

// sitePage is one page of the Site: its body and title are the templates of a
// file of its own, its script has the same name.
type sitePage struct{ Path, Title, Script string }

// sitePages are in the order of the navigation; the first page is not in it.
var sitePages = []sitePage{
	{"play", "Play", "play"},
	{"explore", "Explore", "explore"},
	{"analyse", "Analyse", "analyse"},
	{"practise", "Practise", "practise"},
}

// page puts a page into the frame that all pages share.
func page(p sitePage, games Games) (http.Handler, error) {
	t, err := template.ParseFS(files, "layout.html", p.Script+".html")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "layout.html", struct {
		sitePage
		Pages  []sitePage
		Games  Games
		Suffix string // of the pages' addresses
	}{p, sitePages, games, ""})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, "page.html", time.Time{}, bytes.NewReader(b.Bytes()))
	}), nil
}
