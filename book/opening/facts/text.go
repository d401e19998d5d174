package facts

import (
	"fmt"

	"endwise/book/opening/value"
	"endwise/engine"
)

// AppendText appends a record of p, which is worth v, as a line of a book's text
// form (opening/export.go).
func (r *Record) AppendText(dst []byte, p engine.Position, v value.Value) []byte {
	dst = fmt.Appendf(dst, "%x %s visits=%d depth=%d ms=%d", r.Key, v, r.Visits, r.Depth, r.Millis)
	if s := r.Own.Bounds(); s != "" {
		dst = fmt.Appendf(dst, " proved=%s", s)
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		dst = fmt.Appendf(dst, " %s=%s", p.MoveString(engine.Move(c.Move)), c.Leaf)
	}
	return append(dst, '\n')
}
