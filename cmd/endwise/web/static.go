package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"endwise/cmd/endwise/web/answer"
	"endwise/engine/svg"
)

// staticPolicy is the content security policy of the static site, which uses no other host.
const staticPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"

// ProgramFile is the compiled program, compressed by gzip, and RuntimeFile the script of
// the Go distribution that runs it. The name of ProgramFile does not end in .gz, because some web
// servers then send Content-Encoding: gzip.
const (
	ProgramFile = "program.bin"
	RuntimeFile = "wasm_exec.js"
)

//go:embed all:built
var built embed.FS

// Built returns the program and its script if .ci/release has embedded them, otherwise nil.
func Built() map[string][]byte {
	out := map[string][]byte{}
	for _, name := range []string{ProgramFile, RuntimeFile} {
		data, err := built.ReadFile("built/" + name)
		if err != nil {
			return nil
		}
		out[name] = data
	}
	return out
}

// Static returns the files of the static site by path: the pages, whose links are relative, so that any
// server can serve them under any path (except 404.html), and the program that answers instead of a server. store contains the files
// that the program reads, by game and name, compressed by gzip.
func Static(games Games, program, runtime []byte, store map[string]map[string][]byte) (map[string][]byte, error) {
	out := map[string][]byte{
		"web/board.css": []byte(svg.Style), "web/" + ProgramFile: program, "web/" + RuntimeFile: runtime,
	}
	if err := games.addPages(out); err != nil {
		return nil, err
	}
	if err := games.addData(out, store); err != nil {
		return nil, err
	}
	return out, addServiceWorker(out)
}

// addPages adds the pages with their scripts and style sheets.
func (all Games) addPages(out map[string][]byte) error {
	htmls := map[string]string{"index.html": "index", "404.html": missing}
	for _, p := range sitePages {
		htmls[p.Name+".html"] = p.Name
	}
	for file, name := range htmls {
		html, err := page(name, sitePages, all, ".html")
		if err != nil {
			return err
		}
		out[file] = html
	}
	names, err := fs.Glob(files, "*.*")
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".html") {
			continue // templates
		}
		if out["web/"+name], err = files.ReadFile(name); err != nil {
			return err
		}
	}
	return nil
}

// addData adds the web manifest, the files of the store with their list, and what the pages show
// before the program is loaded: the games, the first position and the example of each, and the replays.
func (all Games) addData(out map[string][]byte, store map[string]map[string][]byte) error {
	lists := map[string][]string{}
	for game, parts := range store {
		lists[game] = slices.AppendSeq([]string{}, maps.Keys(parts))
		slices.Sort(lists[game])
		for name, data := range parts {
			out["store/"+name] = data
		}
	}
	views := map[string]answer.View{}
	for _, g := range all {
		first, err := g.Start(g.Boards[0])
		if err != nil {
			return err
		}
		views[g.Name()+" "+g.Boards[0]] = g.View(first, nil, 0)
		example, _, err := g.ReadGame(g.Example)
		if err != nil {
			return err
		}
		views[g.Name()+" "+g.Example] = g.View(example, nil, 0)
	}
	replays, err := all.recorded()
	if err != nil {
		return err
	}
	for name, value := range map[string]any{
		"views.json": views, "games.json": all.entries(), "recorded.json": replays, "store/files.json": lists,
		"manifest.webmanifest": map[string]any{
			"name": "Endwise", "short_name": "Endwise", "description": "Board games, solved from the end",
			"start_url": ".", "scope": ".", "display": "standalone", "background_color": "#ffffff", "theme_color": "#1b5e8c",
			"icons": []map[string]string{{"src": "web/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}},
		},
	} {
		if out[name], err = json.Marshal(value); err != nil {
			return err
		}
	}
	return nil
}

// addServiceWorker moves the service worker to the folder of the pages, which it controls, and
// writes the list of all other files and a digest of their content into it.
func addServiceWorker(out map[string][]byte) error {
	worker := out["web/sw.js"]
	delete(out, "web/sw.js")
	paths := slices.Sorted(maps.Keys(out))
	sum := sha256.New()
	for _, name := range paths {
		fmt.Fprintf(sum, "%s %d\n", name, len(out[name]))
		sum.Write(out[name])
	}
	list, err := json.Marshal(append([]string{"./"}, paths...))
	if err != nil {
		return err
	}
	worker = bytes.Replace(worker, []byte("/*FILES*/[]"), list, 1)
	out["sw.js"] = bytes.Replace(worker, []byte("/*DIGEST*/"), fmt.Appendf(nil, "%x", sum.Sum(nil)[:8]), 1)
	return nil
}
