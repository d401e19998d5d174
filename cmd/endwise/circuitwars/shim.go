package circuitwars

import (
	"fmt"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/wire/cwhttp"
)

// shimName is the file name that the competition demands.
const shimName = "game_ai.py"

func newShimCmd(a *cli.App) *cobra.Command {
	var team, server, binary string
	var force bool
	c := &cobra.Command{
		Use:   "circuitwars DIR",
		Short: "Write a game_ai.py that plays with this program",
		Long: `Writes DIR/game_ai.py, which runs as "python game_ai.py [SERVER [TEAM]]" with
Python 3.5 or later and its standard library alone. It plays the protocol of
the game server itself and asks this program for every move; the program's
path is written into the file, and "endwise" on the PATH is the fallback. A
legal move of the file's own is ready in case the program dies, hangs or is
late.`,
		Example: "  endwise shim circuitwars my-bot --team endwise",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, rest []string) error {
			if err := cwhttp.ImpossibleTeam(team); err != nil {
				return cli.BadInput(fmt.Errorf("--team: %w", err))
			}
			if _, err := cwhttp.NewClient(server); err != nil {
				return cli.BadInput(err)
			}
			binary, err := cli.ShimBinary(binary)
			if err != nil {
				return cli.BadInput(err)
			}
			file, err := cli.WriteShim(rest[0], shimName, cwhttp.ShimMark, cwhttp.Shim(binary, server, team), force)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Stdout, "%s plays as %s on %s with %s\n", file, team, server, binary)
			return err
		},
	}
	c.Flags().StringVar(&team, "team", "endwise", "team id to register")
	c.Flags().StringVar(&server, "server", "http://127.0.0.1:5000", "address of the game server")
	c.Flags().StringVar(&binary, "binary", "", cli.BinaryUsage)
	c.Flags().BoolVar(&force, "force", false, cli.ForceUsage+"; a game_ai.py that shim has not written")
	return c
}
