package books

import (
	"io"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/disk"
)

func newExportCmd(a *cli.App) *cobra.Command {
	var place bookPlace
	c := &cobra.Command{
		Use:   "export GAME [BOARD] [FILE]",
		Short: "Write a book as text",
		Long: `Writes every position of the working book as a line of text, sorted, with a digest
at the end, to FILE or to standard output. Books with the same positions and
evaluations give the same text, byte for byte.`,
		Example: "  endwise book export circuitwars book.txt",
		Args:    cli.Args(cobra.RangeArgs(1, 3)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			file, err := place.afterGame(rest[1:], 1)
			if err != nil {
				return err
			}
			b, err := place.read(a, rest[0])
			if err != nil {
				return err
			}
			if len(file) == 0 || file[0] == "-" {
				return b.Export(cmd.Context(), a.Stdout)
			}
			return disk.WriteFile(file[0], 0o644, func(w io.Writer) error { return b.Export(cmd.Context(), w) })
		},
	}
	place.register(c)
	return c
}
