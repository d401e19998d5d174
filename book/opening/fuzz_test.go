package opening

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// A text is refused with a line number or it is a sound book that is written
// as the same text.
func FuzzReadText(f *testing.F) {
	b := emptyBook(f, "2x2")
	grow(f, b, GrowOptions{Evaluators: []Evaluator{newOracle().prover(0)}, Nodes: 6})
	var whole bytes.Buffer
	testenv.OK(f, b.Export(context.Background(), &whole))
	f.Add(whole.Bytes())
	text := whole.String()
	for i, line := range strings.SplitAfter(text, "\n") {
		f.Add([]byte(strings.Replace(text, line, "", 1)))
		f.Add([]byte(strings.Repeat(line, i+1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadText(t.Context(), bytes.NewReader(data), "text", func(string) (engine.Game, error) { return circuitwars.Game{}, nil })
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || !strings.Contains(err.Error(), "text") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		var again bytes.Buffer
		testenv.OK(t, b.Export(t.Context(), &again))
		if !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%q is read and written as %q", data, again.Bytes())
		}
	})
}
