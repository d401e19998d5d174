package exact

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"endwise/solver/circuitwars/graph"
)

// Simplification in sums. Two multisets of components X and Y are interchangeable if V(R + X) = V(R
// + Y) for every R. rules.txt contains such pairs for all types with up to nine edges, proved by
// the lemma in lemma_test.go, one per line:
//
//	1gg 0 = g + gg           1gg 0, a chain of two squares with two edges to the ground
//	                         at one end, is replaced by the sum g + gg
//	1g 0gg = nothing         the type has no effect in any sum
//	twice 1g 0g = nothing    two of the type have no effect in any sum
//
// Components are in the notation of [graph.Code], in canonical order. No rule replaces a component
// on a right side. Lines are ordered by edges, and the proof of each uses only lines of types with
// fewer edges. The types have at most eagerEdges edges: larger ones are bounded by their numbers of
// squares until they are resolved (option.threat), and a rule would change these numbers.
//
//go:embed rules.txt
var rulesText string

type rule struct {
	replaced bool
	by       []graph.Code // empty: the type has no effect
	cancels  bool         // two of the type have no effect
}

// ruleBook contains the rules by type.
type ruleBook struct {
	pairs bool // two hot components of the same type cancel
	rules map[graph.Key]rule
}

func newRuleBook(opt *Options) *ruleBook {
	b := &ruleBook{pairs: !opt.NoPairs, rules: map[graph.Key]rule{}}
	for _, f := range provedFacts() {
		switch {
		case f.pair && !opt.NoPairs:
			b.rules[f.key] = rule{cancels: true}
		case !f.pair && !opt.NoReduce:
			b.rules[f.key] = rule{replaced: true, by: f.right}
		}
	}
	return b
}

// fact is a line of rules.txt.
type fact struct {
	key   graph.Key
	left  graph.Code
	pair  bool // two of left have no effect
	right []graph.Code
}

var provedFacts = sync.OnceValue(func() (facts []fact) {
	code := func(text string) graph.Code {
		c, err := parseCode(text)
		if err != nil {
			panic("rules.txt: " + err.Error())
		}
		return c
	}
	for line := range strings.Lines(rulesText) {
		left, right, _ := strings.Cut(strings.TrimSpace(line), " = ")
		left, pair := strings.CutPrefix(left, "twice ")
		f := fact{left: code(left), pair: pair}
		f.key = graph.KeyOf(f.left)
		if right != "nothing" {
			for part := range strings.SplitSeq(right, " + ") {
				f.right = append(f.right, code(part))
			}
		}
		facts = append(facts, f)
	}
	return facts
})

// parseCode parses the result of [graph.Code.String] and returns an error for any other text.
func parseCode(text string) (graph.Code, error) {
	var c graph.Code
	for word := range strings.FieldsSeq(text) {
		neighbours := strings.TrimRight(word, "g")
		var borders []byte
		for x := range strings.FieldsSeq(strings.ReplaceAll(neighbours, ",", " ")) {
			v, err := strconv.ParseUint(x, 10, 8)
			if err != nil {
				return nil, fmt.Errorf("component %q: %w", text, err)
			}
			borders = append(borders, byte(v))
		}
		borders = append(borders, bytes.Repeat([]byte{graph.Ground}, len(word)-len(neighbours))...)
		borders = append(borders, graph.None, graph.None, graph.None, graph.None)
		c = append(c, binary.LittleEndian.Uint32(borders))
	}
	if c.String() != text {
		return nil, fmt.Errorf("component %q: read as %q", text, c)
	}
	return c, nil
}
