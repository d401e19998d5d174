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

func newPlaneSolver(t *testing.T, parts *Parts, final *tables.Final) *PlaneSolver {
	t.Helper()
	s, err := NewPlaneSolver(t.Context(), parts, final)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// takeAllBefore takes the files of the planes before plane r that it has not taken.
func (p *PlaneSolver) takeAllBefore(r int, dir string) error {
	for p.s.turn < r-1 {
		file, err := PlaneFile(dir, p.s.turn+1)
		if err == nil {
			err = p.Take(file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wrapped is a part whose checksums are right: as many chunks of the given
// bytes as the part has.
func wrapped(chunks int, data []byte) []byte {
	var out []byte
	for range chunks {
		out = frames.Append(out, data)
	}
	return out
}

// TestPartsThatAreNone: what does not unpack to the rows of a part comes
// neither into a plane file nor, unnoticed, into a solver's memory.
func TestPartsThatAreNone(t *testing.T) {
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
		"no zstd":          []byte("no plane"),
		"too short":        enc.EncodeAll(make([]byte, 16), nil),
		"words not marked": enc.EncodeAll(make([]byte, marks+8), nil),
		"words missing":    enc.EncodeAll(bytes.Repeat([]byte{1}, marks+8), nil),
	} {
		file := wrapped(len(parts.chunks), chunk)
		_, err := Solve(t.Context(), parts, dir, func(int, int) {}, func(_ context.Context, r int) error {
			return parts.Write(dir, r, [][]byte{file})
		})
		if !errors.Is(err, errDamagedPlane) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(planePath(dir, 1)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a plane file, %v", name, err)
		}
		// One that an earlier program left there is computed again.
		if err := os.WriteFile(planePath(dir, 1), file, 0o644); err != nil {
			t.Fatal(err)
		}
		asked := 0
		_, err = Solve(t.Context(), parts, dir, func(int, int) {}, func(_ context.Context, r int) error {
			asked = r
			return os.ErrDeadlineExceeded
		})
		if asked != 1 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: resumed with plane %d, %v", name, asked, err)
		}
	}
	s := newPlaneSolver(t, parts, finalTable)
	good, err := s.Solve(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Write(dir, 1, nil); err == nil {
		t.Error("a plane without parts was written")
	}
	chunks, err := splitChunks(good, len(parts.chunks))
	if err != nil || len(chunks) < 2 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	if err := s.Take(append(wrapped(1, chunks[0]), wrapped(len(chunks)-1, []byte("no plane"))...)); !errors.Is(err, errDamagedPlane) {
		t.Fatalf("a damaged plane: %v", err)
	}
	if err := s.Take(good); !errors.Is(err, errDamagedPlane) {
		t.Errorf("the right plane after it: %v", err)
	}
	if _, err := s.Solve(t.Context(), 1, 0); !errors.Is(err, errDamagedPlane) {
		t.Errorf("a part after it: %v", err)
	}
}

// TestPartsMakeTheSamePlanes computes the planes of five pieces in parts, by
// two solvers that take turns, and compares the files with those of another
// cut. Without ENDWISE_DEEP the planes before and after a few are taken over.
func TestPartsMakeTheSamePlanes(t *testing.T) {
	upToFive()
	const pieces, cut = 5, 3 // upToFive has another
	first, beyond := 15, 22
	if os.Getenv("ENDWISE_DEEP") != "" {
		first, beyond = 0, tables.Planes
	}
	got := t.TempDir()
	for r := 1; r <= first; r++ {
		if err := os.WriteFile(planePath(got, r), planesOfFive[r-1], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := NewParts(pieces, cut)
	if err != nil {
		t.Fatal(err)
	}
	solvers := [2]*PlaneSolver{newPlaneSolver(t, parts, finalTable), newPlaneSolver(t, parts, finalTable)}
	last, interrupted := 0, 20
	plane := func(ctx context.Context, r int) error {
		if r > beyond {
			last = r
			return os.WriteFile(planePath(got, r), planesOfFive[r-1], 0o644)
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
				t.Fatalf("plane %d, part %d: the second time is different, %v", r, i, err)
			}
		}
		if last = r; r == interrupted {
			return os.ErrDeadlineExceeded
		}
		return parts.Write(got, r, out)
	}
	quiet := func(int, int) {}
	if _, err := Solve(t.Context(), parts, got, quiet, plane); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("interrupted: %v", err)
	}
	// A plane with a flipped bit is computed again, with those after it.
	bad := testenv.ReadFile(t, planePath(got, 19))
	bad[len(bad)-1] ^= 1
	testenv.OK(t, os.WriteFile(planePath(got, 19), bad, 0o644))
	solvers[0], solvers[1] = newPlaneSolver(t, parts, finalTable), newPlaneSolver(t, parts, finalTable)
	last, interrupted = 0, 0
	started := 0
	solved, err := Solve(t.Context(), parts, got, func(done, _ int) {
		if started == 0 {
			started = done
		}
	}, plane)
	if err != nil || started != 18 || last != tables.Planes {
		t.Fatalf("resumed: %v, from plane %d to %d", err, started, last)
	}
	for r := 1; r <= tables.Planes; r++ {
		file, err := PlaneFile(got, r)
		if want := planesOfFive[r-1]; err != nil || !bytes.Equal(file, want) {
			t.Fatalf("%d pieces, plane %d: %d bytes, want %d, %v", pieces, r, len(file), len(want), err)
		}
	}
	if _, err := solved.Pack(t.Context(), pieces, func(uint64, []byte) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := solvers[0].Solve(t.Context(), 3, 0); !errors.Is(err, ErrBehind) {
		t.Errorf("a plane that is done: %v", err)
	}
}

// TestOnePartTwiceAtOnce: a part that several goroutines are asked for at the
// same time, as after a broken connection, comes out right for each of them and
// leaves the solver as it was.
func TestOnePartTwiceAtOnce(t *testing.T) {
	upToFive()
	parts, err := NewParts(5, 6)
	if err != nil {
		t.Fatal(err)
	}
	s := newPlaneSolver(t, parts, finalTable)
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
					t.Errorf("plane %d, part %d: two results differ, %v", r, i/4, err)
				}
				out[i/4] = part
			})
		}
		wg.Wait()
		file := bytes.Join(out, nil)
		if !bytes.Equal(file, planesOfFive[r-1]) {
			t.Fatalf("plane %d is wrong", r)
		}
		if err := s.Take(file); err != nil {
			t.Fatal(err)
		}
	}
}
