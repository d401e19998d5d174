package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// TestKilledBuild kills a real process that builds a table again and again at random
// moments, and expects the digest of an uninterrupted build.
func TestKilledBuild(t *testing.T) {
	self, err := os.Executable()
	testenv.OK(t, err)
	for _, kind := range []string{"dense", "sparse"} {
		t.Run(kind, func(t *testing.T) {
			var want string
			if kind == "dense" {
				want = buildDense(t, t.TempDir(), childValues, true).SHA256
			} else {
				want = buildSparse(t, t.TempDir(), childShards, 64, childEntries).SHA256
			}
			dir := t.TempDir()
			r := rand.New(rand.NewPCG(11, uint64(time.Now().UnixNano())))
			kills := 0
			for {
				cmd := exec.Command(self, "-test.run=^TestBuilderProcess$")
				cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+kind, "STORE_TEST_DIR="+dir)
				out, err := cmd.StdoutPipe()
				testenv.OK(t, err)
				var steps, said bytes.Buffer
				cmd.Stderr = &said
				testenv.OK(t, cmd.Start())
				// Wait for a random number of steps, then for a random time; the output
				// ends when the process is finished.
				if kills < 20 {
					io.CopyN(&steps, out, 1+r.Int64N(8))
					time.Sleep(time.Duration(r.IntN(4000)) * time.Microsecond)
					cmd.Process.Kill()
				}
				io.Copy(&steps, out)
				err = cmd.Wait()
				if err == nil {
					break
				}
				if cmd.ProcessState.Exited() {
					t.Fatalf("after %d kills: %v: %s%s", kills, err, &steps, &said)
				}
				kills++
			}
			if kills == 0 {
				t.Error("no process was killed")
			}
			h, err := ReadHeader(filepath.Join(dir, kind))
			testenv.OK(t, err)
			if h.SHA256 != want {
				t.Errorf("digest after %d kills %s, want %s", kills, h.SHA256, want)
			}
			noProblems(t, openTest(t, filepath.Join(dir, kind)))
		})
	}
}

const (
	childValues  = 64 * 3 * 30 // 30 shards
	childEntries = 3000
	childShards  = 30
)

// TestBuilderProcess is the process that TestKilledBuild kills; it writes a byte for each
// step.
func TestBuilderProcess(t *testing.T) {
	kind, dir := os.Getenv("STORE_TEST_CHILD"), os.Getenv("STORE_TEST_DIR")
	if kind == "" {
		return // not started by TestKilledBuild
	}
	step := func() { os.Stdout.Write([]byte{'.'}) }
	spec := denseSpec(childValues, true)
	if kind == "sparse" {
		spec = sparseSpec(childShards, 64)
	}
	b, err := Create(dir, spec)
	if errors.As(err, new(*ExistsError)) {
		return
	}
	testenv.OK(t, err)
	for _, i := range b.Pending() {
		if kind == "dense" {
			err = writeDenseShard(b, i)
		} else {
			err = writeSparseShard(b, i, childEntries)
		}
		testenv.OK(t, err)
		step()
	}
	_, err = b.Finish(context.Background(), FinishOptions{
		Progress: func(uint64) { step() },
		Verify:   func(context.Context, *Table) (uint64, error) { step(); return 0, nil },
	})
	testenv.OK(t, err)
}
