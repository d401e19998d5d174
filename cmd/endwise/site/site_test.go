package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A directory that holds something else stays as it is; a site is replaced whole.
func TestSiteRefusesOtherDirectories(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "thesis.txt")
	testenv.OK(t, os.WriteFile(other, nil, 0o644))
	if err := Write(dir, map[string][]byte{"web/program.bin": nil}); err == nil || !strings.Contains(err.Error(), "holds something else") {
		t.Errorf("a directory with a file in it: %v", err)
	}
	site := filepath.Join(dir, "site")
	for _, name := range []string{"first.html", "second.html"} {
		testenv.OK(t, Write(site, map[string][]byte{"web/program.bin": nil, name: nil}))
	}
	names, err := os.ReadDir(site)
	if err != nil || len(names) != 2 || names[0].Name() != "second.html" {
		t.Errorf("%v, %v", names, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 2 {
		t.Errorf("left beside the site: %v", names)
	}
}
