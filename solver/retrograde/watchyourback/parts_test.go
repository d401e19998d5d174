package watchyourback

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func newPlaneSolver(t *testing.T, parts *Parts, final *Final) *PlaneSolver {
	t.Helper()
	s, err := NewPlaneSolver(t.Context(), parts, final)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPartsMakeTheSamePlanes computes the planes of five pieces in parts, by
// two solvers that take turns, and compares the files with Solve's.
func TestPartsMakeTheSamePlanes(t *testing.T) {
	final := NewFinal()
	const pieces, cut = 5, 7
	want, got := t.TempDir(), t.TempDir()
	if _, err := Solve(t.Context(), final, pieces, want, nil); err != nil {
		t.Fatal(err)
	}
	parts, err := NewParts(pieces, cut)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := newSweep(t.Context(), pieces, final)
	if err != nil {
		t.Fatal(err)
	}
	if d := whole.chunks(); !slices.Equal(d, parts.chunks) {
		t.Fatalf("%d pieces: the chunks of parts are others", pieces)
	}
	solvers := [2]*PlaneSolver{newPlaneSolver(t, parts, final), newPlaneSolver(t, parts, final)}
	last := 0
	plane := func(ctx context.Context, r int) ([][]byte, error) {
		out := make([][]byte, parts.Len())
		for i := range out {
			s := solvers[(r+i)%2]
			for s.Done() < r-1 {
				file, err := PlaneFile(got, s.Done()+1)
				if err == nil {
					err = s.Take(file)
				}
				if err != nil {
					return nil, err
				}
			}
			var err error
			if out[i], err = s.Solve(ctx, r, i); err != nil {
				return nil, err
			}
			if r%9 != 1 {
				continue
			}
			again, err := s.Solve(ctx, r, i)
			if err != nil || !bytes.Equal(again, out[i]) {
				t.Fatalf("plane %d, part %d: the second time is different, %v", r, i, err)
			}
		}
		if last = r; r == 20 {
			return nil, os.ErrDeadlineExceeded // an interruption
		}
		return out, nil
	}
	quiet := func(int, int) {}
	if _, err := SolveParts(t.Context(), parts, got, quiet, plane); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("interrupted: %v", err)
	}
	// A damaged plane is computed again, with those after it.
	if err := os.WriteFile(planePath(got, 19), []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	solvers[0], solvers[1] = newPlaneSolver(t, parts, final), newPlaneSolver(t, parts, final)
	last = 0
	started := 0
	solved, err := SolveParts(t.Context(), parts, got, func(done, _ int) {
		if started == 0 {
			started = done
		}
	}, func(ctx context.Context, r int) ([][]byte, error) {
		if r == 20 { // past the interruption
			out := make([][]byte, parts.Len())
			for i := range out {
				for _, s := range solvers {
					for s.Done() < r-1 {
						file, err := PlaneFile(got, s.Done()+1)
						if err != nil {
							return nil, err
						}
						if err := s.Take(file); err != nil {
							return nil, err
						}
					}
				}
				var err error
				if out[i], err = solvers[i%2].Solve(ctx, r, i); err != nil {
					return nil, err
				}
			}
			return out, nil
		}
		return plane(ctx, r)
	})
	if err != nil || started != 18 || last != Planes {
		t.Fatalf("resumed: %v, from plane %d to %d", err, started, last)
	}
	for r := 1; r <= Planes; r++ {
		a, err := os.ReadFile(filepath.Join(want, filepath.Base(planePath(want, r))))
		b, err2 := PlaneFile(got, r)
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Fatalf("%d pieces, plane %d: %d and %d bytes, %v, %v", pieces, r, len(a), len(b), err, err2)
		}
	}
	if _, err := solved.Pack(t.Context(), pieces, func(uint64, []byte) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := solvers[0].Solve(t.Context(), 3, 0); !errors.Is(err, ErrBehind) {
		t.Errorf("a plane that is done: %v", err)
	}
}
