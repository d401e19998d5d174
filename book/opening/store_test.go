package opening

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// TestMain lets the test binary be the process that a test kills, and checks that no
// goroutine leaks.
func TestMain(m *testing.M) {
	if dir := os.Getenv("OPENING_TEST_GROW"); dir != "" {
		if err := growForTest(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testenv.Main(m)
}

// growForTest grows a book and prints the number of nodes after every leaf.
func growForTest(dir string) error {
	ignoreFileSizeSignal()
	b, err := Open(dir, circuitwars.Game{}, "2x3")
	if err != nil {
		return err
	}
	nodes, _ := strconv.Atoi(os.Getenv("OPENING_TEST_NODES"))
	_, err = b.Grow(context.Background(), GrowOptions{
		Evaluators: []Evaluator{guesser, guesser},
		Nodes:      nodes,
		Report:     func(p Progress) { fmt.Println("nodes", p.Nodes) },
	})
	if cerr := b.Close(); err == nil {
		err = cerr
	}
	return err
}

func growProcess(t *testing.T, dir, prefix string, nodes int) (*exec.Cmd, *bufio.Scanner, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	testenv.OK(t, err)
	c := exec.Command("/bin/sh", "-c", prefix+` exec "$0"`, self)
	c.Env = append(os.Environ(), "OPENING_TEST_GROW="+dir, "OPENING_TEST_NODES="+strconv.Itoa(nodes))
	out, err := c.StdoutPipe()
	testenv.OK(t, err)
	errs := &bytes.Buffer{}
	c.Stderr = errs
	testenv.OK(t, c.Start())
	return c, bufio.NewScanner(out), errs
}

// saved returns the directory of a small grown book.
func saved(t testing.TB, board string, nodes int, eval Evaluator) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, board)
	testenv.OK(t, err)
	grow(t, b, GrowOptions{Evaluators: []Evaluator{eval}, Nodes: nodes})
	testenv.OK(t, b.Close())
	return dir
}

// write writes a book in memory to a directory.
func write(t *testing.T, b *Book, dir string) {
	t.Helper()
	testenv.OK(t, os.MkdirAll(dir, 0o755))
	_, err := b.writeTo(dir)
	testenv.OK(t, err)
}

func read(t testing.TB, dir string) *Book {
	t.Helper()
	b, err := Read(dir, circuitwars.Game{}, "")
	testenv.OK(t, err)
	return b
}

func export(t testing.TB, b *Book) string {
	t.Helper()
	var w bytes.Buffer
	testenv.OK(t, b.Export(context.Background(), &w))
	return w.String()
}

func problems(t testing.TB, dir string) (out []string) {
	t.Helper()
	if _, err := Check(context.Background(), dir, circuitwars.Game{}, func(p Problem) { out = append(out, p.String()) }); err != nil {
		out = append(out, err.Error())
	}
	return out
}

// A growing process is killed several times. The book never loses a node that was reported,
// is never damaged, and has the true value at the end. ENDWISE_DEEP causes more kills.
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
		_ = c.Process.Kill() // it may have ended already
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
			if !strings.Contains(p, "bytes are not a record") {
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
	testenv.OK(t, err)
	defer b.Close()
	o := newOracle()
	if p := grow(t, b, GrowOptions{Evaluators: []Evaluator{o.prover(12)}}); p.Root != exactly(2) {
		t.Errorf("root %v, 2x3 is worth 2", p.Root)
	}
	holdsTruth(t, b, o)
}

// On a full disk growing stops with an error, and everything saved remains.
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
	if err := c.Wait(); err == nil || nodes < 5 || !strings.Contains(last, "saving has stopped; all earlier records are saved") {
		t.Fatalf("%d nodes, last line %q, %v %s", nodes, last, err, errs)
	}
	if p := problems(t, dir); len(p) > 0 {
		t.Errorf("after a full disk: %q", p)
	}
	if b := read(t, dir); b.Len() != nodes {
		t.Errorf("%d nodes were reported, %d are there", nodes, b.Len())
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	dir := saved(t, "2x2", 20, guesser)
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	testenv.OK(t, err)
	_, err = Open(dir, circuitwars.Game{}, "2x2")
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process %d ", os.Getpid())) {
		t.Errorf("a second writer gets %v", err)
	}
	// Readers are not locked out and see what has been written.
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 30})
	if got := read(t, dir); got.Len() != 30 {
		t.Errorf("a reader sees %d of 30 nodes", got.Len())
	}
	testenv.OK(t, b.Close())
	if b, err = Open(dir, circuitwars.Game{}, "2x2"); err != nil {
		t.Fatalf("after the writer closed: %v", err)
	}
	b.Close()
}

type otherRules struct{ engine.Game }

func (otherRules) RulesVersion() int { return 7 }

type otherGame struct{ engine.Game }

func (otherGame) Name() string { return "othergame" }

func TestForeignBooksAreRefused(t *testing.T) {
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
	unreadable := t.TempDir()
	testenv.OK(t, os.Mkdir(filepath.Join(unreadable, journalName), 0o755))
	_, headErr := ReadHeader(unreadable)
	_, readErr := Read(unreadable, game, "")
	_, openErr := Open(unreadable, game, "2x2")
	for _, err := range []error{headErr, readErr, openErr} {
		if err == nil || errors.Is(err, ErrDamaged) {
			t.Errorf("a book that cannot be read: %v", err)
		}
	}
	if _, err := ReadHeader(filepath.Join(dir, "none")); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing book: %v", err)
	}
	if h, err := ReadHeader(dir); err != nil || h != (Header{1, "circuitwars", game.RulesVersion(), "2x2"}) {
		t.Errorf("header %+v, %v", h, err)
	}
	damaged := t.TempDir()
	testenv.OK(t, os.WriteFile(filepath.Join(damaged, headerName), []byte("{}\n"), 0o644))
	if _, err := GameOf(damaged); !errors.Is(err, store.ErrDamaged) || errors.Is(err, ErrMissing) {
		t.Errorf("a damaged header: %v", err)
	}
	if _, err := GameOf(filepath.Join(dir, "none")); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing book: %v", err)
	}
	b := read(t, dir)
	b.header.Format = 9
	other := filepath.Join(t.TempDir(), "other")
	write(t, b, other)
	if _, err := Open(other, game, "2x2"); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "format 9, this program reads format 1") {
		t.Errorf("another format: %v", err)
	}
	three, err := circuitwars.Game{}.Start("3x3")
	testenv.OK(t, err)
	if _, _, _, err := read(t, dir).Find(three); !errors.Is(err, ErrForeign) {
		t.Errorf("a position of another board: %v", err)
	}
}

// A root that is in the book is evaluated again. The new record replaces a wrong proof, also
// on disk, but a record that contradicts other nodes is refused.
func TestGrowEvaluatesItsRootAgain(t *testing.T) {
	o := newOracle()
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	testenv.OK(t, err)
	defer func() { testenv.OK(t, b.Close()) }()
	const nodes, wrong = 40, 7
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: nodes})
	root, err := b.position(wrong)
	testenv.OK(t, err)
	b.nodes[wrong].Own, b.nodes[wrong].Visits = exactly(int16(o.value(root)+2)), 3
	b.push(wrong)
	b.propagate()
	testenv.OK(t, b.save(&b.nodes[wrong].record))
	var asked []string
	prove := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		asked = append(asked, p.String())
		return o.prover(11)(ctx, p)
	}
	grow(t, b, GrowOptions{Evaluators: []Evaluator{prove}, Nodes: nodes})
	if len(asked) > 0 {
		t.Fatalf("%s is evaluated where no root is given", asked)
	}
	p := grow(t, b, GrowOptions{Root: root, Evaluators: []Evaluator{prove}, Nodes: nodes})
	if !slices.Equal(asked, []string{root.String()}) || p.Evaluated != 1 || b.Len() != nodes || b.nodes[wrong].Visits != 3 {
		t.Errorf("%q evaluated, %+v, want only %s", asked, p, root)
	}
	if want := exactly(int16(o.value(root))); p.Root != want {
		t.Errorf("root %v, want %v", p.Root, want)
	}
	holdsTruth(t, b, o)
	parent, err := b.position(b.nodes[wrong].parents[0])
	testenv.OK(t, err)
	grow(t, b, GrowOptions{Root: parent, Evaluators: []Evaluator{prove}, Nodes: nodes})
	want := export(t, b)
	lie := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		d, err := guesser(ctx, p)
		d.Score, d.Proof = o.value(p)+2, engine.Exact
		return d, err
	}
	if _, err := b.Grow(t.Context(), GrowOptions{Root: root, Evaluators: []Evaluator{lie}}); !errors.Is(err, ErrContradiction) {
		t.Errorf("a lie: %v", err)
	}
	if export(t, b) != want || export(t, read(t, dir)) != want {
		t.Error("the book is not what the accepted evaluations make it")
	}
}

// A journal most of whose records are replaced is rewritten.
func TestJournalIsRewritten(t *testing.T) {
	dir := saved(t, "2x2", 50, guesser)
	b, err := Open(dir, circuitwars.Game{}, "")
	testenv.OK(t, err)
	size := b.journal.log.Size()
	for range b.Len() + 1 {
		testenv.OK(t, b.save(&b.nodes[3].record))
	}
	want := export(t, b)
	testenv.OK(t, b.Close())
	b, err = Open(dir, circuitwars.Game{}, "")
	testenv.OK(t, err)
	defer b.Close()
	if b.journal.log.Size() != size || export(t, b) != want {
		t.Errorf("%d bytes after opening again", b.journal.log.Size())
	}
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 55})
	if p := problems(t, dir); len(p) > 0 {
		t.Errorf("after going on: %q", p)
	}
}

func TestCounts(t *testing.T) {
	b := read(t, saved(t, "2x3", 150, newOracle().prover(4)))
	c := b.Counts()
	if exact := holdsTruth(t, b, newOracle()); c.Positions != b.Len() || c.Proved != exact || c.Proved+c.Bounded+c.Estimated != c.Positions || c.Millis == 0 {
		t.Errorf("%+v of %d positions, %d of them exact", c, b.Len(), exact)
	}
}

// Readers ignore a broken frame with a sector of zeros, which a power cut leaves. Other broken
// frames are damage.
func TestHoleInJournal(t *testing.T) {
	game := circuitwars.Game{}
	for _, fill := range []byte{0, 1} {
		dir := t.TempDir()
		b, err := Open(dir, game, "2x3")
		testenv.OK(t, err)
		grown, err := b.Grow(t.Context(), GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 40})
		testenv.OK(t, err)
		testenv.OK(t, b.Close())
		path := filepath.Join(dir, journalName)
		data := testenv.ReadFile(t, path)
		copy(data[1024:], bytes.Repeat([]byte{fill}, 512))
		testenv.OK(t, os.WriteFile(path, data, 0o644))
		problems := 0
		if _, err := Check(t.Context(), dir, game, func(Problem) { problems++ }); err != nil || problems == 0 {
			t.Errorf("bytes %d: %d problems, %v", fill, problems, err)
		}
		if fill != 0 {
			if _, err := Open(dir, game, "2x3"); !errors.Is(err, ErrDamaged) {
				t.Errorf("bytes %d: %v", fill, err)
			}
			continue
		}
		read, err := Read(dir, game, "2x3")
		testenv.OK(t, err)
		b, err = Open(dir, game, "2x3")
		testenv.OK(t, err)
		if n := b.Len(); n < 1 || n >= grown.Nodes || n != read.Len() {
			t.Errorf("%d positions, %d read, %d before", n, read.Len(), grown.Nodes)
		}
		testenv.OK(t, b.Close())
		if _, err := Check(t.Context(), dir, game, func(p Problem) { t.Error(p) }); err != nil {
			t.Error(err)
		}
	}
}
