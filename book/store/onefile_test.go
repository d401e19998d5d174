package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"endwise/engine/testenv"
)

// A copy in one-file form has the digest and the blocks of the original table, and reading
// it finds damage.
func TestOneFileTables(t *testing.T) {
	dir := t.TempDir()
	buildDense(t, dir, 20000, true)
	buildSparse(t, dir, 3, 64, 5000)
	for _, name := range []string{"dense", "sparse"} {
		from := openTest(t, filepath.Join(dir, name))
		to := filepath.Join(dir, "packed-"+name)
		testenv.OK(t, from.WriteOneFile(t.Context(), to))
		packed := openTest(t, to)
		noProblems(t, packed)
		for n := range from.Header().Blocks {
			want, err := from.Block(n)
			got, err2 := packed.Block(n)
			if err != nil || err2 != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: block %d: %v, %v", name, n, err, err2)
			}
		}
		file := filepath.Join(to, "blocks")
		whole := testenv.ReadFile(t, file)
		for _, at := range []int{5, len(whole) - 3} {
			broken := append([]byte(nil), whole...)
			broken[at] ^= 1
			testenv.OK(t, os.WriteFile(file, broken, 0o644))
			tab, err := Open(to, Options{})
			if err == nil {
				_, err = tab.Block(0)
				tab.Close()
			}
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, byte %d: %v", name, at, err)
			}
		}
	}
}
