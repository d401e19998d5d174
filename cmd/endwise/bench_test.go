package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// TestNodeCounts compares every search with what it was when its node count
// was checked in, so that no commit changes a search without saying so.
func TestNodeCounts(t *testing.T) {
	t.Parallel()
	kept := testenv.ReadFile(t, nodesFile)
	var counted strings.Builder
	profile := filepath.Join(t.TempDir(), "searches.pgo")
	testenv.OK(t, writeProfile(t.Context(), &counted, profile, 1))
	// A profile is packed by gzip; go tool pprof reads the rest.
	if head, err := os.ReadFile(profile); err != nil || !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		t.Errorf("no profile: %v", err)
	}
	want, got := nodeLines(t, string(kept)), nodeLines(t, counted.String())
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

// nodeLines are the counts by name.
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
