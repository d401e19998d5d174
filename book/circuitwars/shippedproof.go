package circuitwars

import (
	"context"
	"io"
	"math"
	"sync"

	"endwise/book"
	"endwise/data"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/graph"
)

// answerFile holds what ships of the proof of 3x4, seconds of a whole machine and
// half a minute of a browser. The solver's table compares 64 bits.
var answerFile = book.ProofFile{Title: "endwise circuitwars answers 1\n", Bytes: 8}

// provedSegments is the size of the board that the answers are of, 3x4. On others they
// are of no use, and to learn them takes time, 0.15 s of processor time in a query: a
// large table's memory is found when it is first written to.
const provedSegments = 31

// WriteAnswers works out the value of an empty board and writes the bounds of
// every position on the way that took at least so many nodes, in the form in which
// they ship. On one thread it writes the same bytes each time.
func WriteAnswers(ctx context.Context, w io.Writer, b *grid.Board, nodes uint64, o book.ValueOptions) (positions int, r solver.Result, err error) {
	var mu sync.Mutex
	proved := map[graph.Key]solver.Bounds{}
	s := exact.New(exact.Options{
		Threads: o.Threads, TableBytes: o.TableBytes, TypeBytes: valueTypeBytes, RecordNodes: nodes,
		Record: func(f exact.Proved) {
			mu.Lock()
			defer mu.Unlock()
			if old, ok := proved[f.Key]; ok { // both were proved
				f.Lower, f.Upper = max(f.Lower, old.Lower), min(f.Upper, old.Upper)
			}
			proved[f.Key] = f.Bounds
		},
	})
	if r, err = s.Value(ctx, b, b.All()); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, r, err
	}
	answers := make([]book.ProofEntry, 0, len(proved))
	for k, b := range proved {
		answers = append(answers, book.ProofEntry{Compared: k.Hi, Bucket: k.Lo, Lower: int8(b.Lower), Upper: int8(b.Upper)})
	}
	return len(answers), r, answerFile.Write(w, answers)
}

// shippedAnswers are the answers that ship, as facts that outlive everything
// that a search finds.
var shippedAnswers = sync.OnceValue(func() []exact.Proved {
	var facts []exact.Proved
	err := answerFile.Read(data.Proof(circuitwars.Name, "3x4"), func(a book.ProofEntry) {
		facts = append(facts, exact.Proved{
			Key:    graph.Key{Hi: a.Compared, Lo: a.Bucket},
			Bounds: solver.Bounds{Lower: int(a.Lower), Upper: int(a.Upper)},
			Nodes:  math.MaxUint64,
		})
	})
	if err != nil {
		panic(err) // the file is part of the program
	}
	return facts
})
