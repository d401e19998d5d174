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

func newSiteCmd(a *cli.App) *cobra.Command {
	var programOnly bool
	c := &cobra.Command{
		Use:   "site DIR",
		Short: "Write the pages as a static web site",
		Long: `Writes the pages of serve as static files, with the rules, solvers and searches
compiled to WebAssembly, the opening books and the smallest tables of the store, at
most 4 MB for a visit. Any web server can serve them, under any path. Once loaded they
work without a network, and they send nothing anywhere.

DIR is written completely or not at all. An earlier site in DIR is replaced; any
other directory that is not empty is refused. A released program contains what it
needs; built from a clone it runs the go command, inside the clone.`,
		Example: "  endwise site public",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, omitted, err := siteFiles(cmd.Context(), a, programOnly)
			if err != nil {
				return err
			}
			if err := writeSite(args[0], files); err != nil {
				return err
			}
			total := 0
			for _, data := range files {
				total += len(data)
			}
			fmt.Fprintf(a.Stdout, "%s: %d files, %.1f MB\n", args[0], len(files), float64(total)/1e6)
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

// siteFiles returns the files of the site by path or, with programOnly, those of siteProgram by name.
// omitted names the tables and books that do not fit.
func siteFiles(ctx context.Context, a *cli.App, programOnly bool) (files map[string][]byte, omitted []string, err error) {
	program, err := siteProgram(ctx)
	if err != nil || programOnly {
		return program, nil, err
	}
	tables, omitted, err := siteTables(ctx, a.Games, a.StoreIfAny(), maxSiteTables-len(program[web.ProgramFile]))
	if err != nil {
		return nil, nil, err
	}
	files, err = web.Static(a.Games.Web(), program[web.ProgramFile], program[web.RuntimeFile], tables)
	return files, omitted, err
}

const programPackage = "endwise/cmd/endwise/web/program"

// siteProgram returns the files of the WebAssembly program by name. It compiles the program unless
// this binary contains it.
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
		return nil, errors.New("this endwise does not contain the program for the pages: " +
			"use a released one, or run this in a clone, where the go command builds it")
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
	return map[string][]byte{web.ProgramFile: gzipped(program), web.RuntimeFile: runtime}, err
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	w.Write(data)
	w.Close()
	return b.Bytes()
}

const (
	// maxSiteTables is the maximum size in bytes of the program and the tables, compressed. The pages
	// have the rest of 4 MB.
	maxSiteTables = 3_600_000
	// maxPacked is the maximum size in bytes of a proof, or of the files of a table or book in the store.
	maxPacked = 4 << 20
)

// sitePacker compresses the files that the program of the site reads.
type sitePacker struct {
	work    string
	room    int                          // bytes left of maxSiteTables
	out     map[string]map[string][]byte // contents by game and file
	read    map[string]bool              // names of the tables and books so far, omitted ones included
	omitted []string                     // names of those that do not fit
}

// siteTables returns the compressed proofs, tables and books that the program reads, by game and file:
// the embedded proofs, the store dir, smaller tables first, and the embedded books that dir does not
// have. omitted names the tables and books that do not fit.
func siteTables(ctx context.Context, games cli.Games, dir string, room int) (
	out map[string]map[string][]byte, omitted []string, err error,
) {
	work, err := os.MkdirTemp("", "endwise-site-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(work)
	p := &sitePacker{work, room, map[string]map[string][]byte{}, map[string]bool{}, nil}
	for _, g := range games {
		proofs := map[string][]byte{}
		for _, board := range data.ProvedBoards(g.Name()) {
			if proof := data.Proof(g.Name(), board); len(proof) <= maxPacked {
				small := gzipped([]byte(proof))
				proofs[g.Name()+"-"+board+".proof"] = small
				p.room -= len(small)
			}
		}
		p.out[g.Name()] = proofs
	}
	if err := p.packStore(ctx, dir); err != nil {
		return nil, nil, err
	}
	for _, g := range games {
		if err := p.packEmbeddedBooks(ctx, g.Name()); err != nil {
			return nil, nil, err
		}
	}
	return p.out, p.omitted, nil
}

// packStore packs the tables and books in the store dir, smaller ones first.
func (p *sitePacker) packStore(ctx context.Context, dir string) error {
	list, err := store.List(dir)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(l store.Listing) bool { return l.Header == nil || p.out[l.Header.Game] == nil })
	slices.SortStableFunc(list, func(a, b store.Listing) int { return cmp.Compare(a.Header.Bytes(), b.Header.Bytes()) })
	for _, l := range list {
		if l.Header.Bytes() > maxPacked {
			p.omitted = append(p.omitted, filepath.Base(l.Path))
		} else if err := p.packTable(ctx, l.Path); err != nil {
			return err
		}
	}
	return nil
}

// packEmbeddedBooks packs the embedded books of a game except those that were read from the store.
func (p *sitePacker) packEmbeddedBooks(ctx context.Context, game string) error {
	names, err := opening.StarterBooks(data.Books(), game)
	if err != nil {
		return err
	}
	for _, name := range slices.DeleteFunc(names, func(n string) bool { return p.read[n] }) {
		path, err := opening.Unpack(data.Books(), name, filepath.Join(p.work, "unpacked"))
		if err == nil {
			err = p.packTable(ctx, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packTable packs a table or book if there is room for it, otherwise it adds its name to omitted.
func (p *sitePacker) packTable(ctx context.Context, path string) error {
	name := filepath.Base(path)
	t, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	defer t.Close()
	to := filepath.Join(p.work, name)
	if err := t.WriteOneFile(ctx, to); err != nil {
		return err
	}
	files, size := map[string][]byte{}, 0
	for _, file := range store.OneFileNames {
		data, err := os.ReadFile(filepath.Join(to, file))
		if err != nil {
			return err
		}
		files[name+"/"+file] = gzipped(data)
		size += len(files[name+"/"+file])
	}
	p.read[name] = true
	if size > p.room {
		p.omitted = append(p.omitted, name)
		return nil
	}
	p.room -= size
	maps.Copy(p.out[t.Header().Game], files)
	return nil
}

// writeSite writes files, by slash-separated path, into dir, and replaces an earlier site there. If dir
// has other contents, writeSite returns an error.
func writeSite(dir string, files map[string][]byte) error {
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return cli.BadInput(err)
	}
	_, err = os.Stat(filepath.Join(dir, "web", web.ProgramFile))
	if isSite := err == nil; len(names) > 0 && !isSite {
		return cli.BadInput(fmt.Errorf("%s has other contents: name a new or empty directory, or an earlier site", dir))
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
