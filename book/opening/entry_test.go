package opening

import (
	"math/rand/v2"
	"testing"

	"endwise/engine"
)

// Every entry is read as it was written.
func TestEntryCoding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	score := func() int16 { return int16(r.IntN(2*maxScore+1) - maxScore) }
	move := func() engine.Move { return engine.Move(r.IntN(1 << 16)) }
	for range 2_000 {
		known := func() Value {
			a, b := score(), score()
			v := Value{Lo: min(a, b), Hi: max(a, b)}
			switch r.IntN(5) {
			case 0:
				v.Hi = v.Lo
			case 1:
				v.Lo = -Unbounded
			case 2:
				v.Hi = Unbounded
			case 3:
				v.Lo, v.Hi = -Unbounded, Unbounded
			}
			v.Est = score()
			return v.clamp()
		}
		want := Entry{
			Value: known(), Visits: int(r.Uint32()),
			Origin: Origin{Depth: uint16(r.Uint32()), Millis: r.Uint32(), Plies: uint16(r.Uint32())},
			Best:   move(), BestLinked: r.IntN(2) == 0,
		}
		switch r.IntN(3) {
		case 0:
			want.Safe, want.HasSafe = want.Best, true
		case 1:
			want.Safe, want.HasSafe = move(), true
		}
		if r.IntN(2) == 0 {
			want.Unlinked, want.UnlinkedValue, want.HasUnlinked = move(), known(), true
		}
		code := want.append(nil)
		in := &reader{b: code}
		if got := readEntry(in); got != want || in.bad || len(in.b) != 0 {
			t.Fatalf("%+v is read back as %+v (malformed %v, %d bytes left)", want, got, in.bad, len(in.b))
		}
		cut := r.IntN(len(code))
		short := &reader{b: code[:cut]}
		if readEntry(short); !short.bad {
			t.Fatalf("%+v: %d of %d bytes are taken for an entry", want, cut, len(code))
		}
	}
}
