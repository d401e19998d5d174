//go:build linux

package wyb

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// obedient is a program that answers according to the line protocol.
const obedient = `#!/bin/sh
echo "a note" >&2
while read line; do
	case $line in
	*'"start"'*) echo '{"type":"ready"}' ;;
	*'"update"'*) echo '{"type":"ok"}' ;;
	*) echo '{"type":"action","action":[3,3]}' ;;
	esac
done
`

// oneTurn plays a turn as a referee does: it loads the player and a student's module by
// name. It prints the increase of its peak of virtual memory in MB, whether the program
// still plays, and the student's number.
const oneTurn = `
import sys
def peak():
    return int([l.split()[1] for l in open("/proc/self/status") if l.startswith("VmPeak:")][0]) / 1024
before = peak()
player = __import__("endwise_player").Player("white")
assert len(player.action(0)) == 2
player.update((4, 4))
grown = peak() - before
student = __import__(sys.argv[1]) if len(sys.argv) > 1 else None
print("%.1f %s %s" % (grown, player._child is not None, student and student.NUMBER))
`

// referee runs oneTurn after a shell command, for instance a limit, in a directory of files
// with an obedient program at the path binary. Python's site module, which may load much of
// the library in advance, is disabled.
func referee(t *testing.T, binary string, files map[string]string, before string, environment []string, arguments ...string) (printed, said string) {
	t.Helper()
	home := t.TempDir()
	binary = filepath.Join(home, "player", binary)
	dir := filepath.Dir(binary)
	python := shim(t, dir)
	testenv.OK(t, os.WriteFile(binary, []byte(obedient), 0o700))
	files["referee.py"] = oneTurn
	for name, text := range files {
		testenv.OK(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700))
		testenv.OK(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", before + `exec "$@"`, "sh", python, "-S", "referee.py"}, arguments...)...)
	cmd.Dir = home
	cmd.Env = append(append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1"), environment...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return strings.TrimSpace(string(out)), errs.String()
}

// The module adds little to the referee's virtual memory, which competitions limit.
func TestShimSpace(t *testing.T) {
	printed, said := referee(t, "endwise", map[string]string{}, "", nil)
	grown, rest, _ := strings.Cut(printed, " ")
	if mb, err := strconv.ParseFloat(grown, 64); err != nil || mb > 20 || rest != "True None" {
		t.Errorf("%q, want at most 20 MB, True and None", printed)
	}
	if said != "a note\n" {
		t.Errorf("standard error has %q, want the program's note", said)
	}
}

// Files next to the referee may have the names of any modules of the library, and the
// referee loads them by those names.
func TestShimBesideStudentsFiles(t *testing.T) {
	const trap = "NUMBER = 7\n"
	names := []string{"resource", "select", "json", "subprocess", "board", "signal", "threading", "selectors", "decoder", "random",
		"math", "types", "contextlib", "warnings", "traceback", "socket", "queue", "struct", "copy", "re", "enum", "string",
		"locale", "fcntl", "_posixsubprocess", "_json", "numbers"}
	files := map[string]string{}
	for _, name := range names {
		files[name+".py"] = trap
	}
	for _, student := range []string{"resource", "select", "json", "subprocess", "signal"} {
		printed, said := referee(t, "endwise", files, "", nil, student)
		if !strings.HasSuffix(printed, " True 7") || said != "a note\n" {
			t.Errorf("%s: %q, %q, want True and 7", student, printed, said)
		}
	}
	// A directory is a module as well.
	printed, said := referee(t, "endwise", map[string]string{"json/__init__.py": trap}, "", nil, "json")
	if !strings.HasSuffix(printed, " True 7") || said != "a note\n" {
		t.Errorf("a package: %q, %q, want True and 7", printed, said)
	}
}

// The program's path may contain any characters and bytes, in any locale.
func TestShimLocale(t *testing.T) {
	for _, binary := range []string{"\u00fcn\u00ef \U0001F600/endwise", "\xfc\xff/endwise"} {
		for _, locale := range []string{"C", "POSIX", "C.UTF-8"} {
			printed, said := referee(t, binary, map[string]string{}, "", []string{"LC_ALL=" + locale, "PYTHONCOERCECLOCALE=0", "PYTHONUTF8=0"})
			if !strings.HasSuffix(printed, " True None") || said != "a note\n" {
				t.Errorf("%q in %s: %q, %q, want True", binary, locale, printed, said)
			}
		}
	}
	printed, said := referee(t, "endwise", map[string]string{}, "", []string{"LC_ALL=C", "PYTHONCOERCECLOCALE=0", "PYTHONUTF8=0", "ENDWISE=/no/\u00fc\xff"})
	if !strings.HasSuffix(printed, " False None") || strings.Count(said, "\n") != 1 || !strings.Contains(said, "write this file again") {
		t.Errorf("a path with no program: %q, %q, want False and one sentence", printed, said)
	}
}

// If memory is too small for the program, the module plays on and prints one sentence.
func TestShimTooLittleMemory(t *testing.T) {
	for _, kilobytes := range []string{"100000", "400000"} {
		printed, said := referee(t, "endwise", map[string]string{}, "ulimit -v "+kilobytes+"; ", []string{"ENDWISE=" + os.Args[0]})
		if !strings.HasSuffix(printed, " False None") || strings.Count(said, "\n") != 1 || !strings.Contains(said, "memory is too small for it (fatal error: ") {
			t.Errorf("%s kB: %q, %q, want False and one sentence", kilobytes, printed, said)
		}
	}
	// Other reasons on the program's standard error are reported in the same way.
	for text, want := range map[string]string{
		"echo one >&2; echo two >&2; exit 3":                                                                 "it ended with code 3 (two)",
		"printf 'panic: lost\\n\\ngoroutine 1 [running]:\\nmain.main()\\n' >&2; exit 2":                      "it ended with code 2 (panic: lost)",
		`read x; echo '{"type":"ready"}'; read x; printf 'fatal error: bad\n\nruntime stack:\n' >&2; exit 2`: "it ended with code 2 (fatal error: bad)",
	} {
		printed, said := referee(t, "endwise", map[string]string{"other": "#!/bin/sh\n" + text + "\n"}, "chmod 700 other; ", []string{"ENDWISE=./other"})
		if !strings.HasSuffix(printed, " False None") || strings.Count(said, "\n") != 1 || !strings.Contains(said, want+"; this file plays on without it") {
			t.Errorf("%s: %q, %q, want %q", text, printed, said, want)
		}
	}
}

// The fault of a player that does not read its input names the time limit of that request.
func TestInputIsNotRead(t *testing.T) {
	p := &Process{Label: "deaf", Argv: []string{"sleep", "1000"}, Limits: Limits{Answer: time.Hour}}
	testenv.OK(t, p.spawn(t.Context()))
	defer p.Close()
	testenv.OK(t, p.in.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	if _, err := p.in.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the pipe is not full: %v", err)
	}
	_, err := p.ask(t.Context(), 50*time.Millisecond, Message{Type: typeStart}, typeReady)
	if err == nil || !strings.Contains(err.Error(), "deaf did not read its input within 50ms") {
		t.Error(err)
	}
}
