package web

import (
	"bytes"
	"html/template"
	"net/http"
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

// missing is shown, with the status that says so, where there is no page.
var missing = sitePage{"", "Not found", "missing"}

// page puts a page into the frame that all pages share, with links to the others.
// suffix ends the pages' addresses: ".html" in the static site, which also has a
// policy of its own, else nothing.
func page(p sitePage, pages []sitePage, games Games, suffix string) ([]byte, error) {
	t, err := template.ParseFS(files, "layout.html", "parts.html", p.Script+".html")
	if err != nil {
		return nil, err
	}
	root := "" // what addresses begin with; relative where it is empty
	if p == missing {
		root = "/"
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "layout.html", struct {
		sitePage
		Pages                []sitePage
		Games                Games
		Suffix, Root, Policy string
	}{p, pages, games, suffix, root, staticPolicy})
	return b.Bytes(), err
}

// servePage shows a page with a status.
func servePage(html []byte, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		w.Write(html)
	}
}
