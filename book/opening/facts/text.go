package facts

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"endwise/book/opening/value"
	"endwise/engine"
)

// AppendText appends a record of p, which is worth v, as a line of a book's text
// form (opening/export.go).
func (r *Record) AppendText(dst []byte, p engine.Position, v value.Value) []byte {
	dst = fmt.Appendf(dst, "%x %s visits=%d depth=%d ms=%d", r.Key, v, r.Visits, r.Depth, r.Millis)
	if w := r.Work; w != (Work{}) {
		dst = fmt.Appendf(dst, " work=%d/%d/%d", w.Engine, w.Limit, w.Nodes)
	}
	if s := r.Own.Bounds(); s != "" {
		dst = fmt.Appendf(dst, " proved=%s", s)
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		dst = fmt.Appendf(dst, " %s=%s", p.MoveString(engine.Move(c.Move)), c.Leaf)
	}
	return append(dst, '\n')
}

// ParseText reads what AppendText writes.
func ParseText(g engine.CanonicalGame, line string) (r Record, v value.Value, err error) {
	f := strings.Split(line, " ")
	if len(f) < 5 {
		return r, v, fmt.Errorf("%d fields: want KEY VALUE visits= depth= ms= and the moves", len(f))
	}
	key, err := hex.DecodeString(f[0])
	if err != nil {
		return r, v, fmt.Errorf("key %.80q: want hexadecimal digits", f[0])
	}
	p, err := value.Position(g, string(key))
	if err != nil {
		return r, v, err
	}
	if v, err = value.Parse(f[1]); err != nil {
		return r, v, err
	}
	r = Record{Key: string(key), Own: value.Unknown(0)}
	for i, form := range []string{"visits=%d", "depth=%d", "ms=%d"} {
		if _, err := fmt.Sscanf(f[2+i], form, []any{&r.Visits, &r.Depth, &r.Millis}[i]); err != nil {
			return r, v, fmt.Errorf("%.40q: want %s, a number: %w", f[2+i], form, err)
		}
	}
	moves := f[5:]
	if len(moves) > 0 && strings.HasPrefix(moves[0], "work=") {
		if _, err := fmt.Sscanf(moves[0], "work=%d/%d/%d", &r.Work.Engine, &r.Work.Limit, &r.Work.Nodes); err != nil {
			return r, v, fmt.Errorf("%.60q: want work=ENGINE/LIMIT/NODES", moves[0])
		}
		moves = moves[1:]
	}
	if len(moves) > 0 {
		if s, ok := strings.CutPrefix(moves[0], "proved="); ok {
			if r.Own, err = value.ParseBounds(s); err != nil {
				return r, v, err
			}
			moves = moves[1:]
		}
	}
	steps, _, err := value.Steps(g, p)
	if err != nil {
		return r, v, err
	}
	if len(steps) != len(moves) {
		return r, v, fmt.Errorf("%d moves: the position has %d that differ", len(moves), len(steps))
	}
	r.Classes = blank(steps)
	for i, s := range steps {
		name, text, _ := strings.Cut(moves[i], "=")
		if want := p.MoveString(s.Move); name != want {
			return r, v, fmt.Errorf("move %.40q: want %s there", name, want)
		}
		leaf, err := value.Parse(text)
		if err != nil {
			return r, v, fmt.Errorf("move %s: %w", name, err)
		}
		if s.Over && leaf != value.Exactly(s.Gain) {
			return r, v, fmt.Errorf("move %s: %s, but it ends the game with %d", name, leaf, s.Gain)
		}
		r.Classes[i].Leaf = leaf
	}
	if want := bytes.TrimSuffix(r.AppendText(nil, p, v), []byte("\n")); string(want) != line {
		return r, v, fmt.Errorf("it would be written %.200q", want)
	}
	return r, v, nil
}
