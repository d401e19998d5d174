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

// answerFile is the format of the embedded proof of 3x4. In the solver's keys ([exact.Proved]), Compared
// is the word Hi, and Bucket is Lo.
var answerFile = book.ProofFile{Title: "endwise circuitwars answers 1\n", Bytes: 8}

// provedSegments is the number of segments of 3x4, the board of the embedded proof.
const provedSegments = 31

// WriteAnswers solves the value of an empty board and writes a file in the format of the embedded proof,
// with the bounds of all positions that took at least the given number of nodes. It returns their number
// and the value. With one thread the file is reproducible.
func WriteAnswers(
	ctx context.Context, w io.Writer, b *grid.Board, nodes uint64, o book.ValueOptions,
) (positions int, r solver.Result, err error) {
	var mu sync.Mutex
	proved := map[graph.Key]solver.Bounds{}
	s := exact.New(exact.Options{
		Threads: o.Threads, TableBytes: o.TableBytes, TypeBytes: valueTypeBytes,
		NoProof: true, RecordNodes: nodes,
		Record: func(f exact.Proved) {
			mu.Lock()
			defer mu.Unlock()
			if old, ok := proved[f.Key]; ok { // the bounds of both are proved
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

// embeddedAnswers returns the embedded proof. The node counts of its entries keep the solver's table
// from replacing them.
var embeddedAnswers = sync.OnceValue(func() []exact.Proved {
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
