// Package tables is the commands that look at what is stored: status, verify and
// doctor.
package tables

import (
	"fmt"
	"io"

	"endwise/book/store"
	"endwise/cmd/endwise/cli"
)

// printStored lists what is in the store.
func printStored(a *cli.App, asJSON bool) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	list, err := store.List(dir)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printTablesJSON(a.Stdout, list)
	case len(list) == 0:
		_, err := fmt.Fprintf(a.Stdout, "no tables in %s\n", dir)
		return err
	}
	for i, l := range list {
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		if err := printListing(a.Stdout, l); err != nil {
			return err
		}
	}
	return nil
}

func printListing(w io.Writer, l store.Listing) error {
	var err error
	switch {
	case l.Header != nil:
		return cli.PrintTable(w, l.Header)
	case l.Err != nil:
		_, err = fmt.Fprintf(w, "%s: cannot be used\n  %v\n", l.Name, l.Err)
	default:
		_, err = fmt.Fprintf(w, "%s: unfinished, %d of %d shards; the command that solves it goes on\n", l.Name, l.ShardsDone, l.ShardsTotal)
	}
	return err
}

// tableJSON is a table in the output of status --json.
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
	return cli.WriteJSON(w, out)
}
