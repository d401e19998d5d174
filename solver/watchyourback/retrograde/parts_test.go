package retrograde

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"endwise/engine/testenv"
	"endwise/solver/watchyourback/tables"
)

func newLayerSolver(t *testing.T, parts *Parts, final *tables.Final) *LayerSolver {
	t.Helper()
	s, err := NewLayerSolver(t.Context(), parts, final)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// takeAllBefore adds the files of the layers before r that have not been added.
func (p *LayerSolver) takeAllBefore(r int, dir string) error {
	for p.s.turn < r-1 {
		file, err := ReadLayerFile(dir, p.s.turn+1)
		if err == nil {
			err = p.Add(file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wrapped returns a part with the given number of chunks, all with the given data and with
// correct checksums.
func wrapped(chunks int, data []byte) []byte {
	var out []byte
	for range chunks {
		out = frames.Append(out, data)
	}
	return out
}

// Chunks that do not decompress to the rows of a part are neither written to a layer file
// nor used by a solver.
func TestDamagedPartsAreRefused(t *testing.T) {
	const pieces = 5
	parts, err := NewParts(pieces, 1)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	dir := t.TempDir()
	marks := marksOf(parts.chunks[0].b)
	for name, chunk := range map[string][]byte{
		"no zstd":          []byte("no layer"),
		"too short":        enc.EncodeAll(make([]byte, 16), nil),
		"words not marked": enc.EncodeAll(make([]byte, marks+8), nil),
		"words missing":    enc.EncodeAll(bytes.Repeat([]byte{1}, marks+8), nil),
	} {
		file := wrapped(len(parts.chunks), chunk)
		_, err := Solve(t.Context(), parts, dir, func(int, int) {}, func(_ context.Context, r int) error {
			return parts.Write(dir, r, [][]byte{file})
		})
		if !errors.Is(err, errDamagedLayer) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(layerPath(dir, 1)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a layer file was written, %v", name, err)
		}
		// A damaged file of an earlier run is computed again.
		if err := os.WriteFile(layerPath(dir, 1), file, 0o644); err != nil {
			t.Fatal(err)
		}
		started := 0
		_, err = Solve(t.Context(), parts, dir, func(int, int) {}, func(_ context.Context, r int) error {
			started = r
			return os.ErrDeadlineExceeded
		})
		if started != 1 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: resumed with layer %d, %v", name, started, err)
		}
	}
	s := newLayerSolver(t, parts, finalTable)
	good, err := s.Solve(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Write(dir, 1, nil); err == nil {
		t.Error("a layer without parts was written")
	}
	chunks, err := splitChunks(good, len(parts.chunks))
	if err != nil || len(chunks) < 2 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	if err := s.Add(append(wrapped(1, chunks[0]), wrapped(len(chunks)-1, []byte("no layer"))...)); !errors.Is(err, errDamagedLayer) {
		t.Fatalf("a damaged layer: %v", err)
	}
	if err := s.Add(good); !errors.Is(err, errDamagedLayer) {
		t.Errorf("a valid layer after a damaged one: %v", err)
	}
	if _, err := s.Solve(t.Context(), 1, 0); !errors.Is(err, errDamagedLayer) {
		t.Errorf("a part after a damaged layer: %v", err)
	}
}

// Layers computed in parts by two alternating solvers, interrupted and resumed, are the same
// as with another division into parts. Without ENDWISE_DEEP only some layers are computed.
func TestPartsMakeTheSameLayers(t *testing.T) {
	upToFive()
	const pieces, cut = 5, 3 // upToFive uses another division
	first, beyond := 15, 22
	if os.Getenv("ENDWISE_DEEP") != "" {
		first, beyond = 0, tables.Layers
	}
	got := t.TempDir()
	for r := 1; r <= first; r++ {
		if err := os.WriteFile(layerPath(got, r), layersOfFive[r-1], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := NewParts(pieces, cut)
	if err != nil {
		t.Fatal(err)
	}
	solvers := [2]*LayerSolver{newLayerSolver(t, parts, finalTable), newLayerSolver(t, parts, finalTable)}
	last, interrupted := 0, 20
	layer := func(ctx context.Context, r int) error {
		if r > beyond {
			last = r
			return os.WriteFile(layerPath(got, r), layersOfFive[r-1], 0o644)
		}
		out := make([][]byte, parts.Len())
		for i := range out {
			s := solvers[(r+i)%2]
			err := s.takeAllBefore(r, got)
			if err != nil {
				return err
			}
			if out[i], err = s.Solve(ctx, r, i); err != nil {
				return err
			}
			if r%9 != 1 {
				continue
			}
			again, err := s.Solve(ctx, r, i)
			if err != nil || !bytes.Equal(again, out[i]) {
				t.Fatalf("layer %d, part %d: the second result is different, %v", r, i, err)
			}
		}
		if last = r; r == interrupted {
			return os.ErrDeadlineExceeded
		}
		return parts.Write(got, r, out)
	}
	quiet := func(int, int) {}
	if _, err := Solve(t.Context(), parts, got, quiet, layer); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("interrupted: %v", err)
	}
	// A layer with a flipped bit is computed again, with those after it.
	bad := testenv.ReadFile(t, layerPath(got, 19))
	bad[len(bad)-1] ^= 1
	testenv.OK(t, os.WriteFile(layerPath(got, 19), bad, 0o644))
	solvers[0], solvers[1] = newLayerSolver(t, parts, finalTable), newLayerSolver(t, parts, finalTable)
	last, interrupted = 0, 0
	started := 0
	solved, err := Solve(t.Context(), parts, got, func(done, _ int) {
		if started == 0 {
			started = done
		}
	}, layer)
	if err != nil || started != 18 || last != tables.Layers {
		t.Fatalf("resumed: %v, from layer %d to %d", err, started, last)
	}
	for r := 1; r <= tables.Layers; r++ {
		file, err := ReadLayerFile(got, r)
		if want := layersOfFive[r-1]; err != nil || !bytes.Equal(file, want) {
			t.Fatalf("%d pieces, layer %d: %d bytes, want %d, %v", pieces, r, len(file), len(want), err)
		}
	}
	if _, err := solved.Pack(t.Context(), pieces, func(uint64, []byte) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := solvers[0].Solve(t.Context(), 3, 0); !errors.Is(err, ErrSolved) {
		t.Errorf("a layer already solved: %v", err)
	}
}

// A part requested several times concurrently has the same result each time, and the solver
// does not change.
func TestConcurrentRequestsForTheSamePart(t *testing.T) {
	upToFive()
	parts, err := NewParts(5, 6)
	if err != nil {
		t.Fatal(err)
	}
	s := newLayerSolver(t, parts, finalTable)
	for r := 1; r <= 3; r++ {
		out := make([][]byte, parts.Len())
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 4 * parts.Len() {
			wg.Go(func() {
				part, err := s.Solve(t.Context(), r, i/4)
				mu.Lock()
				defer mu.Unlock()
				if was := out[i/4]; err != nil || was != nil && !bytes.Equal(was, part) {
					t.Errorf("layer %d, part %d: two results differ, %v", r, i/4, err)
				}
				out[i/4] = part
			})
		}
		wg.Wait()
		file := bytes.Join(out, nil)
		if !bytes.Equal(file, layersOfFive[r-1]) {
			t.Fatalf("layer %d is wrong", r)
		}
		if err := s.Add(file); err != nil {
			t.Fatal(err)
		}
	}
}
