package opening

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"endwise/engine"
	"endwise/engine/svg"
)

// The browsable form of a book is a directory of static files that needs no
// server: index.html, a page a node under n/HASH/KEY.html with HASH the first
// byte of the key's hash, and one style sheet and one script for all. Pages
// are complete without the script, which only connects board and list.

//go:embed site
var siteFiles embed.FS

var siteTemplates = template.Must(template.ParseFS(siteFiles, "site/*.html"))

type siteLink struct{ Text, Href string }

type sitePage struct {
	Title, Book, Root   string
	Trail               []siteLink
	Board               template.HTML
	Value, Kind, Behind string
	Visits              int
	Moves               []siteMove
	Parents             []siteLink
	Notation            string
}

type siteMove struct {
	Class, Shade int
	Name, Href   string
	More         int // further moves that lead to the same position
	Value, Kind  string
	GivesUp      string
	Behind       string
	Visits       int
}

// site is one run of WriteSite.
type site struct {
	b     *Book
	dir   string
	pages map[int32]bool
	// from is the node before on a shortest line from the start, and the class
	// that leads on; -1 for the start and what no line reaches.
	from  map[int32]int32
	class map[int32]int
}

// WriteSite writes the browsable form of the book into a directory: the
// nodes nearest to the first position, at most limit of them if that is not 0.
// It returns the number of pages. progress, if given, hears how many of them
// are written.
func (b *Book) WriteSite(ctx context.Context, dir string, limit int, progress func(done, total int)) (int, error) {
	s := &site{b: b, dir: dir, pages: map[int32]bool{}, from: map[int32]int32{}, class: map[int32]int{}}
	order, err := s.order(limit)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for _, name := range []string{"book.css", "book.js"} {
		data, err := siteFiles.ReadFile("site/" + name)
		if err != nil {
			return 0, err
		}
		if name == "book.css" {
			data = append([]byte(svg.Style), data...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return 0, err
		}
	}
	if err := s.index(order); err != nil {
		return 0, err
	}
	for i, id := range order {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		if err := s.page(id); err != nil {
			return i, err
		}
		if progress != nil {
			progress(i+1, len(order))
		}
	}
	return len(order), nil
}

// order lists the nodes breadth first from the first position, the others
// after them.
func (s *site) order(limit int) ([]int32, error) {
	b := s.b
	start, err := b.Start()
	if err != nil {
		return nil, err
	}
	var order []int32
	add := func(id, from int32, class int) {
		if s.pages[id] || limit > 0 && len(order) >= limit {
			return
		}
		s.pages[id], s.from[id], s.class[id] = true, from, class
		order = append(order, id)
	}
	walk := func(at int) {
		for ; at < len(order); at++ {
			for i := range b.nodes[order[at]].classes {
				if c := b.nodes[order[at]].classes[i].child; c >= 0 {
					add(c, order[at], i)
				}
			}
		}
	}
	if id, _, ok, err := b.Find(start); err != nil {
		return nil, err
	} else if ok {
		add(int32(id), -1, 0)
		walk(0)
	}
	for _, id := range b.sorted() {
		if len(b.nodes[id].parents) == 0 {
			at := len(order)
			add(id, -1, 0)
			walk(at)
		}
	}
	return order, nil
}

// file is a page's name, from the top of the site.
func (s *site) file(id int32) string {
	key := s.b.nodes[id].key
	return fmt.Sprintf("n/%02x/%s.html", hash32(key)>>24, hex.EncodeToString([]byte(key)))
}

func (s *site) write(name, template string, data any) error {
	var w bytes.Buffer
	if err := siteTemplates.ExecuteTemplate(&w, template, data); err != nil {
		return err
	}
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, w.Bytes(), 0o644)
}

func (s *site) title() string {
	return fmt.Sprintf("%s %s opening book", s.b.rules.game.Title(), s.b.header.Board)
}

func (s *site) index(order []int32) error {
	st, err := s.b.Stats()
	if err != nil {
		return err
	}
	data := struct {
		Book, Value, Href   string
		Nodes, Links, Pages int
		Plies               []PlyStats
	}{Book: s.title(), Nodes: st.Nodes, Links: st.Links, Pages: len(order), Plies: st.ByPly}
	if st.HasRoot {
		data.Value = s.value(st.Root)
	}
	if len(order) > 0 {
		data.Href = s.file(order[0])
	}
	return s.write("index.html", "index.html", data)
}

// value says what a value is in few words.
func (s *site) value(v Value) string {
	about := "≈ " + estimated(v.Est, s.b.rules.scale)
	lo, hi := proved(v.Lo, s.b.rules.scale), proved(v.Hi, s.b.rules.scale)
	switch {
	case v.Exact():
		return lo
	case v.Lo > -Unbounded && v.Hi < Unbounded:
		return fmt.Sprintf("%s (%s … %s)", about, lo, hi)
	case v.Lo > -Unbounded:
		return fmt.Sprintf("%s (≥ %s)", about, lo)
	case v.Hi < Unbounded:
		return fmt.Sprintf("%s (≤ %s)", about, hi)
	}
	return about
}

func kind(v Value) string {
	switch {
	case v.Exact():
		return "exact"
	case v.Lo > -Unbounded || v.Hi < Unbounded:
		return "bounded"
	}
	return "estimate"
}

func (s *site) behind(v Value, b Behind) string {
	if v.Exact() {
		return "proved"
	}
	out := fmt.Sprintf("estimated %d plies deep in %d ms", b.Depth, b.Millis)
	if b.Plies > 0 {
		moves := "moves"
		if b.Plies == 1 {
			moves = "move"
		}
		out += fmt.Sprintf(", %d book %s on", b.Plies, moves)
	}
	return out
}

// shade is 0 for the best moves, 1 for those that give up less than two points
// (squares, or pieces), 2 for less than five, 3 for more.
func (s *site) shade(givesUp int) int {
	points := givesUp
	if s.b.rules.scale > 1 {
		points = (givesUp + 50) / 100
	}
	switch {
	case givesUp == 0:
		return 0
	case points < 2:
		return 1
	case points < 5:
		return 2
	}
	return 3
}

func (s *site) page(id int32) error {
	b := s.b
	info, err := b.Info(Node(id))
	if err != nil {
		return err
	}
	p := info.Position
	_, members, err := b.rules.steps(p)
	if err != nil {
		return err
	}
	root := "../../"
	data := sitePage{
		Title: s.title(), Book: s.title(), Root: root,
		Value: s.value(info.Value), Kind: kind(info.Value), Behind: s.behind(info.Value, info.Behind),
		Visits: info.Visits, Notation: p.String(),
	}
	var trail []siteLink
	for at := id; s.from[at] >= 0; at = s.from[at] {
		before, err := b.position(s.from[at])
		if err != nil {
			return err
		}
		trail = append(trail, siteLink{before.MoveString(engine.Move(b.nodes[s.from[at]].classes[s.class[at]].move)), root + s.file(at)})
	}
	slices.Reverse(trail)
	data.Trail = trail
	marks := map[engine.Move]mark{}
	for k, m := range info.Moves {
		row := siteMove{
			Class: k, Shade: s.shade(m.GivesUp), Name: p.MoveString(m.Move), Value: s.value(m.Value), Kind: kind(m.Value),
			GivesUp: s.points(m.GivesUp), Behind: s.behind(m.Value, m.Behind),
		}
		if m.Linked {
			row.Visits = int(b.nodes[m.Child].visits)
			if s.pages[int32(m.Child)] {
				row.Href = root + s.file(int32(m.Child))
			}
		}
		for other, class := range members {
			if class == members[m.Move] {
				marks[other] = mark{class: k, shade: row.Shade, proved: m.Value.Exact(), href: row.Href, title: row.Name + ": " + row.Value}
				row.More++
			}
		}
		row.More--
		data.Moves = append(data.Moves, row)
	}
	if data.Parents, err = s.parents(id, root); err != nil {
		return err
	}
	if data.Board, err = drawBoard(p, marks); err != nil {
		return err
	}
	return s.write(s.file(id), "page.html", data)
}

// points writes what a move gives up.
func (s *site) points(givesUp int) string {
	if s.b.rules.scale > 1 {
		return fmt.Sprintf("%.2f", float64(givesUp)/100)
	}
	return fmt.Sprint(givesUp)
}

// parents are the nodes that lead to a node, one line each.
func (s *site) parents(id int32, root string) ([]siteLink, error) {
	var out []siteLink
	seen := map[int32]bool{}
	for _, from := range s.b.nodes[id].parents {
		if seen[from] || !s.pages[from] {
			continue
		}
		seen[from] = true
		p, err := s.b.position(from)
		if err != nil {
			return nil, err
		}
		for i := range s.b.nodes[from].classes {
			if c := &s.b.nodes[from].classes[i]; c.child == id {
				out = append(out, siteLink{"by " + p.MoveString(engine.Move(c.move)), root + s.file(from)})
				break
			}
		}
	}
	slices.SortFunc(out, func(x, y siteLink) int { return cmp.Or(cmp.Compare(x.Text, y.Text), cmp.Compare(x.Href, y.Href)) })
	return out, nil
}
