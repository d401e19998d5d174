package web

import (
	"bytes"
	"html/template"
	"net/http"
)

// sitePage is a page of a [Site]. Its template file and its script have its name.
type sitePage struct{ Name, Title string }

// sitePages lists the pages in the order of the navigation, without the home page, index.
var sitePages = []sitePage{{"play", "Play"}, {"explore", "Explore"}, {"analyse", "Analyse"}, {"practise", "Practise"}}

// missing is the page with status 404. The server replaces askedAddress in it; the static site does not
// show the address.
const missing, askedAddress = "missing", "ASKED"

// page renders the page with the given name in the common layout, with links to those in pages.
// suffix is appended to the addresses of pages: "" or, in the static site, ".html". A page of the
// static site contains its content security policy.
func page(name string, pages []sitePage, games Games, suffix string) ([]byte, error) {
	t, err := template.ParseFS(files, "layout.html", "parts.html", name+".html")
	if err != nil {
		return nil, err
	}
	root := "" // prefix of addresses; "" makes them relative
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

// servePage returns a handler that serves a page with a status.
func servePage(html []byte, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		w.Write(html)
	}
}
