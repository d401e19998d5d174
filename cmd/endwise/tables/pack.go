package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"endwise/book/archive"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/progress"
	"endwise/solver/farm"
)

// onStore works on the store's directory with its progress shown. What is done is
// kept when it is interrupted; errors that are one of the user's are bad input.
func onStore(a *cli.App, work func(dir string, p *farm.Progress) error, users ...error) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	var p farm.Progress
	stop := progress.Show(a.Stderr, &p)
	err = work(dir, &p)
	stop(err)
	if slices.ContainsFunc(users, func(of error) bool { return errors.Is(err, of) }) {
		return cli.BadInput(err)
	}
	return cli.Resumable(err)
}

func NewPackCmd(a *cli.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "pack FILE [RESULTS…]",
		Short: "Put the whole store into one file, for another computer",
		Long: `Writes tables, finished or not, published and growing books, partial answers and
results of the store to FILE, with a digest of each; RESULTS are files and
directories of results beside it. unpack puts them into another store.

It refuses to work while another process writes to the store. Interrupted, the
same command goes on. FILE is a tar file in zstd.`,
		Example: "  endwise pack store.pack",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			var m *archive.Manifest
			err := onStore(a, func(dir string, p *farm.Progress) (err error) {
				m, err = archive.Pack(cmd.Context(), dir, rest[1:], rest[0], p)
				return err
			}, fs.ErrExist, fs.ErrNotExist, store.ErrMissing, archive.ErrInside)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(a.Stdout, m)
			}
			files := 0
			for _, u := range m.Units {
				files += len(u.Files)
				fmt.Fprintln(a.Stdout, u.Name)
			}
			fmt.Fprintf(a.Stdout, "%s: %d tables, books and results, %s of %d bytes\n", rest[0], len(m.Units), cli.Count(files, "file"), m.Bytes())
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	return c
}

func NewUnpackCmd(a *cli.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "unpack FILE",
		Short: "Add to the store what pack wrote",
		Long: `Adds what the store lacks of FILE and says of everything else why not: what is
there already stays, whether it is the same or another. All digests are compared
before the first table is put in place. Interrupted, the same command goes on.`,
		Example: "  endwise unpack store.pack\n  endwise verify",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			var done []archive.Done
			err := onStore(a, func(dir string, p *farm.Progress) (err error) {
				done, err = archive.Unpack(cmd.Context(), rest[0], dir, p)
				return err
			}, archive.ErrDamaged, fs.ErrNotExist)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(a.Stdout, done)
			}
			for _, d := range done {
				if d.Why != "" {
					d.State += ": " + d.Why
				}
				fmt.Fprintf(a.Stdout, "%s: %s\n", d.Name, d.State)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	return c
}
