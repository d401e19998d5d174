package book

import (
	"fmt"
	"strings"
	"testing"

	"endwise/engine/dotsandboxes"
)

// known returns what is known of the empty 2x2 board, where a tie is worth 0, from a text:
// "A=2" is the value of the first move, "A>2" and "A<2" are bounds, "A~2" is an estimate of
// the search, "A?2" one of an earlier search, and "A!" is preferred. "=-2" bounds the
// position; "line A 1" follows a line that begins with the move and was proved to be
// worth 1.
func known(t *testing.T, text string, play bool) *Known {
	t.Helper()
	p := dab(t, "2x2")
	k := NewKnown(p, dotsandboxes.Game{}, nil)
	k.play = play
	var earlier, last []Estimate
	for f := range strings.FieldsSeq(text) {
		var how byte
		var name string
		value := 0
		if f[0] >= 'A' && f[0] <= 'Z' {
			name, f = f[:1], f[1:]
		}
		if _, err := fmt.Sscanf(f, "%c%d", &how, &value); err != nil && f != "!" {
			t.Fatalf("%s: %q: %v", text, f, err)
		}
		if name == "" {
			k.Bound("solved", -Unbounded, value)
			continue
		}
		m := p.Moves()[name[0]-'A']
		switch how {
		case '=':
			k.Prove("solved", Claim{Move: m, Lower: value, Upper: value})
		case '>':
			k.Prove("solved", Claim{Move: m, Lower: value, Upper: Unbounded})
		case '<':
			k.Prove("solved", Claim{Move: m, Lower: -Unbounded, Upper: value})
		case '~':
			last = append(last, Estimate{Move: m, Score: value})
		case '?':
			earlier = append(earlier, Estimate{Move: m, Score: value})
		case 'L':
			k.line = &proof{line: []string{p.MoveString(m)}, lineResult: value, lineSource: "earlier"}
		default:
			k.Prefer("hard", m)
		}
	}
	for _, list := range [][]Estimate{earlier, last} {
		if len(list) > 0 {
			k.Estimate("search", 1, list...)
		}
	}
	return k
}

// The order of the moves is the one described at ranked; every case has one reason.
func TestOrderOfMoves(t *testing.T) {
	for _, c := range []struct {
		name, known string
		game, query string // the moves, the best first, in a game and otherwise
	}{
		{"the best lower bound that does not lose", "A>0 B>2 C~9", "BCA", "BCA"},
		{"a tie is not given up for an estimate", "A=0 B~9", "AB", "AB"},
		{"a value and an estimate above it, if it loses", "A=-2 B~-1 <-1", "BA", "BA"},
		{"a lower bound and an estimate above it, if it loses", "A>-2 B~-1 <-1", "BA", "BA"},
		{"a lower bound among lower estimates, if it loses", "A~-3 B>-2 <-1", "BA", "BA"},
		{"the last estimates come first", "A?9 B~-5", "BA", "BA"},
		{"the later estimates, then the greater ones, then the source's order", "A?1 B?1 C?2 D~0", "DCAB", "DCAB"},
		{"a value comes before an equal estimate", "A~-1 B=-1 <-1", "BA", "BA"},
		{"a move that may tie comes before a lost one", "A~-3 A<0 B~-1 B<-1", "AB", "BA"},
		{"a lost move is preferred", "A=-1 B=-3 B! <-1", "BA", "AB"},
		{"a lost move of greater value, none preferred", "A=-3 B=-1 <-1", "BA", "BA"},
		{"a position that may be a tie is not lost", "A~0 B~-1 B! <0", "AB", "AB"},
		{"equal estimates: the preferred move", "A~-1 B~-1 B!", "BA", "BA"},
		{"the best expectation in a won game", "A>1 A~6 B>7 B~2", "AB", "BA"},
		{"an estimate below a proved win", "A>1 A~-3 B>1", "BA", "AB"},
		{"a followed line that was proved to win", "A~3 BL1", "BA", "AB"},
		{"a proved tie is not given up for the line of a win", "A=0 B~-1 BL1", "AB", "AB"},
		{"the line of a win among moves proved to tie", "A>0 A~3 B>0 B~1 BL1", "BA", "AB"},
	} {
		for play, want := range map[bool]string{true: c.game, false: c.query} {
			got := ""
			k := known(t, c.known, play)
			for _, m := range k.ranked() {
				if name := string(rune('A' + k.index[m.Move])); strings.Contains(want, name) {
					got += name
				}
			}
			if got != want {
				t.Errorf("%s (%s), in a game %v: %s, want %s", c.name, c.known, play, got, want)
			}
		}
	}
}

// A line is followed in a game while its move may be worth what was promised, and nothing
// that is proved or, if the line loses, was searched since is better. As much is better
// than a promise to win.
func TestFollowed(t *testing.T) {
	for _, c := range []struct {
		known string
		want  bool
	}{
		{"BL1", true}, {"BL1 A~9", true}, {"BL1 B<1", true}, {"BL1 B<0", false},
		{"BL1 A>0", true}, {"BL1 A>1", false}, {"BL1 A>2", false}, {"BL0 A>-1", true}, {"BL0 A>0", false},
		{"BL-1", true}, {"BL-1 B<-1", true}, {"BL-1 B<-2", false}, {"BL-1 A~-1", false},
		{"BL-1 A>-1", true}, {"BL-1 A>0", false}, {"A~1", false},
	} {
		for _, play := range []bool{true, false} {
			k := known(t, c.known, play)
			if got := k.followsLine(&k.moves[1]); got != (c.want && play) {
				t.Errorf("%s, in a game %v: followed %v", c.known, play, got)
			}
			if k.followsLine(&k.moves[0]) {
				t.Errorf("%s: another move is followed", c.known)
			}
		}
	}
}
