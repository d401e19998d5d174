package tables

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/solver/circuitwars/graph"
	"endwise/solver/farm"
)

// Endings computes the values of all positions with few free segments on boards up to Side x Side,
// in layers by the number of free segments. A position is a multiset of component types. Its key is
// the sum of the types' keys; only the first bits are used.
//
// The values are computed by retrograde analysis,
//
//	V(p) = maximum over all options of all components of gain - V(rest),
//
// and 0 without free segments. Options remove segments, so a layer depends only on earlier ones.
type Endings struct {
	mask   uint64       // of the used bits of a key
	types  []endingType // ordered by number of segments and key
	layers []uint64     // number of positions

	mu     sync.RWMutex // protects values
	values valueMap     // by the used bits of the key
}

type endingType struct {
	key     uint64 // Hi of the type's key
	edges   int
	options []endingOption
}

type endingOption struct {
	gain  int8   // squares captured
	delta uint64 // change of the position's key
}

// Entry is a position: the used bits of its key, and its value for the side to move.
type Entry struct {
	Key   uint64
	Value int
}

// NewEndings lists the component types with at most edges free segments (1 to [MaxEndingEdges]) and
// their options. No position is solved except the one without free segments. keyBits is the number
// of key bits used, 1 to 64. threads is at least one; p may be nil. NewEndings returns an error if
// edges is out of range, ctx ends, or the list lacks a component left by a move.
func NewEndings(ctx context.Context, edges, keyBits, threads int, p *farm.Progress) (*Endings, error) {
	var total uint64
	if edges-1 > beginning {
		total = beginnings
	}
	p.Begin(fmt.Sprintf("list components of %d segments", edges), "beginnings", 0, total)
	types, err := componentTypes(ctx, edges, anyBoard, func() { p.Add(1) })
	if err != nil {
		return nil, err
	}
	e := &Endings{mask: ^uint64(0) << (64 - keyBits), layers: make([]uint64, edges+1)}
	p.Begin(fmt.Sprintf("moves of components of %d segments", edges), "components", 0, uint64(len(types)))
	if e.types, err = endingTypes(ctx, types, max(threads, 1), p); err != nil {
		return nil, fmt.Errorf("endings of %d free segments: %w", edges, err)
	}
	// Number of multisets by number of segments.
	e.layers[0] = 1
	for _, t := range e.types {
		for n := t.edges; n <= edges; n++ {
			e.layers[n] += e.layers[n-t.edges]
		}
	}
	e.values = newValueMap(e.Positions() + 1)
	return e, e.values.put(0, 0)
}

// endingTypes returns the types with their options. It returns an error if ctx ends or the list of
// types lacks a component left by a move.
func endingTypes(
	ctx context.Context, types []componentType, threads int, p *farm.Progress,
) ([]endingType, error) {
	listed := make(map[graph.Key]bool, len(types))
	for _, t := range types {
		listed[t.key] = true
	}
	out := make([]endingType, len(types))
	var wg sync.WaitGroup
	var lacking atomic.Uint64 // components left by moves and not in the list
	for w := range threads {
		wg.Go(func() {
			var cutter graph.Cutter
			var labeler graph.Labeler
			for i := w; i < len(types) && ctx.Err() == nil; i += threads {
				t := types[i]
				out[i] = endingType{key: t.key.Hi, edges: t.edges}
				for _, cut := range cutter.Cuts(t.code) {
					delta := -t.key.Hi
					gain := labeler.Kids(t.code, cut.A, cut.B, func(kid graph.Code) {
						key := graph.KeyOf(kid)
						if !listed[key] {
							lacking.Add(1)
						}
						delta += key.Hi
					})
					o := endingOption{int8(gain), delta}
					if !slices.Contains(out[i].options, o) {
						out[i].options = append(out[i].options, o)
					}
				}
				p.Add(1)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := lacking.Load(); n > 0 {
		return nil, fmt.Errorf("%d successors are not in the list of %d component types", n, len(types))
	}
	return out, nil
}

func (e *Endings) Types() int { return len(e.types) }

// Positions returns the number of positions with free segments.
func (e *Endings) Positions() uint64 {
	var sum uint64
	for _, n := range e.layers[1:] {
		sum += n
	}
	return sum
}

// Solve solves the positions with n free segments whose largest type index, modulo parts, is part,
// and returns them in ascending order of keys. It does not add them. All earlier layers must have
// been restored, otherwise it returns an error. Solve is safe for concurrent use.
func (e *Endings) Solve(ctx context.Context, n, part, parts int) ([]Entry, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	w := endingWalk{Endings: e, ctx: ctx}
	for i, t := range e.types {
		if t.edges > n {
			break
		}
		if i%parts != part {
			continue
		}
		w.chosen = append(w.chosen[:0], i)
		if err := w.fill(i, n-t.edges, t.key); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.out, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return w.out, nil
}

type endingWalk struct {
	*Endings
	ctx    context.Context
	chosen []int // indexes of types in descending order
	out    []Entry
}

// fill appends to out all positions that consist of the chosen types and of types with indexes up
// to last that have left free segments in total. key is the sum of the chosen types' keys.
func (w *endingWalk) fill(last, left int, key uint64) error {
	if left == 0 {
		v, err := w.value(key)
		if err != nil {
			return err
		}
		w.out = append(w.out, Entry{key & w.mask, v})
		if len(w.out)%4096 == 0 {
			return w.ctx.Err()
		}
		return nil
	}
	for i := range last + 1 {
		t := &w.types[i]
		if t.edges > left {
			break
		}
		w.chosen = append(w.chosen, i)
		if err := w.fill(i, left-t.edges, key+t.key); err != nil {
			return err
		}
		w.chosen = w.chosen[:len(w.chosen)-1]
	}
	return nil
}

// value returns the value of the chosen position. It returns an error if a successor is missing.
func (w *endingWalk) value(key uint64) (int, error) {
	best := math.MinInt
	for k, i := range w.chosen {
		if k > 0 && w.chosen[k-1] == i {
			continue // the same moves again
		}
		for _, o := range w.types[i].options {
			v, ok := w.values.get((key + o.delta) & w.mask)
			if !ok {
				return 0, fmt.Errorf("endings: a successor of position %016x has no value: its layer is not restored", key)
			}
			best = max(best, int(o.gain)-int(v))
		}
	}
	return best, nil
}

// Restore adds solved positions. A key added twice is an error. It is safe for concurrent use.
func (e *Endings) Restore(entries []Entry) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range entries {
		if err := e.values.put(x.Key, int8(x.Value)); err != nil {
			return err
		}
	}
	return nil
}

// valueMap maps keys to values by open addressing. Keys are hashes. It is never full.
type valueMap struct {
	shift uint
	keys  []uint64
	used  []int8 // value + usedBase, 0 for an empty slot
}

const usedBase = 64 // exceeds the number of squares of a position

func newValueMap(entries uint64) valueMap {
	log := max(4, bits.Len64(entries*3/2-1))
	return valueMap{shift: uint(64 - log), keys: make([]uint64, 1<<log), used: make([]int8, 1<<log)}
}

func (m *valueMap) get(key uint64) (v int8, ok bool) {
	for i := key >> m.shift; ; i = (i + 1) & uint64(len(m.keys)-1) {
		if m.used[i] == 0 {
			return 0, false
		}
		if m.keys[i] == key {
			return m.used[i] - usedBase, true
		}
	}
}

// put adds a key with its value. It returns an error if the map contains the key.
func (m *valueMap) put(key uint64, v int8) error {
	for i := key >> m.shift; ; i = (i + 1) & uint64(len(m.keys)-1) {
		if m.used[i] == 0 {
			m.keys[i], m.used[i] = key, v+usedBase
			return nil
		}
		if m.keys[i] == key {
			return fmt.Errorf("endings: two positions share the key %016x", key)
		}
	}
}
