package main

import (
	"runtime"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// The node count of every search is the one in nodesFile, so that no commit changes a
// search unintentionally.
func TestNodeCounts(t *testing.T) {
	t.Parallel()
	kept := testenv.ReadFile(t, nodesFile)
	code, out, errs := endwise(t, "bench")
	if code != exitOK || !strings.HasPrefix(errs, "counted in ") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	want, got := nodeLines(t, string(kept)), nodeLines(t, out)
	for name, nodes := range got {
		switch {
		case nodes == want[name]:
		case name == "dotsandboxes live" && runtime.GOARCH != "amd64":
			t.Logf("%s: %s here; its scores are floating point numbers, which other processors may round otherwise", name, nodes)
		default:
			t.Errorf("node count of %s changed from %s to %s: if this commit means to change the search, run\n"+
				"\tgo run ./cmd/endwise bench > cmd/endwise/%s\nand say so in the commit message", name, want[name], nodes, nodesFile)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s: there is no search %q", nodesFile, name)
	}
}

// nodeLines returns the counts by name.
func nodeLines(t *testing.T, text string) map[string]string {
	t.Helper()
	counts := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || counts[line[:i]] != "" {
			t.Fatalf("line %q: want a name, once, and a count", line)
		}
		counts[line[:i]] = line[i+1:]
	}
	return counts
}

// BenchmarkSearches times the searches that the bench command counts.
func BenchmarkSearches(b *testing.B) {
	for _, s := range allSearches(games()) {
		b.Run(s.Name, func(b *testing.B) {
			var nodes uint64
			for b.Loop() {
				n, err := s.Count(b.Context())
				testenv.OK(b, err)
				nodes += n
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
