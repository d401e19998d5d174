package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/engine/disk"
)

// computed are the figures that do not depend on the machine. They are kept in
// data/results/computed.json; go test works those again that are not long.
type computed struct {
	Values []computedValue `json:"values"`
	Tables []computedTable `json:"tables"`
}

type computedValue struct {
	Title string `json:"game"`
	Board string `json:"board"`
	Value int    `json:"value"`
	Work  uint64 `json:"work"`
}

type computedTable struct {
	Command   string `json:"command"`
	Positions uint64 `json:"positions"`
	SHA256    string `json:"sha256"`
}

// measured is a figure that a machine gave once, with what it takes to judge
// it. The records are in data/results/measured.json, written by people.
type measured struct {
	Block   string `json:"block"`   // the block of the README it belongs to
	What    string `json:"what"`    // what was measured
	Figure  string `json:"figure"`  // the figure
	Unit    string `json:"unit"`    // and what it counts
	Error   string `json:"error"`   // 95 % interval or spread, "" where there is none
	Command string `json:"command"` // how to measure it again
	Date    string `json:"date"`    // year-month-day
	Machine string `json:"machine"`
	Load    string `json:"load"`
}

// The files of the results, below the repository's root.
const (
	computedFile = "data/results/computed.json"
	measuredFile = "data/results/measured.json"
	readmeFile   = "README.md"
)

func newBenchResultsCmd(a *cli.App) *cobra.Command {
	var long, dry bool
	c := &cobra.Command{
		Use:   "results [DIR]",
		Short: "Bring the tables of results in the README up to date",
		Long: `Works out again what does not depend on the machine (values of boards and how
many positions it took, digests of tables), keeps it in
` + computedFile + `, and writes the README's tables between their markers
from that file and from the records of measurements in ` + measuredFile + `.
DIR is the root of the repository, this directory if not given.

Boards and tables that take long keep their figures without --long. With --dry-run
nothing is written, and the exit code is 1 where something differs.`,
		Example: "  endwise bench results\n  endwise bench results --long\n  endwise bench results --dry-run",
		Args:    cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			root := "."
			if len(rest) > 0 {
				root = rest[0]
			}
			return benchResults(cmd.Context(), a, root, long, dry)
		},
	}
	c.Flags().BoolVar(&long, "long", false, "work out the long ones too: minutes")
	c.Flags().BoolVar(&dry, "dry-run", false, "write nothing, say what differs")
	return c
}

func benchResults(ctx context.Context, a *cli.App, root string, long, dry bool) error {
	var old computed
	var records []measured
	for file, into := range map[string]any{computedFile: &old, measuredFile: &records} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return cli.BadInput(fmt.Errorf("%w; DIR is the root of the repository", err))
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			return cli.BadInput(fmt.Errorf("%s: %w", file, err))
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, readmeFile))
	if err != nil {
		return cli.BadInput(err)
	}
	now, err := compute(ctx, a, old, long)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	page, err := fillBlocks(string(readme), blocks(now, records))
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", readmeFile, err))
	}
	var wrong []string
	for file, want := range map[string]string{computedFile: string(text), readmeFile: page} {
		have, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		if string(have) == want {
			continue
		}
		if dry {
			wrong = append(wrong, file)
			continue
		}
		if err := disk.WriteFile(filepath.Join(root, file), 0o644, disk.Bytes([]byte(want))); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s: brought up to date\n", file)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("out of date: %s; run endwise bench results, with --long where a search has changed", strings.Join(wrong, ", "))
	}
	fmt.Fprintln(a.Stdout, "the results are up to date")
	return nil
}

// compute works the figures out; long ones only on demand, else they are those
// of old.
func compute(ctx context.Context, a *cli.App, old computed, long bool) (computed, error) {
	var now computed
	for _, g := range cli.Games {
		for _, v := range g.Values {
			c := computedValue{Title: g.Title(), Board: v.Board}
			known := false
			for _, o := range old.Values {
				if v.Long && !long && o.Title == c.Title && o.Board == c.Board {
					c, known = o, true
				}
			}
			if !known {
				var err error
				if c.Value, c.Work, err = v.Solve(ctx, v.Board); err != nil {
					return now, fmt.Errorf("value of %s %s: %w", g.Name(), v.Board, err)
				}
			}
			now.Values = append(now.Values, c)
		}
		for _, s := range g.Starters {
			c, err := computeTable(ctx, a, append([]string{"solve", g.Name()}, s.Flags...), old, long)
			if err != nil {
				return now, err
			}
			now.Tables = append(now.Tables, c)
		}
	}
	return now, nil
}

// computeTable solves a starter table; TestScripts and endwise build do so
// too, so that it counts as long here.
func computeTable(ctx context.Context, a *cli.App, command []string, old computed, long bool) (computedTable, error) {
	c := computedTable{Command: "endwise " + strings.Join(command, " ")}
	for _, o := range old.Tables {
		if o.Command == c.Command && !long {
			return o, nil
		}
	}
	dir, err := os.MkdirTemp("", "endwise-results-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	sub := &cli.App{Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}
	root := newRootCmd(sub)
	root.SetArgs(append(command, "--store", dir))
	if err := root.ExecuteContext(ctx); err != nil {
		return c, err
	}
	list, err := store.List(dir)
	if err != nil || len(list) == 0 {
		return c, errors.Join(err, fmt.Errorf("%s: no table", c.Command))
	}
	// The last one is the largest, where a command makes several.
	for _, l := range list {
		if l.Header != nil && l.Header.Positions >= c.Positions {
			c.Positions, c.SHA256 = l.Header.Positions, l.Header.SHA256
		}
	}
	return c, nil
}

// blocks are the README's tables by name.
func blocks(c computed, records []measured) map[string]string {
	out := map[string]string{}
	var b strings.Builder
	b.WriteString("| empty board | value for the side to move | positions searched |\n|---|---|---|\n")
	for _, v := range c.Values {
		fmt.Fprintf(&b, "| %s %s | %s | %s |\n", v.Title, v.Board, web.Signed(v.Value), thousands(v.Work))
	}
	out["values"] = b.String()
	b.Reset()
	b.WriteString("| table | positions | SHA-256 begins with |\n|---|---|---|\n")
	for _, t := range c.Tables {
		fmt.Fprintf(&b, "| `%s` | %s | `%.16s` |\n", t.Command, thousands(t.Positions), t.SHA256)
	}
	out["tables"] = b.String()
	for _, r := range records {
		if out[r.Block] == "" {
			out[r.Block] = "| what | figure | how |\n|---|---|---|\n"
		}
		figure := strings.TrimSpace(r.Figure + " " + r.Unit)
		if r.Error != "" {
			figure += " (" + r.Error + ")"
		}
		how := fmt.Sprintf("%s, %s, %s", r.Date, r.Machine, r.Load)
		if r.Command != "" {
			how = "`" + r.Command + "`; " + how
		}
		out[r.Block] += fmt.Sprintf("| %s | %s | %s |\n", r.What, figure, how)
	}
	return out
}

// thousands writes a number with commas.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

const (
	blockBegin = "<!-- results:"
	blockEnd   = "<!-- /results -->"
)

// fillBlocks writes the tables between their markers. Every table has to have
// a place, and every place a table.
func fillBlocks(page string, tables map[string]string) (string, error) {
	var out strings.Builder
	seen := map[string]bool{}
	rest := page
	for {
		before, after, found := strings.Cut(rest, blockBegin)
		out.WriteString(before)
		if !found {
			break
		}
		name, body, ok := strings.Cut(after, " -->\n")
		if !ok {
			return "", fmt.Errorf("a marker of results is not closed by --> at the end of its line: %.40q", after)
		}
		table, known := tables[name]
		_, tail, ended := strings.Cut(body, blockEnd)
		switch {
		case !known:
			return "", fmt.Errorf("no results are named %q", name)
		case !ended:
			return "", fmt.Errorf("results %q: no %s", name, blockEnd)
		case seen[name]:
			return "", fmt.Errorf("results %q are there twice", name)
		}
		seen[name] = true
		out.WriteString(blockBegin + name + " -->\n" + table + blockEnd)
		rest = tail
	}
	for name := range tables {
		if !seen[name] {
			return "", fmt.Errorf("no place for the results %q", name)
		}
	}
	return out.String(), nil
}
