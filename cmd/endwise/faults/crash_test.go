//go:build linux && amd64

package faults

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// crashCase is offline work that a crash may interrupt.
type crashCase struct {
	name string
	args []string
	// result returns what must be equal in all finished runs, interrupted or not, given the
	// directory and standard output.
	result func(t *testing.T, dir, stdout string) string
	// short are the disturbances to which the case is exposed in every run of the tests.
	// Together the cases cover all disturbances, and each quick case has at least one. With
	// ENDWISE_DEEP each case has all.
	short disturbances

	known whole // of an undisturbed run
}

// disturbances is a set of kinds of disturbance.
type disturbances uint

const (
	killedAtRandom disturbances = 1 << iota
	killedAtWrite
	failedWrite
	jumpingClocks
	fullDisk
	lostStore
	powerCut
)

// meet runs a test of a disturbance in parallel for the cases exposed to it.
func (d disturbances) meet(t *testing.T, test func(t *testing.T, c *crashCase)) {
	for _, c := range crashCases {
		t.Run(c.name, func(t *testing.T) {
			if c.short&d == 0 && !testenv.Deep() {
				t.Skip("another case meets it in the short suite: ENDWISE_DEEP=1")
			}
			t.Parallel()
			test(t, c)
		})
	}
}

// whole is the result of an undisturbed run of a case, which all tests share.
type whole struct {
	sync.Mutex
	result string
	took   time.Duration
	writes int // number of writing calls
}

// crashCases are small runs of all commands that can work for hours.
var crashCases = []*crashCase{
	{name: "board", args: []string{"solve", "circuitwars", "--board", "2x3", "--threads", "1"}, result: tableDigest, short: killedAtRandom | jumpingClocks},
	{name: "endings", args: []string{"solve", "circuitwars", "--segments", "7"}, result: tableDigest, short: killedAtWrite},
	{name: "classes", args: []string{"solve", "dotsandboxes", "--board", "2x2"}, result: tableDigest, short: fullDisk | lostStore | failedWrite | powerCut},
	{name: "planes", args: []string{"solve", "watchyourback", "--pieces", "4", "--compare", "100"}, result: tableDigest},
	{name: "value", args: []string{"solve", "circuitwars", "--board", "2x4", "--value", "--hash", "8"}, result: printedValue, short: killedAtRandom | failedWrite},
	{name: "boxes", args: []string{"solve", "dotsandboxes", "--board", "2x3", "--value", "--hash", "8"}, result: printedValue, short: jumpingClocks | powerCut},
	{name: "book", args: []string{"book", "grow", "circuitwars", "--board", "5x5", "--positions", "4", "--time", "2ms", "--hash", "8"}, result: soundBook, short: killedAtRandom | killedAtWrite | powerCut},
	{name: "arena", args: []string{"arena", "circuitwars", "level3", "level1", "--games", "16", "--board", "3x3", "--openings", "3", "--results", "results.jsonl", "--json"}, result: printedDigest, short: failedWrite | lostStore | powerCut},
}

// tableDigest returns the digest of the only table of the store.
func tableDigest(t *testing.T, dir, _ string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "table.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("tables %v, %v: want one", files, err)
	}
	data := testenv.ReadFile(t, files[0])
	m := regexp.MustCompile(`"sha256": *"([0-9a-f]{64})"`).FindSubmatch(data)
	if m == nil {
		t.Fatalf("%s has no digest", files[0])
	}
	return string(m[1])
}

// printedValue returns the printed value of the board, without the time.
func printedValue(t *testing.T, _, stdout string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\dx\d: \S+ for player 1, proved\. .*$`).FindString(stdout)
	if m == "" {
		t.Fatalf("no value in %q", stdout)
	}
	return m
}

func printedDigest(t *testing.T, _, stdout string) string {
	t.Helper()
	m := regexp.MustCompile(`"digest":"([0-9a-f]{64})"`).FindString(stdout)
	if m == "" {
		t.Fatalf("no digest in %q", stdout)
	}
	return m
}

// soundBook checks the grown book. Its estimates depend on the clock, so only its size and
// soundness are compared.
func soundBook(t *testing.T, dir, _ string) string {
	t.Helper()
	out, err := process(t, dir, "book", "check", "circuitwars", "--board", "5x5").CombinedOutput()
	if err != nil {
		t.Fatalf("book check: %v: %s", err, out)
	}
	text, err := process(t, dir, "book", "export", "circuitwars", "--board", "5x5").Output()
	if err != nil {
		t.Fatalf("book export: %v", err)
	}
	n := bookSize(t, string(text))
	return fmt.Sprintf("at least 4 positions: %t", n >= 4)
}

// bookSize returns the number of positions of an exported book.
func bookSize(t *testing.T, export string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^nodes (\d+)$`).FindStringSubmatch(export)
	if m == nil {
		t.Fatalf("no number of positions in %.200q", export)
	}
	n, err := strconv.Atoi(m[1])
	testenv.OK(t, err)
	if got := strings.Count(export, " visits="); got != n {
		t.Fatalf("%d positions exported, the book says %d", got, n)
	}
	return n
}

// process returns a run of this program with dir as store and working directory.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command("endwise", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "ENDWISE_STORE="+dir)
	return c
}

// undisturbed returns the result of an undisturbed run and the time that it took.
func (c *crashCase) undisturbed(t *testing.T) (string, time.Duration) {
	t.Helper()
	c.known.Lock()
	defer c.known.Unlock()
	if c.known.result == "" {
		dir, start := t.TempDir(), time.Now()
		c.known.result = c.finish(t, dir)
		c.known.took = time.Since(start)
	}
	return c.known.result, c.known.took
}

// writes returns the number of writing calls of an undisturbed run.
func (c *crashCase) writes(t *testing.T) int {
	t.Helper()
	c.known.Lock()
	defer c.known.Unlock()
	if c.known.writes == 0 {
		calls, end, _, errs := c.under(t, t.TempDir(), disturbance{})
		if calls == 0 || end.ExitStatus() != exitOK {
			t.Fatalf("%d calls that write, the end is %v: %s", calls, end, ending(errs))
		}
		c.known.writes = calls
	}
	return c.known.writes
}

// finish runs the case to its end, which must be successful.
func (c *crashCase) finish(t *testing.T, dir string) string {
	t.Helper()
	out, errs, err := c.run(t, dir)
	if err != nil {
		t.Fatalf("%q: %v: %s", c.args, err, ending(errs))
	}
	return c.result(t, dir, out)
}

// run runs the case and returns its output.
func (c *crashCase) run(t *testing.T, dir string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := process(t, dir, c.args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func ending(s string) string { return s[max(0, len(s)-2000):] }

// deepCount returns deep if ENDWISE_DEEP is set, otherwise short.
func deepCount(short, deep int) int {
	if testenv.Deep() {
		return deep
	}
	return short
}

// Every kind of work is killed at random moments until it ends by itself. The result is
// that of an undisturbed run. With ENDWISE_DEEP each kind is killed 200 times.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	want := deepCount(2, 200)
	killedAtRandom.meet(t, func(t *testing.T, c *crashCase) {
		result, took := c.undisturbed(t)
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 0))
		for kills := 0; kills < want; {
			dir := t.TempDir()
			for done := false; !done; {
				cmd := process(t, dir, c.args...)
				testenv.OK(t, cmd.Start())
				timer := time.AfterFunc(time.Duration(rng.Float64()*1.2*float64(took)), func() { _ = cmd.Process.Kill() })
				err := cmd.Wait()
				timer.Stop()
				switch {
				case err == nil:
					done = true
				case killed(err):
					kills++
				default:
					t.Fatalf("seed %d, after %d kills: %v", seed, kills, err)
				}
			}
			if got := c.finish(t, dir); got != result {
				t.Fatalf("seed %d, after %d kills: %s, undisturbed %s", seed, kills, got, result)
			}
		}
		t.Logf("%d kills or more, an undisturbed run takes %v", want, took.Round(time.Millisecond))
	})
}

func killed(err error) bool {
	exit, ok := err.(*exec.ExitError)
	return ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// Every kind of work is killed immediately before a writing call: between a shard's data
// and its rename, between the rename and the sync of the directory, while a table is put in
// place. With ENDWISE_DEEP it is killed at every such call, otherwise at one.
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	testDisturbed(t, killedAtWrite, func(n int) disturbance { return disturbance{n: n, kill: true} })
}

// A writing call that fails, as on a full or broken disk, is an error of one sentence, and
// the same command resumes afterwards.
func TestFailsAtEveryWrite(t *testing.T) {
	t.Parallel()
	testDisturbed(t, failedWrite, func(n int) disturbance {
		return disturbance{n: n, errno: []syscall.Errno{syscall.ENOSPC, syscall.EIO}[n%2]}
	})
}

func testDisturbed(t *testing.T, kind disturbances, at func(n int) disturbance) {
	kind.meet(t, func(t *testing.T, c *crashCase) {
		result, _ := c.undisturbed(t)
		calls := c.writes(t)
		todo := rand.Perm(calls)[:min(calls, deepCount(1, calls))]
		failed := 0
		for _, n := range todo {
			d, dir := at(n+1), t.TempDir()
			_, end, _, errs := c.under(t, dir, d)
			switch {
			case end.Exited() && end.ExitStatus() == exitOK: // the failure was harmless, or came after the end
			case d.kill && end.Signal() == syscall.SIGKILL:
				failed++
			case !d.kill && end.Exited() && end.ExitStatus() == exitFailure && saysWhy(errs):
				failed++
			default:
				t.Errorf("%v of %d: the end is %v: %s", d, calls, end, ending(errs))
			}
			if got := c.finish(t, dir); got != result {
				t.Errorf("%v of %d: %s, undisturbed %s", d, calls, got, result)
			}
		}
		t.Logf("%d calls that write, %d disturbed, %d of them ended the run", calls, len(todo), failed)
	})
}

// under runs the case with a disturbance and returns its status and its output.
func (c *crashCase) under(t *testing.T, dir string, d disturbance) (calls int, end syscall.WaitStatus, out, errs string) {
	t.Helper()
	cmd := process(t, dir, c.args...)
	stdout, stderr := textFile(t), textFile(t)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	calls, end = traced(t, cmd, d)
	return calls, end, textOf(t, stdout), textOf(t, stderr)
}

// textFile returns an empty file for the output of a process.
func textFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "said"))
	testenv.OK(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func textOf(t *testing.T, f *os.File) string {
	t.Helper()
	text := testenv.ReadFile(t, f.Name())
	return string(text)
}

// With too little disk space, in steps up to enough, the command fails with a sentence, and
// resumes when there is space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	fullDisk.meet(t, func(t *testing.T, c *crashCase) {
		result, _ := c.undisturbed(t)
		dir := smallDisk(t, "4k")
		kilobytes := 4
		for failures := 0; ; kilobytes += max(kilobytes/deepCount(1, 8), 4) {
			testenv.OK(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, fmt.Sprintf("size=%dk", kilobytes)))
			out, errs, err := c.run(t, dir)
			if err == nil {
				if got := c.result(t, dir, out); got != result {
					t.Errorf("%d KB, after %d failures: %s, undisturbed %s", kilobytes, failures, got, result)
				}
				t.Logf("%d failures, enough at %d KB", failures, kilobytes)
				return
			}
			failures++
			last := lastLine(errs)
			if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitFailure || !strings.HasPrefix(last, "endwise: ") {
				t.Fatalf("%d KB: %v: %s", kilobytes, err, ending(errs))
			}
			if !strings.Contains(last, "no space left") && !strings.Contains(last, "no room") {
				t.Errorf("%d KB: the last line %q does not say that there is no room", kilobytes, last)
			}
		}
	})
}

// smallDisk mounts a file system in memory; it skips the test if that is not permitted.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no small disk: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// saysWhy reports whether a failed run ended with a sentence.
func saysWhy(errs string) bool { return strings.HasPrefix(lastLine(errs), "endwise: ") }

func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// A store that is read-only, is not a directory, or disappears during the run is an error
// of one sentence.
func TestStoreThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	lostStore.meet(t, func(t *testing.T, c *crashCase) {
		t.Run("read-only", func(t *testing.T) {
			dir := smallDisk(t, "1m")
			testenv.OK(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
			if _, errs, err := c.run(t, dir); !fails(err, errs) || !strings.Contains(lastLine(errs), "read-only file system") {
				t.Errorf("%v: %s", err, ending(errs))
			}
		})
		t.Run("removed", func(t *testing.T) {
			result, took := c.undisturbed(t)
			dir := filepath.Join(t.TempDir(), "store")
			testenv.OK(t, os.Mkdir(dir, 0o755))
			cmd := process(t, dir, c.args...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			testenv.OK(t, cmd.Start())
			ctx, cancel := context.WithTimeout(t.Context(), took/3)
			<-ctx.Done()
			cancel()
			// The command may write to it during the removal.
			for os.RemoveAll(dir) != nil {
			}
			if err := cmd.Wait(); err != nil && !fails(err, errs.String()) {
				t.Errorf("%v: %s", err, ending(errs.String()))
			}
			// Anything written after the removal does not prevent a complete run.
			testenv.OK(t, os.MkdirAll(dir, 0o755))
			if got := c.finish(t, dir); got != result {
				t.Errorf("begun anew: %s, undisturbed %s", got, result)
			}
		})
	})
}

// fails reports whether a run failed with its exit code and a sentence.
func fails(err error, errs string) bool {
	exit, ok := err.(*exec.ExitError)
	return ok && (exit.ExitCode() == exitFailure || exit.ExitCode() == exitBadInput) && saysWhy(errs)
}
