package web

import (
	"bytes"
	"html/template"
	"net/http"
)

// sitePage is a page of the Site: its body and title are the templates of the file
// of its name, and its script has that name.
type sitePage struct{ Name, Title string }

// sitePages are in the order of the navigation; the first page, index, is not in it.
var sitePages = []sitePage{{"play", "Play"}, {"explore", "Explore"}, {"analyse", "Analyse"}, {"practise", "Practise"}}

// missing is shown, with the status that says so, where there is no page.
const missing = "missing"

// page puts a page into the frame that all pages share, with links to pages.
// suffix ends the pages' addresses: ".html" in the static site, which also has a
// policy of its own, else nothing.
func page(name string, pages []sitePage, games Games, suffix string) ([]byte, error) {
	t, err := template.ParseFS(files, "layout.html", "parts.html", name+".html")
	if err != nil {
		return nil, err
	}
	root := "" // what addresses begin with; relative where it is empty
	if name == missing {
		root = "/"
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "layout.html", struct {
		Name                 string
		Pages                []sitePage
		Games                Games
		Suffix, Root, Policy string
	}{name, pages, games, suffix, root, staticPolicy})
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
