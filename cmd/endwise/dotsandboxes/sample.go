package dotsandboxes

import (
	"fmt"
	"strconv"
	"strings"

	"endwise/data"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

// sampleFile has the sample, below the data directory.
const sampleFile = "benchmark/dotsandboxes.games"

// The sample is measured at so many lines left.
var sampleLeft = []int{46, 44, 42, 40, 38, 36, 34, 32, 30}

// samplePosition is a position of a game that our own player has played against
// itself, and what a long solve says of it.
type samplePosition struct {
	seed uint64 // of the game
	dotsandboxes.Position
	best []engine.Move // the lines that are worth most; none where that is not known
}

// sampleGame is a line of the file that has a seed and the lines of the game it
// gave, the first six at random. What is known of its positions follows it,
// each in a line: the seed, how many lines are left, and the best of them.
type sampleGame struct {
	seed  uint64
	lines string
	best  map[int]string // by lines left
}

// readSample reads the games that ship with the program; # begins a comment.
func readSample(text string) ([]sampleGame, error) {
	var out []sampleGame
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		seed, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: want a seed", sampleFile, line)
		}
		if len(out) == 0 || out[len(out)-1].seed != seed {
			out = append(out, sampleGame{seed, rest, map[int]string{}})
			continue
		}
		number, rest, _ = strings.Cut(rest, " ")
		left, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: want how many lines are left", sampleFile, line)
		}
		out[len(out)-1].best[left] = rest
	}
	return out, nil
}

// at is the position with so many lines left.
func (g sampleGame) at(left int) (s samplePosition, err error) {
	s.seed = g.seed
	s.Position, err = dotsandboxes.Parse(dotsandboxes.UsualBoard)
	for text := range strings.FieldsSeq(g.lines) {
		if err != nil || s.Free().Len() == left {
			break
		}
		var m engine.Move
		if m, err = s.ParseMove(text); err == nil {
			s.Position, err = s.DrawLine(m)
		}
	}
	for text := range strings.FieldsSeq(g.best[left]) {
		m, bad := s.ParseMove(text)
		if bad != nil {
			err = bad
		}
		s.best = append(s.best, m)
	}
	if err == nil && s.Free().Len() != left {
		err = fmt.Errorf("%d lines left, want %d", s.Free().Len(), left)
	}
	if err != nil {
		err = fmt.Errorf("%s: game %d: %w", sampleFile, g.seed, err)
	}
	return s, err
}

// shippedSample is the sample in the program.
func shippedSample() ([]sampleGame, error) {
	text, err := data.Benchmark.ReadFile(sampleFile)
	if err != nil {
		return nil, err
	}
	return readSample(string(text))
}
