// Package storetest makes the tables of the tests of store and build: value i of the
// dense one is ValueAt(i), entry i of the sparse one has the key KeyAt(i) and the value
// ValueAt(i).
package storetest

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"testing"

	"endwise/book/store"
	"endwise/book/store/build"
	"endwise/engine/testenv"
)

// ValueAt is the i-th value, below 16.
func ValueAt(i uint64) uint8 { return uint8(i*2654435761>>7) & 15 }

// KeyAt is the i-th key.
func KeyAt(i uint64) store.Key {
	h := fnv.New128a()
	h.Write(binary.LittleEndian.AppendUint64(nil, i))
	b := h.Sum(nil)
	// FNV of short inputs is not even in its top bits; mix once more.
	hi, lo := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	hi = (hi ^ lo>>29) * 0xBF58476D1CE4E5B9
	return store.Key{Hi: hi ^ hi>>32, Lo: lo}
}

// DenseSpec is that of a dense table of so many values.
func DenseSpec(values uint64, compress bool) store.Spec {
	return store.Spec{Name: "dense", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: store.Dense,
		Bits: 4, BlockValues: 64, Values: values, ShardBlocks: 3, Compress: compress}
}

// SparseSpec is that of a sparse table.
func SparseSpec(shards, keyBits int) store.Spec {
	return store.Spec{Name: "sparse", Title: "test", Game: "test", Rules: 1, Solver: 1, Kind: store.Sparse,
		KeyBits: keyBits, ValueBits: 5, Shards: shards}
}

// Pack is the block of some values.
func Pack(values []uint8, bits int) []byte {
	block := make([]byte, (len(values)*bits+7)/8)
	for i, v := range values {
		block[i*bits/8] |= v << (i * bits % 8)
	}
	return block
}

// WriteShards writes what a dense table still lacks.
func WriteShards(t testing.TB, b *build.Builder) {
	t.Helper()
	for _, i := range b.Pending() {
		testenv.OK(t, WriteDenseShard(b, i))
	}
}

// WriteDenseShard writes a shard of a dense table.
func WriteDenseShard(b *build.Builder, shard int) error {
	w, err := b.Shard(shard)
	if err != nil {
		return err
	}
	spec := b.Spec()
	first, end := spec.ShardRange(shard)
	for n := first; n < end; n++ {
		values := make([]uint8, min(uint64(spec.BlockValues), spec.Values-n*uint64(spec.BlockValues)))
		for i := range values {
			values[i] = ValueAt(n*uint64(spec.BlockValues) + uint64(i))
			w.Count(int(values[i]), 1)
		}
		if err := w.PutBlock(n, Pack(values, spec.Bits)); err != nil {
			return err
		}
	}
	return w.Finish()
}

// WriteSparseShard writes entries shard, shard+Shards, shard+2*Shards, … below n.
func WriteSparseShard(b *build.Builder, shard int, n uint64) error {
	w, err := b.Shard(shard)
	if err != nil {
		return err
	}
	var list []store.Entry
	for i := uint64(shard); i < n; i += uint64(b.Spec().Shards) {
		list = append(list, store.Entry{Key: KeyAt(i), Value: uint32(ValueAt(i))})
	}
	store.SortEntries(list)
	for _, e := range list {
		if err := w.Put(e.Key, e.Value); err != nil {
			return err
		}
		w.Count(int(e.Value), 1)
	}
	return w.Finish()
}

// BuildDense builds a dense table.
func BuildDense(t testing.TB, dir string, values uint64, compress bool) *store.Header {
	t.Helper()
	b, err := build.Create(dir, DenseSpec(values, compress))
	testenv.OK(t, err)
	WriteShards(t, b)
	h, err := b.Finish(context.Background(), build.Options{})
	testenv.OK(t, err)
	return h
}

// BuildSparse builds a sparse table of n entries.
func BuildSparse(t testing.TB, dir string, shards, keyBits int, n uint64) *store.Header {
	t.Helper()
	b, err := build.Create(dir, SparseSpec(shards, keyBits))
	testenv.OK(t, err)
	for _, i := range b.Pending() {
		testenv.OK(t, WriteSparseShard(b, i, n))
	}
	h, err := b.Finish(context.Background(), build.Options{})
	testenv.OK(t, err)
	return h
}

// Open opens a table until the test ends.
func Open(t testing.TB, path string) *store.Table {
	t.Helper()
	tab, err := store.Open(path, store.Options{Game: "test", Rules: 1})
	testenv.OK(t, err)
	t.Cleanup(func() { tab.Close() })
	return tab
}

// NoProblems verifies a table.
func NoProblems(t *testing.T, tab *store.Table) {
	t.Helper()
	testenv.OK(t, tab.Verify(context.Background(), func(err error) { t.Errorf("verify: %v", err) }, nil))
}
