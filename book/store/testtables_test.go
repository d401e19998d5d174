package store

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"testing"

	"endwise/engine/testenv"
)

// The tables of the tests: value i of the dense one is valueAt(i), entry i of the sparse
// one has the key keyAt(i) and the value valueAt(i).

// valueAt returns the i-th value, below 16.
func valueAt(i uint64) uint8 { return uint8(i*2654435761>>7) & 15 }

// keyAt returns the i-th key.
func keyAt(i uint64) Key {
	h := fnv.New128a()
	h.Write(binary.LittleEndian.AppendUint64(nil, i))
	b := h.Sum(nil)
	// FNV of short inputs is not even in its top bits; mix once more.
	hi, lo := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	hi = (hi ^ lo>>29) * 0xBF58476D1CE4E5B9
	return Key{Hi: hi ^ hi>>32, Lo: lo}
}

// denseSpec specifies a dense table with the given number of values.
func denseSpec(values uint64, compress bool) Spec {
	return Spec{Name: "dense", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: Dense,
		Bits: 4, BlockValues: 64, Values: values, ShardBlocks: 3, Compress: compress}
}

// sparseSpec specifies a sparse table.
func sparseSpec(shards, keyBits int) Spec {
	return Spec{Name: "sparse", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: Sparse,
		KeyBits: keyBits, ValueBits: 5, Shards: shards}
}

// packValues returns a block of values.
func packValues(values []uint8, bits int) []byte {
	block := make([]byte, (len(values)*bits+7)/8)
	for i, v := range values {
		block[i*bits/8] |= v << (i * bits % 8)
	}
	return block
}

// writeMissing writes the pending shards of a dense table.
func writeMissing(t testing.TB, b *Builder) {
	t.Helper()
	for _, i := range b.Pending() {
		testenv.OK(t, writeDenseShard(b, i))
	}
}

// writeDenseShard writes a shard of a dense table.
func writeDenseShard(b *Builder, shard int) error {
	w, err := b.CreateShard(shard)
	if err != nil {
		return err
	}
	spec := b.Spec()
	first, end := spec.ShardRange(shard)
	for n := first; n < end; n++ {
		values := make([]uint8, min(uint64(spec.BlockValues), spec.Values-n*uint64(spec.BlockValues)))
		for i := range values {
			values[i] = valueAt(n*uint64(spec.BlockValues) + uint64(i))
			w.Count(int(values[i]), 1)
		}
		if err := w.PutBlock(n, packValues(values, spec.Bits)); err != nil {
			return err
		}
	}
	return w.Finish()
}

// writeSparseShard writes entries shard, shard+Shards, shard+2*Shards, … below n.
func writeSparseShard(b *Builder, shard int, n uint64) error {
	w, err := b.CreateShard(shard)
	if err != nil {
		return err
	}
	var list []entry
	for i := uint64(shard); i < n; i += uint64(b.Spec().Shards) {
		list = append(list, entry{Key: keyAt(i), Value: uint32(valueAt(i))})
	}
	sortEntries(list)
	for _, e := range list {
		if err := w.Put(e.Key, e.Value); err != nil {
			return err
		}
		w.Count(int(e.Value), 1)
	}
	return w.Finish()
}

// buildDense builds a dense table.
func buildDense(t testing.TB, dir string, values uint64, compress bool) *Header {
	t.Helper()
	b, err := Create(dir, denseSpec(values, compress))
	testenv.OK(t, err)
	writeMissing(t, b)
	h, err := b.Finish(context.Background(), FinishOptions{})
	testenv.OK(t, err)
	return h
}

// buildSparse builds a sparse table of n entries.
func buildSparse(t testing.TB, dir string, shards, keyBits int, n uint64) *Header {
	t.Helper()
	b, err := Create(dir, sparseSpec(shards, keyBits))
	testenv.OK(t, err)
	for _, i := range b.Pending() {
		testenv.OK(t, writeSparseShard(b, i, n))
	}
	h, err := b.Finish(context.Background(), FinishOptions{})
	testenv.OK(t, err)
	return h
}

// openTest opens a table until the test ends.
func openTest(t testing.TB, path string) *Table {
	t.Helper()
	tab, err := Open(path, Options{Game: "test", Rules: 1})
	testenv.OK(t, err)
	t.Cleanup(func() { tab.Close() })
	return tab
}

// noProblems verifies a table and expects no problem.
func noProblems(t *testing.T, tab *Table) {
	t.Helper()
	testenv.OK(t, tab.Verify(context.Background(), func(err error) { t.Errorf("verify: %v", err) }, nil))
}
