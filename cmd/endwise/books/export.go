package books

import (
	"io"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/disk"
)

// newExportCmd returns the command book export.
func newExportCmd(a *cli.App) *cobra.Command {
	var place bookPlace
	c := &cobra.Command{
		Use:   "export GAME [FILE]",
		Short: "Write a book as text",
		Long: `Writes every position of the working store as a line of text, sorted, with a digest
at the end, to FILE or to standard output. Books with the same positions and
evaluations give the same text, byte for byte.`,
		Example: "  endwise book export circuitwars book.txt",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			_, b, err := place.named(a, rest[0])
			if err != nil {
				return err
			}
			if len(rest) == 1 || rest[1] == "-" {
				return b.Export(cmd.Context(), a.Stdout)
			}
			return disk.WriteFile(rest[1], 0o644, func(w io.Writer) error { return b.Export(cmd.Context(), w) })
		},
	}
	place.register(c)
	return c
}
