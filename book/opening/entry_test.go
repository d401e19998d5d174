package opening

import (
	"testing"

	"pgregory.net/rapid"

	"endwise/engine"
)

// Whatever an entry says, it is read back as it was written.
func TestEntryCoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.Int16Range(-maxScore, maxScore)
		known := func(name string) Value {
			a, b := score.Draw(t, name), score.Draw(t, name)
			v := Value{Lo: min(a, b), Hi: max(a, b)}
			switch rapid.IntRange(0, 4).Draw(t, name+" kind") {
			case 0:
				v.Hi = v.Lo
			case 1:
				v.Lo = -Unbounded
			case 2:
				v.Hi = Unbounded
			case 3:
				v.Lo, v.Hi = -Unbounded, Unbounded
			}
			v.Est = score.Draw(t, name+" estimate")
			return v.clamp()
		}
		move := rapid.Map(rapid.Uint16Max(1<<16-1), func(m uint16) engine.Move { return engine.Move(m) })
		want := Entry{
			Value: known("value"), Visits: int(rapid.Uint32().Draw(t, "visits")),
			Behind: Behind{Depth: rapid.Uint16().Draw(t, "depth"), Millis: rapid.Uint32().Draw(t, "millis"), Plies: rapid.Uint16().Draw(t, "plies")},
			Best:   move.Draw(t, "best"), BestLinked: rapid.Bool().Draw(t, "linked"),
		}
		switch rapid.IntRange(0, 2).Draw(t, "safe kind") {
		case 0:
			want.Safe, want.HasSafe = want.Best, true
		case 1:
			want.Safe, want.HasSafe = move.Draw(t, "safe"), true
		}
		if rapid.Bool().Draw(t, "rest") {
			want.Rest, want.RestValue, want.HasRest = move.Draw(t, "rest move"), known("rest value"), true
		}
		code := want.append(nil)
		r := &reader{b: code}
		if got := readEntry(r); got != want || r.bad || len(r.b) != 0 {
			t.Fatalf("%+v is read back as %+v (malformed %v, %d bytes left)", want, got, r.bad, len(r.b))
		}
		cut := rapid.IntRange(0, len(code)-1).Draw(t, "cut")
		short := &reader{b: code[:cut]}
		if readEntry(short); !short.bad {
			t.Fatalf("%+v: %d of %d bytes are taken for an entry", want, cut, len(code))
		}
	})
}
