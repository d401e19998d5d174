package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/data"
)

// newSiteCmd returns the command site, which writes the pages as static files with this
// program compiled to WebAssembly.
func newSiteCmd(a *cli.App) *cobra.Command {
	var programOnly bool
	c := &cobra.Command{
		Use:   "site DIR",
		Short: "Write the pages as a static web site",
		Long: `Writes the pages of serve as static files, with the rules, solvers and searches
compiled to WebAssembly, the opening books and the smallest tables of the store, 4 MB
in all. Any web server can serve them, under any path. Once loaded they work without a
network, and they send nothing anywhere.

DIR is written completely or not at all. An earlier site in DIR is replaced; any
other directory that is not empty is refused. A released program contains what it
needs; built from a clone it runs the go command, inside the clone.`,
		Example: "  endwise site public",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			files, err := siteProgram(cmd.Context())
			if err != nil {
				return err
			}
			var omitted []string
			if !programOnly {
				var parts map[string]map[string][]byte
				if parts, omitted, err = siteTables(cmd.Context(), a.Games, a.StoreIfAny(), maxSiteTables-len(files[web.ProgramFile])); err != nil {
					return err
				}
				if files, err = web.Static(a.Games.Web(), files[web.ProgramFile], files[web.RuntimeFile], parts); err != nil {
					return err
				}
			}
			if err := writeSite(rest[0], files); err != nil {
				return err
			}
			total := 0
			for _, data := range files {
				total += len(data)
			}
			fmt.Fprintf(a.Stdout, "%s: %d files, %.1f MB\n", rest[0], len(files), float64(total)/1e6)
			if len(omitted) > 0 {
				fmt.Fprintf(a.Stdout, "omitted, because a visit loads at most 4 MB: %s\n", strings.Join(omitted, ", "))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&programOnly, "program", false, "write nothing but the compiled program, for a release to contain")
	c.Flags().Lookup("program").Hidden = true
	return c
}

// programPackage is compiled if this binary does not contain the program.
const programPackage = "endwise/cmd/endwise/web/program"

// siteProgram returns the compiled program, compressed, and the script that runs it.
func siteProgram(ctx context.Context) (map[string][]byte, error) {
	if built := web.Built(); built != nil {
		return built, nil
	}
	work, err := os.MkdirTemp("", "endwise-site-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	file := filepath.Join(work, "program")
	// Inlining is worth its size in the searches only.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=",
		"-gcflags=all=-l", "-gcflags=endwise/solver/...=", "-o", file, programPackage)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	list := exec.CommandContext(ctx, "go", "list", programPackage)
	list.Env = build.Env
	if list.Run() != nil {
		return nil, errors.New("this endwise has no page program inside: take a released one, or run this inside a clone, where the go command makes it")
	}
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the page program: %w: %s", err, strings.TrimSpace(string(out)))
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	runtime, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", web.RuntimeFile))
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{web.ProgramFile: zipped(program), web.RuntimeFile: runtime}, nil
}

// zipped compresses data by gzip.
func zipped(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	w.Write(data)                                         // a buffer accepts everything
	w.Close()
	return b.Bytes()
}

const (
	// maxSiteTables is the maximum size in bytes of the program and the tables together. The
	// pages have the rest of the 4 MB that a first visit may load.
	maxSiteTables = 3_600_000
	// maxPacked is the maximum size in bytes of a table or proof that is packed at all.
	maxPacked = 4 << 20
)

// siteTables packs the files that the WebAssembly program reads, by game and compressed: the
// embedded proofs and books, and the tables and books of the store, smaller ones first, up
// to room bytes. omitted names those of the store without room.
func siteTables(ctx context.Context, games cli.Games, dir string, room int) (out map[string]map[string][]byte, omitted []string, err error) {
	work, err := os.MkdirTemp("", "endwise-site-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(work)
	out = map[string]map[string][]byte{}
	packed := map[string]bool{}
	pack := func(path string) error {
		name := filepath.Base(path)
		t, err := store.Open(path, store.Options{})
		if err != nil {
			return err
		}
		defer t.Close()
		to := filepath.Join(work, name)
		if err := t.WriteOneFile(ctx, to); err != nil {
			return err
		}
		parts, size := map[string][]byte{}, 0
		for _, file := range store.OneFileNames {
			data, err := os.ReadFile(filepath.Join(to, file))
			if err != nil {
				return err
			}
			parts[name+"/"+file] = zipped(data)
			size += len(parts[name+"/"+file])
		}
		packed[name] = true
		if size > room {
			omitted = append(omitted, name)
			return nil
		}
		room -= size
		maps.Copy(out[t.Header().Game], parts)
		return nil
	}
	for _, g := range games {
		out[g.Name()] = map[string][]byte{}
		for _, board := range data.ProvedBoards(g.Name()) {
			if proof := data.Proof(g.Name(), board); len(proof) <= maxPacked {
				small := zipped([]byte(proof))
				out[g.Name()][g.Name()+"-"+board+".proof"] = small
				room -= len(small)
			}
		}
	}
	listed, err := store.List(dir)
	if err != nil {
		return nil, nil, err
	}
	listed = slices.DeleteFunc(listed, func(l store.Listing) bool { return l.Header == nil || out[l.Header.Game] == nil })
	slices.SortStableFunc(listed, func(a, b store.Listing) int { return cmp.Compare(a.Header.Bytes(), b.Header.Bytes()) })
	for _, l := range listed {
		if l.Header.Bytes() > maxPacked {
			omitted = append(omitted, filepath.Base(l.Path))
		} else if err := pack(l.Path); err != nil {
			return nil, nil, err
		}
	}
	for _, g := range games {
		names, err := opening.StarterBooks(data.Books(), g.Name())
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			if packed[name] {
				continue
			}
			path, err := opening.Unpack(data.Books(), name, filepath.Join(work, "unpacked"))
			if err == nil {
				err = pack(path)
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return out, omitted, nil
}

// writeSite writes files into a directory, which appears completely or not at all.
func writeSite(dir string, files map[string][]byte) error {
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return cli.BadInput(err)
	}
	_, err = os.Stat(filepath.Join(dir, "web", web.ProgramFile))
	if ours := err == nil; len(names) > 0 && !ours {
		return cli.BadInput(fmt.Errorf("%s holds something else: name a new or an empty directory, or one that a site is in", dir))
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, ".endwise-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	fresh := filepath.Join(work, "site")
	for name, data := range files {
		path := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	old := filepath.Join(work, "old")
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		_ = os.Rename(old, dir) // the old site stays
		return err
	}
	return nil
}
