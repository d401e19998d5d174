package opening

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"endwise/engine"
)

// Check reads the working book in dir, calls report for every problem and returns the number of nodes
// with sound records. It finds damaged bytes, records that contradict the rules of the game, cycles,
// and proofs that exclude each other. It does not check whether evaluations are true. Another process
// may be writing to the book. Errors are those of load.
func Check(ctx context.Context, dir string, game engine.Game, report func(Problem)) (nodes int, err error) {
	b, wrong, err := checkRecords(ctx, dir, game, report)
	if err != nil {
		return 0, err
	}
	if len(wrong) > 0 {
		removed := map[int32]bool{}
		for id := range wrong {
			removed[id] = true
		}
		b = b.without(removed)
	}
	b.linkAll(report)
	b.checkGraph(report)
	return b.Len(), nil
}

// checkRecords loads the journal in dir without linking the nodes. wrong maps each node whose record
// contradicts the rules to the result of checkRules.
func checkRecords(
	ctx context.Context, dir string, game engine.Game, report func(Problem),
) (b *Book, wrong map[int32][]storedMove, err error) {
	path := filepath.Join(dir, journalName)
	b, end, err := load(path, game, "", report)
	if err != nil {
		return nil, nil, err
	}
	if b.torn {
		report(Problem{path, "a power cut lost some writes before they reached the disk"})
	}
	if st, err := os.Stat(path); err == nil && st.Size() > end {
		report(Problem{
			fmt.Sprintf("%s at %d", path, end),
			fmt.Sprintf("the last %d bytes are not a record: damage, or a write that was cut off or is in progress", st.Size()-end),
		})
	}
	wrong = map[int32][]storedMove{}
	for id := range b.nodes {
		if id%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		sound := true
		corrected := b.nodes[id].checkRules(b.game, func(where, what string) {
			sound = false
			report(Problem{where, what})
		})
		if !sound {
			wrong[int32(id)] = corrected
		}
	}
	return b, wrong, nil
}

// checkGraph reports cycles and proofs that exclude each other. It returns the nodes with such proofs,
// and the children whose proofs exclude those of their parent's evaluation.
func (b *Book) checkGraph(report func(Problem)) (inConflict map[int32]bool) {
	if n := len(b.childrenFirst()); n < len(b.nodes) {
		report(Problem{b.header.Game, fmt.Sprintf("%d nodes lie on cycles or above them", len(b.nodes)-n)})
	}
	inConflict = map[int32]bool{}
	for id := range b.nodes {
		if b.nodes[id].conflict {
			inConflict[int32(id)] = true
			for _, child := range b.reportConflict(int32(id), report) {
				inConflict[child] = true
			}
		}
	}
	return inConflict
}

// reportConflict reports the proofs at a node that exclude each other. It returns the children whose
// proofs exclude those of the node's evaluation.
func (b *Book) reportConflict(id int32, report func(Problem)) (children []int32) {
	n := &b.nodes[id]
	p, err := b.position(id)
	if err != nil {
		report(Problem{fmt.Sprintf("node %x", n.Key), err.Error()})
		return nil
	}
	where := "node " + p.String()
	for i := range n.Moves {
		c := &n.Moves[i]
		if v, ok := b.moveValue(n, i); !ok {
			children = append(children, n.links[i].child)
			report(Problem{where, fmt.Sprintf("move %s: its evaluation proved %s, the position after it %s",
				p.MoveString(engine.Move(c.Move)), c.Eval.Bounds(), v.Bounds())})
		}
	}
	if len(children) > 0 {
		return children
	}
	moves := Value{Lo: -Unbounded, Hi: -Unbounded}
	for i := range n.Moves {
		v, _ := b.moveValue(n, i)
		moves.Lo, moves.Hi = max(moves.Lo, v.Lo), max(moves.Hi, v.Hi)
	}
	var proofs []string
	for _, proof := range []struct {
		by    string
		value Value
	}{{"it", n.Own}, {"its moves", moves}, {"its parents", n.fromParents}} {
		if text := proof.value.Bounds(); text != "" {
			proofs = append(proofs, text+" by "+proof.by)
		}
	}
	report(Problem{where, "proofs exclude each other: " + strings.Join(proofs, ", ")})
	return nil
}

// without returns a book in memory, without links, with the records of b except those of removed nodes.
func (b *Book) without(removed map[int32]bool) *Book {
	out := &Book{header: b.header, game: b.game, byHash: map[uint32][]int32{}}
	for id := range b.nodes {
		if !removed[int32(id)] {
			out.insert(b.nodes[id].record)
		}
	}
	return out
}

const savedSuffix = ".before-fix"

// Fix repairs the working book in dir. It corrects a wrong record if the rules determine the correct
// contents, and removes it otherwise. It also removes each node whose proofs exclude each other,
// together with the children whose proofs exclude those of the node's evaluation. The original
// journal is kept under a new name in dir. report is called for every problem.
//
// Fix returns the number of nodes kept and removed, and the errors of load, or [ErrLocked] if another
// process is writing to the book.
func Fix(ctx context.Context, dir string, game engine.Game, report func(Problem)) (kept, removed int, err error) {
	if !Exists(dir) {
		return 0, 0, fmt.Errorf("%s: %w", dir, ErrMissing)
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	b, wrong, err := checkRecords(ctx, dir, game, report)
	if err != nil {
		return 0, 0, err
	}
	before := b.Len()
	bad := map[int32]bool{} // nodes to remove
	for id, corrected := range wrong {
		b.nodes[id].Moves = corrected
		bad[id] = corrected == nil
	}
	for {
		b = b.without(bad)
		b.linkAll(report)
		if b.conflicts == 0 {
			break
		}
		bad = b.checkGraph(report)
	}
	if err := saveJournal(dir); err != nil {
		return 0, 0, err
	}
	if _, err := b.writeTo(dir); err != nil {
		return 0, 0, err
	}
	return b.Len(), before - b.Len(), nil
}

// saveJournal creates a hard link to the journal, with savedSuffix and the smallest unused number.
func saveJournal(dir string) error {
	path := filepath.Join(dir, journalName)
	for n := 1; ; n++ {
		err := os.Link(path, fmt.Sprintf("%s%s-%d", path, savedSuffix, n))
		if !os.IsExist(err) {
			return err
		}
	}
}

// checkRules calls report for every difference between a record and the rules. It returns the moves
// with everything corrected that the rules determine, or nil if the key is wrong, or if a move is
// illegal, equivalent to another one of the record, or missing without ending the game.
func (r *record) checkRules(g engine.Game, report func(where, what string)) []storedMove {
	where := fmt.Sprintf("node %x", r.Key)
	p, err := positionOf(g, r.Key)
	if err != nil {
		report(where, err.Error())
		return nil
	}
	where = "node " + p.String()
	steps, indexOf, err := stepsOf(g, p)
	if err != nil {
		report(where, err.Error())
		return nil
	}
	corrected := blank(steps)
	seen := make([]bool, len(steps))
	correctable := true
	for _, c := range r.Moves {
		i, legal := indexOf[engine.Move(c.Move)]
		if !legal {
			report(where, fmt.Sprintf("move %s is not legal there", p.MoveString(engine.Move(c.Move))))
			correctable = false
			continue
		}
		w := &corrected[i]
		correctable = correctable && !seen[i] // of two evaluations of a move, either may be right
		seen[i] = true
		if fault := c.differs(w, p); fault != "" {
			report(where, fmt.Sprintf("move %s: %s", p.MoveString(engine.Move(c.Move)), fault))
		}
		if !w.Ends {
			w.Eval = c.Eval.clamp()
		}
	}
	for i, w := range corrected {
		if !seen[i] {
			report(where, fmt.Sprintf("move %s is missing", p.MoveString(engine.Move(w.Move))))
			correctable = correctable && w.Ends
		}
	}
	if !correctable {
		return nil
	}
	return corrected
}

// differs returns the first difference of c, a move of p, from want, which the rules determine, or "".
func (c storedMove) differs(want *storedMove, p engine.Position) string {
	switch {
	case want.Move != c.Move:
		return "the record must contain the equivalent move " + p.MoveString(engine.Move(want.Move))
	case want.Ends != c.Ends:
		return "wrong about whether the game is over after it"
	case c.Ends && c.Eval != want.Eval:
		return fmt.Sprintf("%s, but it ends the game with %d", c.Eval, want.Eval.Lo)
	case !c.Ends && c.Hash != want.Hash:
		return "the hash of its position is wrong"
	case c.Eval != c.Eval.clamp():
		return fmt.Sprintf("the estimate %s lies outside its bounds", c.Eval)
	}
	return ""
}
