package opening

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// The text form of a book is
//
// 	endwise opening book 1
// 	game circuitwars
// 	rules 1
// 	board 7x7
// 	nodes 2
// 	KEY VALUE visits=3 depth=9 ms=2000 [proved=BOUNDS] MOVE=VALUE MOVE=VALUE …
// 	…
// 	sha256 DIGEST
//
// with one line per node, in the order of the keys, which are hexadecimal. Its fields are
//
//   - VALUE: the node's value for the side to move, as written by Value.String.
//   - visits: as in Entry.
//   - depth and ms: the depth in plies and the time in milliseconds of the evaluation.
//   - proved: the bounds that the evaluation proved for the node itself.
//   - MOVE=VALUE: a stored move of the canonical position and its evaluation, in the order of move
//     numbers.
//
// DIGEST is the SHA-256 of all preceding lines.

func (b *Book) nodesByKey() []int32 {
	order := make([]int32, len(b.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(b.nodes[x].Key, b.nodes[y].Key) })
	return order
}

// Export writes the text form of the book to w.
func (b *Book) Export(ctx context.Context, w io.Writer) error {
	digest := sha256.New()
	out := bufio.NewWriterSize(w, 1<<16)
	both := io.MultiWriter(out, digest)
	fmt.Fprintf(both, "endwise opening book %d\ngame %s\nrules %d\nboard %s\nnodes %d\n",
		Format, b.header.Game, b.header.Rules, b.header.Board, len(b.nodes))
	var line []byte
	for i, id := range b.nodesByKey() {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p, err := b.position(id)
		if err != nil {
			return fmt.Errorf("node %x: %w", b.nodes[id].Key, err)
		}
		line = b.nodes[id].appendText(line[:0], p, b.nodes[id].value)
		if _, err := both.Write(line); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "sha256 %x\n", digest.Sum(nil))
	return out.Flush()
}
