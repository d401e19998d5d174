package circuitwars

import (
	"embed"
	"fmt"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwhttp"
)

// shimName is the file name that the competition requires.
const shimName = "game_ai.py"

//go:embed starter
var starter embed.FS

func newShimCmd(a *cli.App) *cobra.Command {
	var team, server string
	c := &cobra.Command{
		Use:   "circuitwars DIR",
		Short: "Write a game_ai.py that plays with this program",
		Long: `Writes DIR/game_ai.py, which runs as "python game_ai.py [SERVER [TEAM]]" with
Python 3.5 or later and its standard library, and copies this program next to it.
The file hands the game to the program that the environment variable ENDWISE names,
to the one next to it, or to endwise on the PATH. Without a program, or if it
fails, the file plays simple legal moves by itself; standard error says which of
them plays. The file alone is enough to finish a game.

If it is written again, it keeps its team and server unless --team or --server is
given.`,
		Example: "  endwise shim circuitwars my-bot --team endwise",
	}
	c.Flags().StringVar(&team, "team", "endwise", "team id to register")
	c.Flags().StringVar(&server, "server", "http://127.0.0.1:5000", "address of the game server")
	return a.ShimCmd(c, cli.Shim{Starter: starter, Name: shimName, Mark: cwbot.ShimMark, Source: func(old string) (text, note string, err error) {
		oldServer, oldTeam := cwbot.ShimSettings(old)
		if oldTeam != "" && !c.Flags().Changed("team") {
			team = oldTeam
		}
		if oldServer != "" && !c.Flags().Changed("server") {
			server = oldServer
		}
		if err := cwhttp.ImpossibleTeam(team); err != nil {
			return "", "", cli.BadInput(fmt.Errorf("--team: %w", err))
		}
		if _, err := cwbot.NewClient(server); err != nil {
			return "", "", cli.BadInput(err)
		}
		return cwbot.Shim(server, team), fmt.Sprintf("plays as %s on %s", team, server), nil
	}})
}
