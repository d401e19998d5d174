package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"endwise/book/store"
	"endwise/book/store/build"
	"endwise/engine/disk"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// table writes a finished table of values that begin with first.
func table(t *testing.T, dir, name string, first uint8) *store.Header {
	t.Helper()
	b, err := build.Create(dir, store.Spec{Name: name, Title: name, Game: "example", Rules: 1, Solver: 1, Kind: store.Dense, Bits: 8, BlockValues: 8, Values: 8, ShardBlocks: 1})
	testenv.OK(t, err)
	w, err := b.Shard(0)
	testenv.OK(t, err)
	testenv.OK(t, errors.Join(w.PutBlock(0, []byte{first, 1, 2, 3, 4, 5, 6, 7}), w.Finish()))
	h, err := b.Finish(context.Background(), build.Options{})
	testenv.OK(t, err)
	return h
}

func write(t *testing.T, text string, names ...string) string {
	t.Helper()
	file := filepath.Join(names...)
	testenv.OK(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)))
	return file
}

// full is a store with everything, and its archive with results from elsewhere.
func full(t *testing.T) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	table(t, dir, "one", 9)
	write(t, "a book", dir, "books", "game-2x2", "book.journal")
	write(t, "", dir, "books", "game-2x2", "lock")
	write(t, "{}", dir, "two.building", "spec.json")
	write(t, "partial", dir, "game-value-4x4.journal")
	write(t, "shipped", dir, "starter", "opening", "table.json")
	r := make([]byte, 1<<20)
	for i := range r {
		r[i] = byte(rand.Uint32())
	}
	write(t, string(r), dir, "random", "bytes")
	results := write(t, "won\n", t.TempDir(), "spring.jsonl")
	file = filepath.Join(t.TempDir(), "store.pack")
	if _, err := Pack(t.Context(), dir, []string{results}, file, nil); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// states are what Unpack did, by name.
func states(t *testing.T, file, dir string) map[string]string {
	t.Helper()
	done, err := Unpack(t.Context(), file, dir, nil)
	testenv.OK(t, err)
	out := map[string]string{}
	for _, d := range done {
		out[d.Name] = d.State
	}
	return out
}

// What is packed is there again; what is there already stays as it is.
func TestPackAndUnpack(t *testing.T) {
	from, file := full(t)
	to := filepath.Join(t.TempDir(), "store")
	first := states(t, file, to)
	for name, text := range map[string]string{"books/game-2x2/book.journal": "a book", "two.building/spec.json": "{}", "game-value-4x4.journal": "partial", "results/spring.jsonl": "won\n"} {
		if got, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(name))); string(got) != text {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(to, "starter")); err == nil || len(first) != 6 {
		t.Errorf("%v; the shipped book: %v", first, err)
	}
	opened, err := store.Open(store.Dir(to, "one"), store.Options{})
	testenv.OK(t, err)
	defer opened.Close()
	if err := opened.Verify(t.Context(), func(err error) { t.Error(err) }, func(_, _ uint64) {}); err != nil {
		t.Error(err)
	}
	for name, state := range states(t, file, to) {
		if state != There {
			t.Errorf("again, %s: %s", name, state)
		}
	}
	testenv.OK(t, os.RemoveAll(store.Dir(from, "one")))
	table(t, from, "one", 8)
	testenv.OK(t, os.RemoveAll(filepath.Join(from, "two.building")))
	table(t, from, "two", 1)
	write(t, "another book", from, "books", "game-2x2", "book.journal")
	testenv.OK(t, os.Remove(filepath.Join(from, "game-value-4x4.journal")))
	got := states(t, file, from)
	for name, want := range map[string]string{"one": Kept, "two.building": Kept, "books/game-2x2": Kept, "game-value-4x4.journal": Added, "random": There} {
		if got[name] != want {
			t.Errorf("into another store, %s: %q, want %s", name, got[name], want)
		}
	}
	if h, err := store.ReadHeader(store.Dir(from, "one")); err != nil || h.SHA256 == opened.Header().SHA256 {
		t.Errorf("the table of the store was replaced (%v)", err)
	}
	if left, err := filepath.Glob(filepath.Join(to, unpackingPrefix+"*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v %v", left, err)
	}
	if _, err := Pack(t.Context(), from, nil, file, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file that is there: %v", err)
	}
}

// Of a file that is cut or damaged nothing is put in place, and the whole one
// goes on where that stopped.
func TestUnpackIsAllOrNothing(t *testing.T) {
	_, file := full(t)
	whole := testenv.ReadFile(t, file)
	to := t.TempDir()
	broken := filepath.Join(t.TempDir(), "broken.pack")
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 60 {
		harmed := bytes.Clone(whole)
		if n%2 == 0 {
			harmed = harmed[:r.IntN(len(whole)-1)]
		} else {
			harmed[r.IntN(len(harmed))] ^= 1 << r.IntN(8)
		}
		testenv.OK(t, os.WriteFile(broken, harmed, 0o644))
		_, err := Unpack(t.Context(), broken, to, nil)
		if n%2 == 1 && err == nil { // a bit that means nothing; the digests were right
			to = t.TempDir()
			continue
		}
		if !errors.Is(err, ErrDamaged) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("broken %d: %v", n, err)
		}
		if u, err := units(to); len(u) > 0 || err != nil {
			t.Fatalf("broken %d: %v is in place (%v)", n, u, err)
		}
	}
	for name, state := range states(t, file, to) {
		if state != Added {
			t.Errorf("%s: %s", name, state)
		}
	}
}

// Stopped anywhere, both go on to the same end.
func TestPackAndUnpackGoOn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		b := make([]byte, packMark/2+1)
		for i := range b {
			b[i] = byte(rand.Uint32())
		}
		write(t, string(b), dir, name)
	}
	file := filepath.Join(t.TempDir(), "store.pack")
	stop := func(bytes int64) context.Context { return testenv.Countdown(t.Context(), int(bytes>>20)) }
	if _, err := Pack(stop(7*packMark/2), dir, nil, file, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	if _, err := os.Stat(file + ".unfinished.point"); err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(t.Context(), dir, nil, file, nil); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if _, err := Unpack(stop(packMark), file, to, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	killUnpack(t, file, to)
	if u, err := units(to); len(u) > 0 || err != nil {
		t.Errorf("%v is in place (%v)", u, err)
	}
	if got := states(t, file, to); len(got) != 4 {
		t.Errorf("%v", got)
	}
	if diff, err := os.ReadFile(filepath.Join(to, "c")); err != nil || len(diff) != packMark/2+1 {
		t.Errorf("%d bytes (%v)", len(diff), err)
	}
}

// killUnpack kills a process that unpacks while it writes a file.
func killUnpack(t *testing.T, file, to string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestUnpackProcess$")
	cmd.Env = append(os.Environ(), "ARCHIVE_TEST_FILE="+file, "ARCHIVE_TEST_STORE="+to)
	testenv.OK(t, cmd.Start())
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		writing, err := filepath.Glob(filepath.Join(to, unpackingPrefix+"*", ".*.tmp"))
		if len(writing) > 0 {
			break
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatal("nothing is unpacked", err)
		}
	}
	testenv.OK(t, cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		t.Fatal("it ended before it was killed")
	}
}

// TestUnpackProcess is the process that is killed.
func TestUnpackProcess(t *testing.T) {
	if file := os.Getenv("ARCHIVE_TEST_FILE"); file != "" {
		if _, err := Unpack(t.Context(), file, os.Getenv("ARCHIVE_TEST_STORE"), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever writes to the store is named.
func TestAStoreInUseIsLeftAlone(t *testing.T) {
	dir, file := full(t)
	unlock, err := disk.Lock(filepath.Join(dir, "books", "game-2x2", "lock"))
	testenv.OK(t, err)
	defer unlock()
	if _, err := Pack(t.Context(), dir, nil, file+"2", nil); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "books/game-2x2, by process") {
		t.Errorf("pack: %v", err)
	}
	if _, err := Unpack(t.Context(), file, dir, nil); !errors.Is(err, ErrInUse) {
		t.Errorf("unpack: %v", err)
	}
}

// A hostile archive writes nothing outside of its place.
func TestHostileArchives(t *testing.T) {
	for _, m := range []Manifest{
		{Format: 2, Units: []Unit{{Name: "a", Files: []File{{Name: "a"}}}}},
		{Format: 1, Units: []Unit{{Name: "../a", Files: []File{{Name: "../a"}}}}},
		{Format: 1, Units: []Unit{{Name: "a", Files: []File{{Name: "a/../../b"}}}}},
		{Format: 1, Units: []Unit{{Name: "a", Files: []File{{Name: "b"}}}}},
		{Format: 1, Units: []Unit{{Name: "a", Files: []File{{Name: "a/b"}, {Name: "a/b"}}}}},
		{Format: 1, Units: []Unit{{Name: "starter", Files: []File{{Name: "starter/b"}}}}},
		{Format: 1, Units: []Unit{{Name: "/etc", Files: []File{{Name: "/etc/b"}}}}},
		{Format: 1, Units: []Unit{{Name: "a", Files: []File{{Name: "a", Size: -1}}}}},
		{Format: 1, Units: []Unit{{Name: "a", Files: []File{{Name: "a", Size: 1 << 60}}}}},
	} {
		data, err := json.Marshal(m)
		testenv.OK(t, err)
		var out bytes.Buffer
		enc, err := zstd.NewWriter(&out)
		testenv.OK(t, err)
		tw := tar.NewWriter(enc)
		testenv.OK(t, tw.WriteHeader(&tar.Header{Name: manifestName, Size: int64(len(data)), Mode: 0o644}))
		if _, err := tw.Write(data); err != nil {
			t.Fatal(err)
		}
		testenv.OK(t, errors.Join(tw.Close(), enc.Close()))
		root := t.TempDir()
		file := write(t, out.String(), root, "hostile.pack")
		if _, err := Unpack(t.Context(), file, filepath.Join(root, "store"), nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", data, err)
		}
	}
}
