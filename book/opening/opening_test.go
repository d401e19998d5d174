package opening

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

// oracle computes the values of positions and moves by plain minimax.
type oracle struct{ plain.Solver }

// newOracle returns an oracle for Circuit Wars. It remembers values, so solving the first
// position of a board solves all others.
func newOracle() oracle { return oracle{&plain.CircuitWars{}} }

func (o oracle) answer(p engine.Position) plain.Answer {
	a, err := o.Solve(p.String())
	if err != nil {
		panic(err)
	}
	return a
}

func (o oracle) value(p engine.Position) int { return o.answer(p).Value }

func (o oracle) move(p engine.Position, m engine.Move) int {
	return o.answer(p).Moves[p.MoveString(m)]
}

// growsTrue grows a book from a root position (nil: the start of a game), in steps, until no
// leaf is open, and returns the root's value. It fails the test if after a step a bound is
// false by minimax, or if the value is not proved at the end.
func growsTrue(t *testing.T, b *Book, o oracle, root engine.Position, eval Evaluator) int {
	t.Helper()
	if root == nil {
		var err error
		root, err = b.Start()
		testenv.OK(t, err)
	}
	var p Progress
	for _, nodes := range []int{6, 40, 90, 0} {
		p = grow(t, b, GrowOptions{Root: root, Evaluators: []Evaluator{eval}, Nodes: nodes})
		holdsTruth(t, b, o)
	}
	want := o.value(root)
	if p.Root != exactly(int16(want*b.game.ProofScale())) {
		t.Errorf("%s: root %v, minimax %d", root, p.Root, want)
	}
	return want
}

// noise returns a number from -n to n that only depends on the texts.
func noise(n int, text ...string) int {
	h := fnv.New64a()
	for _, t := range text {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	return int(h.Sum64()>>20%uint64(2*n+1)) - n
}

// guesser is an evaluator without proofs. The estimate of a move is its captures plus a
// noise that only depends on the position.
func guesser(_ context.Context, pos engine.Position) (engine.Decision, error) {
	p := pos.(circuitwars.Position)
	d := engine.Decision{Proof: engine.Estimate, Depth: 1, Elapsed: 3 * time.Millisecond}
	for _, s := range p.Free().Segments() {
		q, err := p.Occupy(s)
		if err != nil {
			return d, err
		}
		key, _ := q.CanonicalKey(nil)
		d.Moves = append(d.Moves, engine.MoveValue{
			Move: p.MoveString(engine.Move(s)), Score: p.Left() - q.Left() + noise(2, string(key)), Proof: engine.Estimate,
		})
	}
	return d, nil
}

// prover returns an evaluator that proves positions with few free segments exactly, and for
// others some true bounds of moves and of the position.
func (o oracle) prover(horizon int) Evaluator {
	return func(ctx context.Context, pos engine.Position) (engine.Decision, error) {
		p := pos.(circuitwars.Position)
		d, err := guesser(ctx, pos)
		if err != nil {
			return d, err
		}
		key, truth := p.String(), o.answer(p)
		for i := range d.Moves {
			m := &d.Moves[i]
			v := truth.Moves[m.Move]
			switch kind := noise(3, key, m.Move); {
			case p.Free().Len() <= horizon || kind == 3:
				m.Score, m.Proof = v, engine.Exact
			case kind == 2:
				d.Moves = append(d.Moves, engine.MoveValue{Move: m.Move, Score: v - noise(1, key) - 1, Proof: engine.Lower})
			case kind == 1:
				m.Score, m.Proof = v+noise(1, key)+1, engine.Upper
			}
		}
		v := truth.Value
		switch noise(4, key) {
		case 4:
			d.Score, d.Proof = v, engine.Exact
		case 3:
			d.Score, d.Proof = v-1, engine.Lower
		case 2:
			d.Score, d.Proof = v+2, engine.Upper
		}
		return d, nil
	}
}

func emptyBook(t testing.TB, board string) *Book {
	t.Helper()
	b, err := New(circuitwars.Game{}, board)
	testenv.OK(t, err)
	return b
}

func grow(t testing.TB, b *Book, o GrowOptions) Progress {
	t.Helper()
	p, err := b.Grow(context.Background(), o)
	testenv.OK(t, err)
	return p
}

// holdsTruth checks every node and every move against plain minimax: bounds contain the
// true value, and exact values are equal to it. Estimates lie within the bounds and are
// never a proved win or loss.
func holdsTruth(t testing.TB, b *Book, o oracle) (exact int) {
	t.Helper()
	scale := b.game.ProofScale()
	for id := range b.nodes {
		p, err := b.position(int32(id))
		testenv.OK(t, err)
		truth := o.answer(p)
		n := &b.nodes[id]
		if v := int16(truth.Value * scale); v < n.value.Lo || v > n.value.Hi {
			t.Fatalf("%s: the book says %v, minimax %d", p, n.value, v)
		}
		if n.value.Exact() {
			exact++
		} else if scale > 1 && max(int(n.value.Est), -int(n.value.Est)) >= scale {
			t.Fatalf("%s: the estimate %v is a proof's", p, n.value)
		}
		if n.value.Est < n.value.Lo || n.value.Est > n.value.Hi {
			t.Fatalf("%s: estimate outside the bounds: %v", p, n.value)
		}
		for i := range n.Moves {
			c := &n.Moves[i]
			w, ok := b.moveValue(n, i)
			name := p.MoveString(engine.Move(c.Move))
			if v := int16(truth.Moves[name] * scale); !ok || v < w.Lo || v > w.Hi {
				t.Fatalf("%s, move %s: the book says %v (%v), minimax %d", p, name, w, ok, v)
			}
		}
	}
	return exact
}

// A book that is grown until no leaf is open has the root's true value, whatever the
// estimates, and all its proofs are true at every step. With ENDWISE_DEEP the test grows
// larger boards as well.
func TestGrownBooksConvergeToMinimax(t *testing.T) {
	boards := []string{"1x1", "1x2", "2x1", "2x2", "1x4"}
	if os.Getenv("ENDWISE_DEEP") != "" {
		boards = append(boards, "2x3", "3x2", "1x5", "1x6")
	}
	for _, board := range boards {
		o := newOracle()
		start, err := circuitwars.Game{}.Start(board)
		testenv.OK(t, err)
		want := int16(o.value(start))
		for name, eval := range map[string]Evaluator{"guesses": guesser, "proofs": o.prover(6), "deep proofs": o.prover(11)} {
			b := emptyBook(t, board)
			for nodes, last := 1, -1; last != b.Len(); nodes = 5*nodes + 1 {
				last = b.Len()
				grow(t, b, GrowOptions{Evaluators: []Evaluator{eval, eval}, Nodes: nodes})
				holdsTruth(t, b, o)
			}
			p := grow(t, b, GrowOptions{Evaluators: []Evaluator{eval}})
			if p.Root != exactly(want) || p.OpenLoss == p.OpenLoss {
				t.Errorf("%s by %s: %d nodes, root %v with open loss %v, minimax %d", board, name, p.Nodes, p.Root, p.OpenLoss, want)
			}
		}
	}
}

// Growing leaf by leaf gives the same values as computing all nodes from scratch, and the
// links are those between all nodes.
func TestIncrementalEqualsFromScratch(t *testing.T) {
	o := newOracle()
	for seed := range uint64(6) {
		b := emptyBook(t, "2x3")
		rng := rand.New(rand.NewPCG(seed, 3))
		grow(t, b, GrowOptions{Evaluators: []Evaluator{o.prover(int(seed))}, Nodes: 40 + rng.IntN(400)})
		again := emptyBook(t, "2x3")
		for _, id := range rng.Perm(b.Len()) {
			again.insert(b.nodes[id].record)
		}
		again.linkAll(func(p Problem) { t.Error(p) })
		if again.links != b.links {
			t.Errorf("seed %d: %d links grown, %d from scratch", seed, b.links, again.links)
		}
		for id := range b.nodes {
			n := &b.nodes[id]
			k, ok := again.find(n.Key)
			if !ok {
				t.Fatal("a node is lost")
			}
			if m := &again.nodes[k]; m.value != n.value || m.origin != n.origin || m.best != n.best {
				t.Fatalf("seed %d: node %x: %v %v grown, %v %v from scratch", seed, n.Key, n.value, n.origin, m.value, m.origin)
			}
		}
	}
}

// cheapest returns the cost of the cheapest open leaf by following every line.
func cheapest(b *Book, id int32) int32 {
	f, n := b.frontier, &b.nodes[id]
	best := int32(noLeaf)
	if n.value.Exact() || f.depth > 0 && int(n.ply) >= f.depth {
		return best
	}
	for i := range n.Moves {
		loss, ok := f.moveLoss(b, n, i)
		if !ok {
			continue
		}
		cost := moveCost + loss
		if l := n.links[i]; l.child >= 0 {
			below := cheapest(b, l.child)
			if below == noLeaf {
				continue
			}
			cost += below
		}
		best = min(best, cost)
	}
	return best
}

// The next leaf is always the cheapest one, with and without a depth limit.
func TestNextLeafIsCheapest(t *testing.T) {
	for _, depth := range []int{0, 3} {
		b := emptyBook(t, "2x2")
		leaves := 0
		for step := range 60 {
			gp, err := b.Grow(context.Background(), GrowOptions{Depth: depth, Evaluators: []Evaluator{guesser}, Nodes: step + 1})
			testenv.OK(t, err)
			testenv.OK(t, b.setFrontier(nil, depth))
			root := b.frontier.root
			want := cheapest(b, root)
			if got := b.nodes[root].cost; got != want {
				t.Fatalf("depth %d, %d nodes: cost %d, walking all lines gives %d", depth, b.Len(), got, want)
			}
			l, ok := b.cheapestLeaf()
			if ok != (want != noLeaf) {
				t.Fatalf("depth %d: a leaf %v, cost %d", depth, ok, want)
			}
			if !ok {
				break
			}
			leaves++
			if depth > 0 && int(b.nodes[l.node].ply) >= depth {
				t.Fatalf("depth %d: a leaf below ply %d", depth, b.nodes[l.node].ply)
			}
			if gp.OpenLoss != float64(l.loss)/100 {
				t.Fatalf("depth %d: open loss %v, the next leaf's is %d", depth, gp.OpenLoss, l.loss)
			}
			// Starting and releasing a leaf changes nothing.
			b.startLeaf(l)
			if again, ok := b.cheapestLeaf(); ok && again == l {
				t.Fatal("a leaf in flight is handed out again")
			}
			b.releaseLeaf(l)
			if again, ok := b.cheapestLeaf(); !ok || again != l {
				t.Fatal("a leaf given back is not next")
			}
			b.frontier = nil
		}
		if leaves < 20 {
			t.Errorf("depth %d: %d leaves", depth, leaves)
		}
	}
}

func TestGrowStopsWithContextAndResumes(t *testing.T) {
	o := newOracle()
	b := emptyBook(t, "2x2")
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	slow := func(c context.Context, p engine.Position) (engine.Decision, error) {
		if n++; n == 20 {
			cancel()
			<-c.Done()
		}
		return guesser(c, p)
	}
	p, err := b.Grow(ctx, GrowOptions{Evaluators: []Evaluator{slow}})
	if !errors.Is(err, context.Canceled) || p.Nodes != 19 || b.Len() != 19 {
		t.Fatalf("%d nodes, error %v", b.Len(), err)
	}
	holdsTruth(t, b, o)
	if got := grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}}).Root; got != exactly(-2) {
		t.Errorf("root %v after going on", got)
	}
}

// After GrowOptions.Time no evaluation starts; the results of running ones are added.
func TestGrowStopsWithTime(t *testing.T) {
	const limit = 30 * time.Millisecond
	b := emptyBook(t, "2x2")
	began := time.Now()
	asked := 0
	slow := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		if asked++; asked == 2 {
			time.Sleep(limit + 5*time.Millisecond - time.Since(began))
		}
		return guesser(ctx, p)
	}
	p := grow(t, b, GrowOptions{Evaluators: []Evaluator{slow}, Time: limit})
	if b.Len() != asked || p.Evaluated != asked || asked > 2 { // fewer on a very busy machine
		t.Errorf("%d nodes of %d evaluations, %+v", b.Len(), asked, p)
	}
}

// A report on proofs that exclude each other names all of them, also those of the parents.
func TestConflictNamesItsProofs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	testenv.OK(t, err)
	_, err = b.Grow(t.Context(), GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 1})
	testenv.OK(t, err)
	b.nodes[0].fromParents = Value{Lo: 40, Hi: Unbounded}
	b.nodes[0].Own = Value{Lo: -4, Hi: 4}
	var got string
	b.reportConflict(0, func(p Problem) { got = p.What })
	if want := "proofs exclude each other: -4..4 by it, >=40 by its parents"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	testenv.OK(t, b.Close())
}

// A false evaluation that a proof refutes stops growing and is not saved.
func TestContradictionStopsGrowing(t *testing.T) {
	o := newOracle()
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	testenv.OK(t, err)
	liar := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		d, err := guesser(ctx, p)
		v := o.value(p)
		switch p.(circuitwars.Position).Free().Len() {
		case 8:
			d.Score, d.Proof = v, engine.Lower
		case 7:
			d.Score, d.Proof = v+3, engine.Exact
		}
		return d, err
	}
	_, err = b.Grow(context.Background(), GrowOptions{Evaluators: []Evaluator{liar}})
	if !errors.Is(err, ErrContradiction) {
		t.Fatalf("error %v", err)
	}
	if b.conflicts == 0 {
		t.Error("the conflict is not counted")
	}
	nodes := b.Len()
	testenv.OK(t, b.Close())
	if p := problems(t, dir); len(p) > 0 {
		t.Errorf("what was saved contradicts itself: %q", p)
	}
	if saved := read(t, dir); saved.Len() != nodes-1 || nodes < 2 {
		t.Errorf("%d of %d nodes are saved, want all but the last", saved.Len(), nodes)
	}
}

func TestIncompleteEvaluationsAreRefused(t *testing.T) {
	b := emptyBook(t, "2x2")
	eval := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		d, err := guesser(ctx, p)
		d.Moves = d.Moves[:1]
		return d, err
	}
	_, err := b.Grow(context.Background(), GrowOptions{Evaluators: []Evaluator{eval}})
	if err == nil || !strings.Contains(err.Error(), "evaluation omits a move") || b.Len() != 0 {
		t.Fatalf("error %v, %d nodes", err, b.Len())
	}
}

// Positions of games become nodes before other positions, the most frequent first, and with
// the number of games that reached them.
func TestGrowingAlongGames(t *testing.T) {
	var games [][]engine.Position
	for g := range 5 {
		rng := rand.New(rand.NewPCG(uint64(g/2), 1))
		p, err := circuitwars.New(3, 3)
		testenv.OK(t, err)
		game := []engine.Position{p}
		for !p.Over() {
			free := p.Free().Segments()
			p, err = p.Occupy(free[rng.IntN(len(free))])
			testenv.OK(t, err)
			game = append(game, p)
		}
		games = append(games, game)
	}
	b := emptyBook(t, "3x3")
	for range 2 { // in the second run all are in the book
		if _, err := b.Grow(context.Background(), GrowOptions{Depth: 6, Evaluators: []Evaluator{guesser}, Nodes: 9, Games: games}); err != nil {
			t.Fatal(err)
		}
	}
	last := uint32(5)
	for id := range b.nodes {
		if v := b.nodes[id].Visits; v > last || v == 0 {
			t.Errorf("node %d has %d visits after one with %d", id, v, last)
		} else {
			last = v
		}
	}
	if b.nodes[0].Visits != 5 || b.Len() != 9 {
		t.Errorf("%d nodes, the start was reached by %d games", b.Len(), b.nodes[0].Visits)
	}
	if _, err := b.Grow(context.Background(), GrowOptions{Depth: 6, Evaluators: []Evaluator{guesser}, Games: games, Nodes: 25}); err != nil {
		t.Fatal(err)
	}
	for _, game := range games {
		for ply, p := range game[:7] {
			if _, _, ok, err := b.Find(p); !ok || err != nil {
				t.Errorf("ply %d of a game is not in the book (%v)", ply, err)
			}
		}
	}
}
