package opening

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/testenv"
)

// TestMillionNodes measures a book of a million nodes with 48 moves each in a
// game whose rules cost nothing, grown by evaluations that cost nothing: what
// adding a leaf takes, and the published form's size, opening and look-up. It
// runs for some minutes and only with ENDWISE_DEEP set, to a number of nodes or
// to 1 for a million.
func TestMillionNodes(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("ENDWISE_DEEP"))
	if err != nil {
		t.Skip("ENDWISE_DEEP is not set to a number of nodes, or 1")
	}
	if size <= 1 {
		size = 1_000_000
	}
	chance := func(_ context.Context, pos engine.Position) (engine.Decision, error) {
		d := engine.Decision{Depth: 9, Elapsed: 2 * time.Second}
		seed := hash64(pos.String())
		for _, m := range pos.Moves() {
			seed = seed*6364136223846793005 + 1442695040888963407
			d.Moves = append(d.Moves, engine.MoveValue{Move: pos.MoveString(m), Score: int(seed>>40%7) - 3})
		}
		return d, nil
	}
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, marbleGame{}, "")
	testenv.OK(t, err)
	start, last := time.Now(), time.Now()
	if _, err := b.Grow(context.Background(), GrowOptions{
		FrontierOptions: FrontierOptions{DropUs: -1, DropOpponent: -1},
		Evaluators:      []Evaluator{chance, chance},
		Nodes:           size,
		Report: func(p Progress) {
			if time.Since(last) > 20*time.Second {
				last = time.Now()
				t.Logf("%d nodes after %v, %v of it outside of evaluations", p.Nodes, p.Elapsed.Round(time.Second), p.Outside.Round(time.Second))
			}
		},
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("grown in %v: %d nodes, %d links", time.Since(start).Round(time.Second), b.Len(), b.links)

	// Leaves added one by one: choosing, linking, propagating, saving.
	testenv.OK(t, b.setFrontier(FrontierOptions{DropUs: -1, DropOpponent: -1}))
	var took, touched []int
	for range 2000 {
		begin, before := time.Now(), b.touched
		l, ok := b.next()
		if !ok {
			t.Fatal("no leaf is open")
		}
		b.take(l)
		p, err := b.position(l.node)
		testenv.OK(t, err)
		s, err := b.rules.play(p, engine.Move(b.nodes[l.node].classes[l.class].move))
		testenv.OK(t, err)
		choosing := time.Since(begin)
		child, err := b.rules.game.FromKey([]byte(s.key))
		testenv.OK(t, err)
		r, err := b.rules.evaluate(context.Background(), chance, &job{key: s.key, position: child}, Work{})
		testenv.OK(t, err)
		begin = time.Now()
		testenv.OK(t, b.accept(r))
		took = append(took, int((choosing + time.Since(begin)).Microseconds()))
		touched = append(touched, b.touched-before)
	}
	slices.Sort(took)
	slices.Sort(touched)
	t.Logf("a new leaf: median %d µs, 99 %% within %d µs, at most %d µs; nodes worked out again: median %d, at most %d",
		took[1000], took[1980], took[1999], touched[1000], touched[1999])
	b.frontier = nil
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	t.Logf("%d MB of memory while growing", mem.HeapAlloc>>20)
	testenv.OK(t, b.Close())
	b = nil
	runtime.GC()

	start = time.Now()
	b, err = Read(dir, marbleGame{}, "")
	testenv.OK(t, err)
	st, err := os.Stat(filepath.Join(dir, journalName))
	testenv.OK(t, err)
	t.Logf("read from %d MB in %v", st.Size()>>20, time.Since(start).Round(time.Millisecond))
	start = time.Now()
	store := t.TempDir()
	h, err := b.Publish(context.Background(), store)
	testenv.OK(t, err)
	t.Logf("published in %v: %d bytes, %.1f a node", time.Since(start).Round(time.Millisecond), h.Bytes(), float64(h.Bytes())/float64(b.Len()))
	var opened []int
	for range 9 {
		start = time.Now()
		p, err := OpenPublished(filepath.Join(store, h.Name), marbleGame{})
		testenv.OK(t, err)
		opened = append(opened, int(time.Since(start).Microseconds()))
		p.Close()
	}
	slices.Sort(opened)
	t.Logf("opened in %d µs (median of 9), at most %d µs", opened[4], opened[8])
	p, err := OpenPublished(filepath.Join(store, h.Name), marbleGame{})
	testenv.OK(t, err)
	defer p.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	var looked []int
	for range 20000 {
		c, err := b.position(int32(rng.IntN(b.Len())))
		testenv.OK(t, err)
		start = time.Now()
		_, _, ok, err := p.Lookup(c)
		looked = append(looked, int(time.Since(start).Nanoseconds()))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	slices.Sort(looked)
	t.Logf("a look-up: median %d ns, 99 %% within %d ns", looked[10000], looked[19800])
}
