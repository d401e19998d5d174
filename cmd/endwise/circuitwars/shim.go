package circuitwars

import (
	"fmt"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwclient"
	"endwise/engine/wire/cwhttp"
)

// shimName is the file name that the competition demands.
const shimName = "game_ai.py"

func newShimCmd(a *cli.App) *cobra.Command {
	var team, server string
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
	}
	c.Flags().StringVar(&team, "team", "endwise", "team id to register")
	c.Flags().StringVar(&server, "server", "http://127.0.0.1:5000", "address of the game server")
	return a.ShimCmd(c, cli.Shim{Name: shimName, Mark: cwbot.ShimMark, Source: func(binary string) (text, said string, err error) {
		if err := cwhttp.ImpossibleTeam(team); err != nil {
			return "", "", cli.BadInput(fmt.Errorf("--team: %w", err))
		}
		if _, err := cwclient.New(server); err != nil {
			return "", "", cli.BadInput(err)
		}
		return cwbot.Shim(binary, server, team), fmt.Sprintf("plays as %s on %s with %s", team, server, binary), nil
	}})
}
