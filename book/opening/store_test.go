package opening

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
)

// TestMain lets the test binary be the process that a test kills, and lets no
// goroutine outlive what started it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("OPENING_TEST_GROW"); dir != "" {
		if err := growForTest(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// growForTest grows a book and says after every leaf how many nodes it has.
func growForTest(dir string) error {
	ignoreFileSizeSignal()
	b, err := Open(dir, circuitwars.Game{}, "2x3")
	if err != nil {
		return err
	}
	nodes, _ := strconv.Atoi(os.Getenv("OPENING_TEST_NODES"))
	_, err = b.Grow(context.Background(), GrowOptions{
		FrontierOptions: FrontierOptions{DropUs: -1, DropOpponent: -1},
		Evaluators:      []Evaluator{guesser, guesser},
		Nodes:           nodes,
		Report:          func(p Progress) { fmt.Println("nodes", p.Nodes) },
	})
	if cerr := b.Close(); err == nil {
		err = cerr
	}
	return err
}

func growProcess(t *testing.T, dir, prefix string, nodes int) (*exec.Cmd, *bufio.Scanner, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/bin/sh", "-c", prefix+` exec "$0"`, self)
	c.Env = append(os.Environ(), "OPENING_TEST_GROW="+dir, "OPENING_TEST_NODES="+strconv.Itoa(nodes))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := &bytes.Buffer{}
	c.Stderr = errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewScanner(out), errs
}

// saved is a book on disk, grown a little.
func saved(t testing.TB, board string, nodes int, eval Evaluator) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, board)
	if err != nil {
		t.Fatal(err)
	}
	grow(t, b, GrowOptions{Evaluators: []Evaluator{eval}, Nodes: nodes})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t testing.TB, dir string) *Book {
	t.Helper()
	b, err := Read(dir, circuitwars.Game{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func export(t testing.TB, b *Book) string {
	t.Helper()
	var w bytes.Buffer
	if err := b.Export(context.Background(), &w); err != nil {
		t.Fatal(err)
	}
	return w.String()
}

func problems(t testing.TB, dir string) (out []string) {
	t.Helper()
	if _, err := Check(context.Background(), dir, circuitwars.Game{}, func(p Problem) { out = append(out, p.String()) }); err != nil {
		out = append(out, err.Error())
	}
	return out
}

// Killed again and again, a growing book never loses a node that it reported,
// is never damaged, and ends with the true value. ENDWISE_DEEP sets off more
// kills.
func TestKilledGrowthLosesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "book")
	rng := rand.New(rand.NewPCG(4, 4))
	reported, kills := 0, 0
	step := 600
	if os.Getenv("ENDWISE_DEEP") != "" {
		step = 60
	}
	for target := step; target <= 3000; target += step {
		c, lines, errs := growProcess(t, dir, "", target)
		stopAt := reported + 1 + rng.IntN(step)
		for lines.Scan() {
			n, ok := strings.CutPrefix(lines.Text(), "nodes ")
			if !ok {
				t.Fatalf("the process says %q %s", lines.Text(), errs)
			}
			if reported, _ = strconv.Atoi(n); reported >= stopAt {
				break
			}
		}
		_ = c.Process.Kill() // done already, perhaps
		for lines.Scan() {
			if n, ok := strings.CutPrefix(lines.Text(), "nodes "); ok {
				reported, _ = strconv.Atoi(n)
			}
		}
		if err := c.Wait(); err != nil && c.ProcessState.Exited() {
			t.Fatalf("the process ends with %v: %s", err, errs)
		} else if err != nil {
			kills++
		}
		var real []string
		for _, p := range problems(t, dir) {
			if !strings.Contains(p, "at the end are no record") {
				real = append(real, p)
			}
		}
		if len(real) > 0 {
			t.Fatalf("after a kill: %q", real)
		}
		if b := read(t, dir); b.Len() < reported {
			t.Fatalf("%d nodes were reported, %d are there", reported, b.Len())
		}
	}
	if kills == 0 {
		t.Error("no process was killed")
	}
	b, err := Open(dir, circuitwars.Game{}, "2x3")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	o := newOracle()
	if p := grow(t, b, GrowOptions{Evaluators: []Evaluator{o.prover(12)}}); p.Root != exactly(2) {
		t.Errorf("root %v, 2x3 is worth 2", p.Root)
	}
	holdsTruth(t, b, o)
}

// Where the disk has no more room growing stops and says so, and all that was
// saved is there.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "book")
	c, lines, errs := growProcess(t, dir, "ulimit -f 24;", 3000) // blocks of 512 bytes
	nodes, last := 0, ""
	for lines.Scan() {
		last = lines.Text()
		if n, ok := strings.CutPrefix(last, "nodes "); ok {
			nodes, _ = strconv.Atoi(n)
		}
	}
	if err := c.Wait(); err == nil || nodes < 5 || !strings.Contains(last, "nothing is saved from here on, all before is") {
		t.Fatalf("%d nodes, last line %q, %v %s", nodes, last, err, errs)
	}
	if p := problems(t, dir); len(p) > 0 {
		t.Errorf("after a full disk: %q", p)
	}
	if b := read(t, dir); b.Len() != nodes {
		t.Errorf("%d nodes were reported, %d are there", nodes, b.Len())
	}
}

func TestSecondWriterIsTold(t *testing.T) {
	dir := saved(t, "2x2", 20, guesser)
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(dir, circuitwars.Game{}, "2x2")
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process %d ", os.Getpid())) {
		t.Errorf("a second writer gets %v", err)
	}
	// Readers are not kept out, and see what was written so far.
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 30})
	if got := read(t, dir); got.Len() != 30 {
		t.Errorf("a reader sees %d of 30 nodes", got.Len())
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(dir, circuitwars.Game{}, "2x2"); err != nil {
		t.Fatalf("after the writer closed: %v", err)
	}
	b.Close()
}

type otherRules struct{ engine.CanonicalGame }

func (otherRules) RulesVersion() int { return 7 }

type otherGame struct{ engine.CanonicalGame }

func (otherGame) Name() string { return "othergame" }

func TestForeignBooksAreNamed(t *testing.T) {
	dir := saved(t, "2x2", 20, guesser)
	game := circuitwars.Game{}
	for _, c := range []struct {
		game  engine.Game
		board string
		says  string
	}{
		{otherRules{game}, "2x2", "version 1 of the rules of circuitwars, this program plays version 7"},
		{otherGame{game}, "2x2", "it is for circuitwars, not othergame"},
		{game, "3x3", "it is for a 2x2 board, not 3x3"},
	} {
		if _, err := Open(dir, c.game, c.board); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	if _, err := Read(filepath.Join(dir, "none"), game, ""); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing book: %v", err)
	}
	if _, err := ReadHeader(filepath.Join(dir, "none")); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing book: %v", err)
	}
	if h, err := ReadHeader(dir); err != nil || h != (Header{Format, "circuitwars", game.RulesVersion(), "2x2"}) {
		t.Errorf("header %+v, %v", h, err)
	}
	b := read(t, dir)
	b.header.Format = 9
	other := filepath.Join(t.TempDir(), "other")
	if err := b.Import(other); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other, game, "2x2"); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "format 9, this program reads format 1") {
		t.Errorf("another format: %v", err)
	}
	three, err := circuitwars.Game{}.Start("3x3")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := read(t, dir).Find(three); !errors.Is(err, ErrForeign) {
		t.Errorf("a position of another board: %v", err)
	}
}

// Every single byte of a journal counts: whichever is changed, check finds it,
// and after fix the book is sound and holds nothing but what it held.
func TestCheckFindsEveryChangedByte(t *testing.T) {
	o := newOracle()
	dir := saved(t, "1x2", 12, o.prover(2))
	path := filepath.Join(dir, journalName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if p := problems(t, dir); len(p) > 0 {
		t.Fatalf("the book as it was: %q", p)
	}
	lines := map[string]bool{}
	for _, l := range nodeLines(export(t, read(t, dir))) {
		lines[l] = true
	}
	head, last := frameAt(whole), 0
	for at := 0; at < len(whole); at += frameAt(whole[at:]) {
		last = at
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if len(problems(t, dir)) == 0 {
			t.Fatalf("a changed byte at %d is not found", i)
		}
		// Readers refuse the book, but pass over a last record that is broken.
		if b, err := Read(dir, circuitwars.Game{}, ""); (err == nil) != (i >= last) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of %d changed: %v", i, len(whole), err)
		} else if err == nil && b.Len() != len(lines)-1 {
			t.Fatalf("byte %d changed: %d nodes of %d are read", i, b.Len(), len(lines))
		}
		if h, err := ReadHeader(dir); (err == nil) != (i >= head) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d changed: header %+v, %v", i, h, err)
		}
		if i < head || i%7 != 0 {
			continue // without a header nothing can be repaired
		}
		if _, _, err := Fix(context.Background(), dir, circuitwars.Game{}, func(Problem) {}); err != nil {
			t.Fatal(err)
		}
		if p := problems(t, dir); len(p) > 0 {
			t.Fatalf("byte %d changed, after fix: %q", i, p)
		}
		n := 0
		for _, l := range nodeLines(export(t, read(t, dir))) {
			if n++; !lines[l] {
				t.Fatalf("byte %d changed, after fix the book says %s", i, l)
			}
		}
		if n < len(lines)-2 {
			t.Fatalf("byte %d changed: %d of %d nodes are left", i, n, len(lines))
		}
	}
	kept, _ := filepath.Glob(path + savedSuffix + "*")
	if len(kept) == 0 {
		t.Error("fix does not keep the journal as it was")
	}
}

// nodeLines are the facts of an exported book: the value, which follows from
// other lines, is left out.
func nodeLines(text string) (out []string) {
	for _, l := range strings.Split(text, "\n")[5:] {
		if f := strings.SplitN(l, " ", 3); len(f) == 3 {
			out = append(out, f[0]+" "+f[2])
		}
	}
	return out
}

// Whatever is wrong inside a record whose checksum is right, check names it
// and fix mends it.
func TestCheckFindsEveryInjectedFault(t *testing.T) {
	o := newOracle()
	inner := func(b *Book) *node { // a node with a linked and an open move
		for id := range b.nodes {
			linked, open := 0, 0
			for _, c := range b.nodes[id].classes {
				if c.child >= 0 {
					linked++
				} else if c.child == unlinked {
					open++
				}
			}
			if linked > 0 && open > 0 && len(b.nodes[id].parents) > 0 {
				return &b.nodes[id]
			}
		}
		panic("no such node")
	}
	linked := func(n *node) *class {
		for i := range n.classes {
			if n.classes[i].child >= 0 {
				return &n.classes[i]
			}
		}
		panic("no linked class")
	}
	faults := map[string]struct {
		inject func(b *Book)
		says   string
	}{
		"turned key": {func(b *Book) {
			p, _ := b.position(int32(5))
			cw := p.(circuitwars.Position)
			for _, y := range cw.Board().Symmetries() {
				if k := string(cw.Board().Key(nil, y.Apply(cw.Free()))); k != b.nodes[5].key {
					b.nodes[5].key = k
					return
				}
			}
		}, "not canonical"},
		"key of nothing":    {func(b *Book) { b.nodes[5].key = "zz" }, "key"},
		"game over":         {func(b *Book) { b.nodes[5].key = b.nodes[5].key[:2] + "\x00\x00" }, "the game is over there"},
		"illegal move":      {func(b *Book) { c := inner(b).classes; c[len(c)-1].move = 300 }, "not legal"},
		"move left out":     {func(b *Book) { n := inner(b); n.classes = n.classes[1:] }, "left out"},
		"wrong hash":        {func(b *Book) { linked(inner(b)).hash++ }, "hash of its position is wrong"},
		"not over":          {func(b *Book) { n := inner(b); n.classes[0].child = final; n.classes[0].leaf = exactly(1) }, "wrong about whether the game is over"},
		"estimate beyond":   {func(b *Book) { inner(b).classes[0].leaf = Value{1, 4, 9} }, "outside its bounds"},
		"wrong proof":       {func(b *Book) { linked(inner(b)).leaf = exactly(40) }, "proved 40"},
		"wrong own proof":   {func(b *Book) { inner(b).own = exactly(-40) }, "proved"},
		"false child proof": {func(b *Book) { b.nodes[linked(inner(b)).child].own = exactly(-50) }, "proved"},
	}
	for name, f := range faults {
		b := emptyBook(t, "2x2")
		grow(t, b, GrowOptions{Evaluators: []Evaluator{o.prover(3)}, Nodes: 40})
		if b.Len() < 20 { // proofs may close the book early
			b = emptyBook(t, "2x2")
			grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 60})
			// Proofs that the faults can contradict.
			for id := range b.nodes {
				p, _ := b.position(int32(id))
				v := int16(o.value(p.(circuitwars.Position)))
				b.nodes[id].own = Value{v - 1, v + 1, 0}
			}
		}
		f.inject(b)
		dir := filepath.Join(t.TempDir(), "book")
		if err := b.saveTo(dir); err != nil {
			t.Fatal(err)
		}
		found := problems(t, dir)
		if !strings.Contains(strings.Join(found, "\n"), f.says) {
			t.Errorf("%s: %q, want %q", name, found, f.says)
		}
		if _, _, err := Fix(context.Background(), dir, circuitwars.Game{}, func(Problem) {}); err != nil {
			t.Fatal(err)
		}
		if left := problems(t, dir); len(left) > 0 {
			t.Errorf("%s: after fix %q", name, left)
		}
		if got := read(t, dir); got.Len() < b.Len()/2 {
			t.Errorf("%s: fix leaves %d of %d nodes", name, got.Len(), b.Len())
		}
	}
}

// Two halves of a book, with nodes in common, merge to the whole, whichever
// comes first.
func TestMergedHalvesAreTheWhole(t *testing.T) {
	o := newOracle()
	for _, eval := range []Evaluator{guesser, o.prover(5)} {
		b := emptyBook(t, "2x3")
		grow(t, b, GrowOptions{Evaluators: []Evaluator{eval}, Nodes: 500})
		want := export(t, b)
		rng := rand.New(rand.NewPCG(1, 9))
		var gone [2]map[int32]bool
		gone[0], gone[1] = map[int32]bool{}, map[int32]bool{}
		for id := range b.nodes {
			if k := rng.IntN(3); k < 2 {
				gone[k][int32(id)] = true
			}
		}
		for first := range 2 {
			half, other := b.without(gone[first]), b.without(gone[1-first])
			for _, h := range []*Book{half, other} {
				h.finish(func(p Problem) { t.Error(p) })
			}
			dir := filepath.Join(t.TempDir(), "half")
			if err := half.Import(dir); err != nil {
				t.Fatal(err)
			}
			m, err := Open(dir, circuitwars.Game{}, "2x3")
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Merge(context.Background(), other)
			if err != nil {
				t.Fatal(err)
			}
			if got.Added != len(gone[first]) || got.Improved != 0 {
				t.Errorf("merged: %+v, %d nodes were missing", got, len(gone[first]))
			}
			if export(t, m) != want {
				t.Error("the merged halves are not the whole")
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if export(t, read(t, dir)) != want {
				t.Error("the merged halves are not the whole on disk")
			}
		}
	}
}

// Books that say different things about the same nodes merge to the same book
// in either order, with all proofs of both; contradictions are refused.
func TestMergeKeepsProofsOfBoth(t *testing.T) {
	o := newOracle()
	later := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		d, err := o.prover(9)(ctx, p)
		d.Elapsed = time.Second
		return d, err
	}
	var books [2]*Book
	for i, eval := range []Evaluator{guesser, later} {
		books[i] = emptyBook(t, "2x2")
		grow(t, books[i], GrowOptions{Evaluators: []Evaluator{eval}, Nodes: 30})
	}
	var got [2]string
	for i := range got {
		b := books[i].without(nil)
		b.finish(func(p Problem) { t.Error(p) })
		if _, err := b.Merge(context.Background(), books[1-i]); err != nil {
			t.Fatal(err)
		}
		holdsTruth(t, b, o)
		got[i] = export(t, b)
		if m, err := b.Merge(context.Background(), books[1-i]); err != nil || m != (Merged{}) {
			t.Errorf("merging once more changes %+v (%v)", m, err)
		}
	}
	if got[0] != got[1] {
		t.Error("the order of a merge matters")
	}
	lie := books[0].without(nil)
	lie.nodes[0].own = exactly(33)
	if _, err := books[1].Merge(context.Background(), lie); !errors.Is(err, ErrContradiction) {
		t.Errorf("a lie is merged: %v", err)
	}
	if _, err := books[1].Merge(context.Background(), emptyBook(t, "3x3")); !errors.Is(err, ErrForeign) {
		t.Errorf("another board is merged: %v", err)
	}
}

func onlyCircuitWars(name string) (engine.Game, error) {
	if name != circuitwars.Name {
		return nil, fmt.Errorf("no %s here", name)
	}
	return circuitwars.Game{}, nil
}

func TestTextRoundTrip(t *testing.T) {
	o := newOracle()
	dir := saved(t, "2x3", 200, o.prover(7))
	text := export(t, read(t, dir))
	b, err := ReadText(context.Background(), strings.NewReader(text), "book.txt", onlyCircuitWars)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := b.Import(again); err != nil {
		t.Fatal(err)
	}
	if export(t, read(t, again)) != text {
		t.Error("import and export change the text")
	}
	if err := b.Import(again); err == nil {
		t.Error("a book is imported over another one")
	}
	// Text that was changed, with its digest made right again.
	lines := strings.Split(text, "\n")
	swap := func(line int, old, new string) func([]string) {
		return func(l []string) {
			if !strings.Contains(l[line], old) {
				t.Fatalf("line %d has no %q: %s", line, old, l[line])
			}
			l[line] = strings.Replace(l[line], old, new, 1)
		}
	}
	value := strings.Fields(lines[9])[1]
	for says, change := range map[string]func([]string){
		"want a line \"game\"":             swap(1, "game", "gem"),
		"no chess here":                    swap(1, "circuitwars", "chess"),
		"format 2, this program":           swap(0, "book 1", "book 2"),
		"this program plays version 1":     swap(2, "1", "3"),
		"line 10: the value 29? does not":  swap(9, " "+value+" ", " 29? "),
		"line 10: key":                     swap(9, lines[9][:4], "0203zz"),
		"line 10: \"depth=x\"":             swap(9, "depth=1", "depth=x"),
		"moves: the position has":          func(l []string) { l[9] = l[9][:strings.LastIndexByte(l[9], ' ')] },
		"the keys do not ascend":           func(l []string) { l[8], l[9] = l[9], l[8] },
		"2 fields: want KEY":               func(l []string) { l[4] = "nodes 201" },
		"the text goes on after its diges": func(l []string) { l[len(l)-1] = "more" },
	} {
		l := append([]string(nil), lines...)
		change(l)
		body := strings.Join(l[:len(l)-2], "\n") + "\n"
		bad := body + fmt.Sprintf("sha256 %x\n", sha256.Sum256([]byte(body))) + l[len(l)-1]
		if _, err := ReadText(context.Background(), strings.NewReader(bad), "book.txt", onlyCircuitWars); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if _, err := ReadText(context.Background(), strings.NewReader(text[:len(text)/2]), "book.txt", onlyCircuitWars); err == nil || !strings.Contains(err.Error(), "the text stops here") {
		t.Errorf("half a text: %v", err)
	}
	for i := 0; i < len(text); i += 101 {
		bad := []byte(text)
		bad[i] ^= 2
		if _, err := ReadText(context.Background(), bytes.NewReader(bad), "book.txt", onlyCircuitWars); err == nil {
			t.Fatalf("a changed byte at %d is not noticed", i)
		}
	}
}

func TestPublishedBook(t *testing.T) {
	o := newOracle()
	b := read(t, saved(t, "2x3", 400, o.prover(5)))
	if b.Len() < 30 {
		b = read(t, saved(t, "2x3", 400, guesser))
	}
	dir := t.TempDir()
	open := func() *Published {
		p, err := OpenPublished(filepath.Join(dir, TableName("circuitwars", "2x3")), circuitwars.Game{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if _, err := b.Publish(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	p := open()
	defer p.Close()
	for id := range b.nodes {
		pos, err := b.position(int32(id))
		if err != nil {
			t.Fatal(err)
		}
		e, _, ok, err := p.Lookup(pos)
		if err != nil || !ok || e != b.entry(int32(id)) {
			t.Fatalf("%s: %+v %v %v", pos, e, ok, err)
		}
		cw := pos.(circuitwars.Position)
		if e.HasSafe {
			if v := int16(o.move(cw, int(e.Safe))); v < e.Value.Lo {
				t.Fatalf("%s: the safe move is worth %d, the book proves %v", pos, v, e.Value)
			}
		}
		if v := int16(o.move(cw, int(e.Best))); e.Value.Exact() && v != e.Value.Lo && e.HasSafe {
			t.Fatalf("%s: the best move is worth %d, the book proves %v", pos, v, e.Value)
		}
	}
	missing := 0
	for id := range b.nodes {
		pos, _ := b.position(int32(id))
		for _, m := range pos.Moves() {
			q, err := pos.Play(m)
			if err != nil {
				t.Fatal(err)
			}
			if c := q.(engine.Canonical); !c.Over() {
				_, _, want, _ := b.Find(c)
				if _, _, ok, err := p.Lookup(c); ok != want || err != nil {
					t.Fatalf("%s: published %v, in the book %v (%v)", c, ok, want, err)
				} else if !ok {
					missing++
				}
			}
		}
	}
	if missing == 0 {
		t.Error("no position outside the book was asked for")
	}
	each := 0
	stop := errors.New("enough")
	err := p.Each(t.Context(), func(pos engine.Canonical, e Entry) error {
		id, _, ok, err := b.Find(pos)
		if err != nil || !ok || e != b.entry(int32(id)) {
			t.Fatalf("each: %s: %+v %v %v", pos, e, ok, err)
		}
		if each++; each == b.Len() {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("%d of %d nodes, %v", each, b.Len(), err)
	}
	three, err := circuitwars.New(3, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := p.Lookup(three); ok || err != nil {
		t.Errorf("a position of another board: %v %v", ok, err)
	}
	// Publishing again while the old one is open.
	h, err := b.Publish(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if h.SHA256 != p.Header().SHA256 {
		t.Error("the same book is published with another digest")
	}
	start, _ := b.Start()
	if _, _, ok, err := p.Lookup(start); !ok || err != nil {
		t.Errorf("the book that was open is gone: %v %v", ok, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("publishing leaves %v", left)
	}
	if _, err := OpenPublished(p.table.Path(), otherRules{circuitwars.Game{}}); !errors.Is(err, store.ErrForeign) {
		t.Errorf("other rules: %v", err)
	}
}

// Publishing goes on where a process was killed: before the book was ready, and
// while the old one had stepped aside and the new one was not in its place yet.
func TestPublishAfterAKill(t *testing.T) {
	b := emptyBook(t, "2x2")
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 20})
	dir, name := t.TempDir(), TableName("circuitwars", "2x2")
	work := filepath.Join(dir, name+".publishing")
	want, err := b.Publish(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"old", name} {
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(work, where)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(work, name+store.BuildingSuffix), 0o755); err != nil {
			t.Fatal(err)
		}
		if h, err := b.Publish(t.Context(), dir); err != nil || h.SHA256 != want.SHA256 {
			t.Fatalf("%+v, %v", h, err)
		}
		if p := publishedProblems(t, dir); len(p) > 0 {
			t.Errorf("%q", p)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("publishing leaves %v", left)
		}
	}
	if _, err := emptyBook(t, "2x2").Publish(t.Context(), dir); err == nil {
		t.Error("an empty book is published")
	}
}

// Whatever an entry says, it is read back as it was written.
func TestEntryCoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.Int16Range(-maxScore, maxScore)
		value := func(name string) Value {
			a, b := score.Draw(t, name), score.Draw(t, name)
			v := Value{min(a, b), max(a, b), 0}
			switch rapid.IntRange(0, 4).Draw(t, name+" kind") {
			case 0:
				v.Hi = v.Lo
			case 1:
				v.Lo = -Unbounded
			case 2:
				v.Hi = Unbounded
			case 3:
				v.Lo, v.Hi = -Unbounded, Unbounded
			}
			v.Est = score.Draw(t, name+" estimate")
			return v.clamp()
		}
		move := rapid.Map(rapid.Uint16Max(1<<16-1), func(m uint16) engine.Move { return engine.Move(m) })
		want := Entry{
			Value: value("value"), Visits: int(rapid.Uint32().Draw(t, "visits")),
			Behind: Behind{rapid.Uint16().Draw(t, "depth"), rapid.Uint32().Draw(t, "millis"), rapid.Uint16().Draw(t, "plies")},
			Best:   move.Draw(t, "best"), BestLinked: rapid.Bool().Draw(t, "linked"),
		}
		switch rapid.IntRange(0, 2).Draw(t, "safe kind") {
		case 0:
			want.Safe, want.HasSafe = want.Best, true
		case 1:
			want.Safe, want.HasSafe = move.Draw(t, "safe"), true
		}
		if rapid.Bool().Draw(t, "rest") {
			want.Rest, want.RestValue, want.HasRest = move.Draw(t, "rest move"), value("rest value"), true
		}
		code := want.append(nil)
		r := byteReader{b: code}
		if got := r.entry(); got != want || r.bad || len(r.b) != 0 {
			t.Fatalf("%+v is read back as %+v (malformed %v, %d bytes left)", want, got, r.bad, len(r.b))
		}
		short := byteReader{b: code[:rapid.IntRange(0, len(code)-1).Draw(t, "cut")]}
		if short.entry(); !short.bad {
			t.Fatalf("%+v: %d of %d bytes are taken for an entry", want, len(code)-len(short.b), len(code))
		}
	})
}

func publishedProblems(t *testing.T, dir string) (out []string) {
	t.Helper()
	path := filepath.Join(dir, TableName("circuitwars", "2x2"))
	if _, err := CheckPublished(context.Background(), path, circuitwars.Game{}, func(p Problem) { out = append(out, p.String()) }, nil); err != nil {
		out = append(out, err.Error())
	}
	return out
}

// Check of a published book recomputes every value from the children.
func TestCheckPublishedFindsWrongValues(t *testing.T) {
	o := newOracle()
	b := emptyBook(t, "2x2")
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 80})
	for id := range b.nodes { // some bounds
		if id%5 == 0 {
			p, _ := b.position(int32(id))
			b.nodes[id].own.Lo = int16(o.value(p.(circuitwars.Position))) - 1
		}
	}
	b.propagateAll()
	b.propagateAll()
	dir := t.TempDir()
	publish := func() []string {
		if _, err := b.Publish(context.Background(), dir); err != nil {
			t.Fatal(err)
		}
		return publishedProblems(t, dir)
	}
	if p := publish(); len(p) > 0 {
		t.Fatalf("the book as it is: %q", p)
	}
	changed := 0
	for id := range b.nodes {
		n := &b.nodes[id]
		if id%9 != 0 || n.value.Exact() {
			continue
		}
		changed++
		was := n.value
		if n.value.Est++; n.value.Est > n.value.Hi {
			n.value.Est -= 2
		}
		if p := publish(); len(p) == 0 {
			t.Errorf("node %d: the estimate %v instead of %v is not found", id, n.value, was)
		}
		n.value = was
	}
	path := filepath.Join(dir, TableName("circuitwars", "2x2"))
	files, err := filepath.Glob(filepath.Join(path, "*.sst"))
	if err != nil || len(files) == 0 || changed == 0 {
		t.Fatalf("%d values were changed; files %v, %v", changed, files, err)
	}
	for _, name := range files {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(whole); i += 97 {
			bad := bytes.Clone(whole)
			bad[i] ^= 4
			if err := os.WriteFile(name, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if len(publishedProblems(t, dir)) == 0 {
				t.Fatalf("%s: a changed byte at %d is not found", name, i)
			}
		}
	}
}

// A line that rests on a wrong proof is set right by Deepen.
func TestDeepenCorrectsALine(t *testing.T) {
	o := newOracle()
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	if err != nil {
		t.Fatal(err)
	}
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 40})
	start, _ := b.Start()
	b.nodes[0].own = exactly(4) // somebody lied
	b.push(0)
	b.propagate()
	n := 0
	if err := b.Deepen(context.Background(), start, o.prover(11), func(d Deepened) { n++ }); err != nil {
		t.Fatal(err)
	}
	if n < 2 {
		t.Errorf("%d nodes were evaluated", n)
	}
	holdsTruth(t, b, o)
	want := export(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if export(t, read(t, dir)) != want {
		t.Error("what was deepened is not saved")
	}
	// Along a line until it leaves the book.
	outside := start
	for {
		if outside.Over() {
			t.Fatal("the whole line is in the book")
		}
		if _, _, ok, err := b.Find(outside); err != nil {
			t.Fatal(err)
		} else if !ok {
			break
		}
		next, err := outside.Play(outside.Moves()[0])
		if err != nil {
			t.Fatal(err)
		}
		outside = next.(engine.Canonical)
	}
	if err := b.Deepen(context.Background(), outside, guesser, nil); !errors.Is(err, ErrNotInBook) {
		t.Errorf("a position outside the book: %v", err)
	}
}

// Records that were replaced many times don't fill the journal for ever.
func TestJournalIsRewritten(t *testing.T) {
	dir := saved(t, "2x2", 50, guesser)
	b, err := Open(dir, circuitwars.Game{}, "")
	if err != nil {
		t.Fatal(err)
	}
	for b.journal.size < 1<<20+1<<18 {
		if err := b.save(&b.nodes[3].record); err != nil {
			t.Fatal(err)
		}
	}
	want := export(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(dir, circuitwars.Game{}, ""); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.journal.size > 1<<16 || export(t, b) != want {
		t.Errorf("%d bytes after opening again", b.journal.size)
	}
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 55})
	if p := problems(t, dir); len(p) > 0 {
		t.Errorf("after going on: %q", p)
	}
}

func TestStatsCountEveryNode(t *testing.T) {
	o := newOracle()
	b := read(t, saved(t, "2x3", 150, o.prover(4)))
	s, err := b.Stats()
	if err != nil {
		t.Fatal(err)
	}
	sum, exact := 0, holdsTruth(t, b, o)
	for i, p := range s.ByPly {
		sum += p.Nodes
		if p.Ply != i || p.Nodes != p.Exact+p.Bounded+p.Estimated {
			t.Errorf("%+v", p)
		}
	}
	if sum != b.Len() || s.Total.Exact != exact || s.Total.Nodes != b.Len() || !s.HasRoot {
		t.Errorf("%+v", s)
	}
}
