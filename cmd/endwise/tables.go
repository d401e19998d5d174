package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book/store"
	"endwise/engine"
)

func newTablesCmd(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "tables",
		Short: "List the solved tables in the store",
		Long: `Lists what is in the store: for each table its positions, its size on disk,
bytes a position, how the values are spread, and the digest, which is the same
on every machine that solves the same table.`,
		Example: "  endwise tables\n  endwise tables --json",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.store()
			if err != nil {
				return err
			}
			list, err := store.List(dir)
			if err != nil {
				return err
			}
			if asJSON {
				return printTablesJSON(a.stdout, list)
			}
			if len(list) == 0 {
				_, err := fmt.Fprintf(a.stdout, "no tables in %s\n", dir)
				return err
			}
			for i, l := range list {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				if err := printListing(a.stdout, l); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, jsonUsage)
	return c
}

func printListing(w io.Writer, l store.Listing) error {
	var err error
	switch {
	case l.Header != nil:
		return printTable(w, l.Header)
	case l.Err != nil:
		_, err = fmt.Fprintf(w, "%s: cannot be used\n  %v\n", l.Name, l.Err)
	default:
		_, err = fmt.Fprintf(w, "%s: unfinished, %d of %d shards; the command that solves it goes on\n", l.Name, l.ShardsDone, l.ShardsTotal)
	}
	return err
}

// printTable prints what a table's header says.
func printTable(w io.Writer, h *store.Header) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Title)
	fmt.Fprintf(&b, "  positions  %d", h.Positions)
	for _, name := range slices.Sorted(maps.Keys(h.Notes)) {
		fmt.Fprintf(&b, ", %d %s", h.Notes[name], name)
	}
	fmt.Fprintf(&b, "; %d verified\n", h.Verified)
	fmt.Fprintf(&b, "  bytes      %d, %s a position\n", h.Bytes(), bytesEach(h))
	fmt.Fprintf(&b, "  values    ")
	for _, v := range slices.Sorted(maps.Keys(h.Histogram)) {
		name := fmt.Sprintf("%+d", v)
		if g, err := gameNamed(h.Game); err == nil {
			name = g.words().Value(v, engine.Exact)
		}
		fmt.Fprintf(&b, " %s: %s", name, percent(h.Histogram[v], h.Positions))
	}
	fmt.Fprintf(&b, "\n  digest     %s\n", h.SHA256)
	_, err := io.WriteString(w, b.String())
	return err
}

func bytesEach(h *store.Header) string {
	if h.Positions == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g", float64(h.Bytes())/float64(h.Positions))
}

// percent writes a part of a whole in percent, with a digit where it is small.
func percent(part, whole uint64) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	if p >= 9.95 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}

// tableJSON is a table in the output of tables --json.
type tableJSON struct {
	Name          string            `json:"name"`
	Path          string            `json:"path"`
	State         string            `json:"state"` // finished, building or unusable
	Error         string            `json:"error,omitempty"`
	ShardsDone    int               `json:"shards_done,omitempty"`
	Shards        int               `json:"shards,omitempty"`
	Title         string            `json:"title,omitempty"`
	Game          string            `json:"game,omitempty"`
	RulesVersion  int               `json:"rules_version,omitempty"`
	Params        map[string]string `json:"params,omitempty"`
	Positions     uint64            `json:"positions,omitempty"`
	Notes         map[string]uint64 `json:"notes,omitempty"`
	Verified      uint64            `json:"verified,omitempty"`
	Bytes         uint64            `json:"bytes,omitempty"`
	BytesPosition float64           `json:"bytes_per_position,omitempty"`
	Values        map[int]uint64    `json:"values,omitempty"`
	SHA256        string            `json:"sha256,omitempty"`
}

func printTablesJSON(w io.Writer, list []store.Listing) error {
	out := make([]tableJSON, 0, len(list))
	for _, l := range list {
		t := tableJSON{Name: l.Name, Path: l.Path}
		switch h := l.Header; {
		case h != nil:
			t.State, t.Title, t.Game, t.RulesVersion, t.Params = "finished", h.Title, h.Game, h.Rules, h.Params
			t.Shards, t.ShardsDone = h.Shards, h.Shards
			t.Positions, t.Notes, t.Verified, t.Bytes = h.Positions, h.Notes, h.Verified, h.Bytes()
			t.BytesPosition = float64(h.Bytes()) / float64(max(h.Positions, 1))
			t.Values, t.SHA256 = h.Histogram, h.SHA256
		case l.Err != nil:
			t.State, t.Error = "unusable", l.Err.Error()
		default:
			t.State, t.ShardsDone, t.Shards = "building", l.ShardsDone, l.ShardsTotal
		}
		out = append(out, t)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
