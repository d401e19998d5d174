package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book/store"
	"endwise/cmd/endwise/cli"
)

// finding is the result of one check.
type finding struct {
	what  string
	state string // "ok", "wrong", or "note" for something that does not prevent work
	text  string
}

func newDoctorCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the machine, the store, the ports and helper programs",
		Long: `Checks everything that a competition or a long run depends on and prints a line
about each: the cores, free memory and wake-up delay of this machine, the store and
every table in it (versions and the checksums that are read on opening; endwise
verify reads everything), growing and published books, the usual ports, and the
programs that some commands and tests use. It changes nothing.

Exit code 1 if a line is marked "wrong", else 0; a "note" does not prevent work.`,
		Example: "  endwise doctor",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			all := examine(a.Games, a.StoreIfAny())
			wrong := 0
			for _, f := range all {
				if f.state == "wrong" {
					wrong++
				}
				fmt.Fprintf(a.Stdout, "%-5s  %-18s %s\n", f.state, f.what, f.text)
			}
			if wrong > 0 {
				return fmt.Errorf("doctor: %d of %d things are wrong", wrong, len(all))
			}
			return nil
		},
	}
}

func examine(games cli.Games, dir string) []finding {
	all := []finding{computer(), wakeDelay(), storeDirectory(dir)}
	if dir != "" {
		all = append(all, tablesOf(games, dir)...)
		all = append(all, growingBooks(games, dir)...)
	}
	ports := []cli.PortUse{{Port: "8080", What: "serve"}}
	for _, g := range games {
		ports = append(ports, g.Ports...)
	}
	slices.SortFunc(ports, func(p, q cli.PortUse) int { return strings.Compare(p.Port, q.Port) })
	for _, p := range ports {
		all = append(all, port(p.Port, p.What))
	}
	return append(all,
		python(),
		installed("chromium", "the tests of the pages", "chromium", "chromium-browser", "google-chrome"))
}

func computer() finding {
	n := cli.Processors
	text := fmt.Sprintf("%s, %s %s/%s", cli.Count(n, "core"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if free := cli.AvailableMemory(); free > 0 {
		text += fmt.Sprintf(", %d MB of memory are free", free>>20)
		if free < 512<<20 {
			return finding{"machine", "note", text + ": choose a small --hash"}
		}
	}
	return finding{"machine", "ok", text}
}

func wakeDelay() finding {
	worst := time.Duration(0)
	for range 100 {
		start := time.Now()
		time.Sleep(time.Millisecond)
		worst = max(worst, time.Since(start)-time.Millisecond)
	}
	f := finding{"clock", "ok", fmt.Sprintf("a sleeping program is woken at most %v late", worst.Round(100*time.Microsecond))}
	if worst > 20*time.Millisecond {
		f.state = "note"
		f.text += ": the machine is busy; end other programs before a competition, or give bots a larger --overhead"
	}
	return f
}

func storeDirectory(dir string) finding {
	if dir == "" {
		return finding{"store", "note", "there is none; name a directory with --store or ENDWISE_STORE"}
	}
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{"store", "note", dir + ": does not exist yet; endwise build creates it"}
	case err != nil:
		return finding{"store", "wrong", err.Error() + "; name another directory with --store or ENDWISE_STORE"}
	case !st.IsDir():
		return finding{"store", "wrong", dir + ": is not a directory; name another one with --store or ENDWISE_STORE"}
	}
	t, err := os.CreateTemp(dir, "doctor-*.tmp")
	if err != nil {
		return finding{"store", "note", fmt.Sprintf("%s: is read-only (%v): bots can use it, but to solve "+
			"tables or grow books, name another directory with --store", dir, errors.Unwrap(err))}
	}
	t.Close()
	if err := os.Remove(t.Name()); err != nil {
		return finding{"store", "wrong", err.Error()}
	}
	return finding{"store", "ok", dir}
}

func tablesOf(games cli.Games, dir string) []finding {
	list, err := store.List(dir)
	if err != nil {
		return []finding{{"tables", "wrong", err.Error()}}
	}
	var out []finding
	var tables, books int
	var bytes uint64
	for _, l := range list {
		if l.Building && l.Err == nil {
			out = append(out, finding{"table", "note",
				fmt.Sprintf("%s: unfinished, %d of %d parts; the same solve command resumes", l.Name, l.ShardsDone, l.ShardsTotal)})
			continue
		}
		err := l.Err
		if err == nil {
			err = games.Book().CheckVersion(l.Path, l.Header)
		}
		if err == nil {
			var t *store.Table
			if t, err = store.Open(l.Path, store.Options{CacheBytes: -1}); err == nil {
				err = t.Close()
			}
		}
		if err != nil {
			out = append(out, finding{"table", "wrong",
				err.Error() + "; remove that directory and solve or publish it again; endwise verify lists all problems"})
			continue
		}
		if strings.HasPrefix(l.Name, "opening-") {
			books++
		} else {
			tables++
		}
		bytes += l.Header.Bytes()
	}
	if tables+books == 0 {
		return append(out, finding{"tables", "note", "none; endwise build solves the starter tables in a minute"})
	}
	return append(out, finding{"tables", "ok",
		fmt.Sprintf("%s and %s of the store can be opened, %d KB; endwise verify checks their contents, and the built-in books", cli.Count(tables, "table"), cli.Count(books, "published book"), bytes>>10)})
}

func growingBooks(games cli.Games, dir string) []finding {
	books, err := workingBooks(games, dir)
	if err != nil {
		return []finding{{"books", "wrong", err.Error()}}
	}
	if len(books) == 0 {
		return []finding{{"books", "ok", "no growing book"}}
	}
	var out []finding
	for _, b := range books {
		if b.Err != nil {
			out = append(out, finding{"book", "wrong", b.Err.Error() + "; try endwise book check --fix"})
			continue
		}
		out = append(out, finding{"book", "ok", fmt.Sprintf("%s: %s", b.Path, cli.Count(b.Counts.Positions, "position"))})
	}
	return out
}

func port(number, command string) finding {
	ln, err := net.Listen("tcp", "127.0.0.1:"+number)
	if err != nil {
		return finding{"port " + number, "note", fmt.Sprintf("taken: %s needs another one (--addr), or runs already", command)}
	}
	ln.Close()
	return finding{"port " + number, "ok", "free, for " + command}
}

func python() finding {
	f := installed("python3", "py: players, game_ai.py and the referee's shim", "python3")
	if f.state != "ok" {
		return f
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
	c.WaitDelay = time.Second
	out, err := c.Output()
	version := strings.TrimSpace(string(out))
	var major, minor int
	_, unreadable := fmt.Sscanf(version, "%d.%d", &major, &minor)
	switch {
	case err != nil || unreadable != nil:
		f.state, f.text = "wrong", fmt.Sprintf("%s does not start (%v): mend or reinstall it", f.text, err)
	case major < 3 || major == 3 && minor < 5:
		f.state, f.text = "wrong", fmt.Sprintf("%s is version %s: want 3.5 or newer", f.text, version)
	default:
		f.text = fmt.Sprintf("version %s, %s", version, f.text)
	}
	return f
}

// installed looks for one of the binaries on the PATH. users names what needs it.
func installed(name, users string, binaries ...string) finding {
	for _, b := range binaries {
		if path, err := exec.LookPath(b); err == nil {
			return finding{name, "ok", path + ", for " + users}
		}
	}
	return finding{name, "note", "not found; only " + users + " need it: install it, or do without"}
}
