package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// The 4x4 stage of Watch Your Back. A position is 36 letters, the squares inside a rim, row by row:
// # corner, o own piece, x piece of the opponent, dot empty square, blank rim.

var directions = [4]int{-6, -1, 1, 6}

var turned = strings.NewReplacer("o", "x", "x", "o")

func stage(number int) []byte {
	s := []byte("      " + " #..# " + " .... " + " .... " + " #..# " + "      ")
	for at := range s {
		if s[at] == '.' {
			s[at], number = ".ox"[number%3], number/3
		}
	}
	return s
}

// surrounded reports whether a piece stands between two enemies or corners.
func surrounded(s []byte, at int) bool {
	hostile := func(i int) bool { return s[i] == 'o'+'x'-s[at] || s[i] == '#' }
	return hostile(at-1) && hostile(at+1) || hostile(at-6) && hostile(at+6)
}

// stageMoves returns the position after each move of the side o.
func stageMoves(s []byte) (after []string) {
	for i := range 4 * 22 {
		from, d := 7+i/4, directions[i%4]
		to := from + d
		if s[to] == 'o' || s[to] == 'x' { // a jump
			to += d
		}
		if s[from] != 'o' || s[to] != '.' {
			continue
		}
		t := slices.Clone(s)
		t[from], t[to] = '.', 'o'
		for _, d := range directions {
			if t[to+d] == 'x' && (t[to+2*d] == 'o' || t[to+2*d] == '#') {
				t[to+d] = '.'
			}
		}
		if surrounded(t, to) {
			t[to] = '.'
		}
		after = append(after, string(t))
	}
	if after == nil {
		after = append(after, string(s))
	}
	return after
}

// readStage returns the value of each legal position, read in the order of the numbers.
func readStage(values io.ByteReader) (map[string]int, error) {
	value := map[string]int{}
	for n := range 531441 {
		s := stage(n)
		legal := bytes.Count(s, []byte("o")) > 1 && bytes.Count(s, []byte("x")) > 1
		for at := 7; at < 29; at++ { // no empty square lies between two corners
			legal = legal && !surrounded(s, at)
		}
		if legal {
			v, err := values.ReadByte()
			if err != nil {
				return nil, fmt.Errorf("position %s has no value: %w", s, err)
			}
			value[string(s)] = int(int8(v))
		}
	}
	return value, nil
}

// checkStage checks that every value is the best over all moves. Wins and losses are then correct
// by induction on their turns, and so are ties: both players can always move to another tie.
func checkStage(claimed int, values io.ByteReader) error {
	value, err := readStage(values)
	longest := 0
	for _, s := range slices.Sorted(maps.Keys(value)) {
		best := -100
		for _, t := range stageMoves([]byte(s)) {
			v, ok := value[turned.Replace(t)] // one turn later
			switch few, otherFew := strings.Count(t, "o") < 2, strings.Count(t, "x") < 2; {
			case few && otherFew:
				v = 0
			case few:
				v = 100
			case otherFew:
				v = -100
			case !ok:
				return fmt.Errorf("position %s: a move leads to %s, which has no value", s, t)
			}
			best = max(best, cmp.Compare(v, 0)-v) // the opponent's win in d turns is a loss in d+1
		}
		if value[s] != best {
			return fmt.Errorf("position %s: value %d, by its moves %d", s, value[s], best)
		}
		longest = max(longest, (100-max(best, -best))%100) // a tie counts 0
	}
	if err == nil && longest != claimed {
		err = fmt.Errorf("the longest win takes %d turns, not %d", longest, claimed)
	}
	return err
}
