package solve

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"endwise/cmd/endwise/cli"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A proof that is interrupted or cannot be written leaves the file unchanged.
func TestInterruptedAnswers(t *testing.T) {
	a := &cli.App{Stdout: io.Discard}
	path := filepath.Join(t.TempDir(), "proof")
	goesOn := &cli.Unfinished{Err: context.Canceled, Next: "the same command goes on"}
	unsaved := errors.Join(context.Canceled, io.ErrShortWrite)
	for _, c := range []struct {
		text string
		err  error
		want string
	}{
		{"first", nil, "first"},
		{"second", context.Canceled, "first"},
		{"third", io.ErrShortWrite, "first"},
		{"fourth", goesOn, "first"},
		{"not saved", unsaved, "first"},
		{"fifth", nil, "fifth"},
	} {
		err := WriteAnswers(a, enginetest.Board(t, "1x1"), path, func(w io.Writer) (int, solver.Result, error) {
			_, err := io.WriteString(w, c.text)
			testenv.OK(t, err)
			return 3, solver.Result{}, c.err
		})
		text, readErr := os.ReadFile(path)
		testenv.OK(t, readErr)
		var unfinished *cli.Unfinished
		if !errors.Is(err, c.err) || errors.As(err, &unfinished) != cli.Interrupted(c.err) || c.err == goesOn && unfinished != goesOn || string(text) != c.want {
			t.Errorf("%s: %q is there, %v", c.text, text, err)
		}
	}
}
