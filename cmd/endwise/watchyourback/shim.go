package watchyourback

import (
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/wire/wyb"
)

//go:embed starter
var starter embed.FS

func newShimCmd(a *cli.App) *cobra.Command {
	var moveTime, gameTime time.Duration
	c := &cobra.Command{
		Use:   "watchyourback DIR",
		Short: "Write a Python module with a Player class that plays with this program",
		Long: `Writes DIR/` + wyb.ShimName + `, a module for the referee of Watch Your Back!:

  PYTHONPATH=DIR python3 referee.py endwise_player OTHER

It copies this program next to the module, whose class Player starts as a child
process the program that the environment variable ENDWISE names, the one next to
it, or endwise on the PATH. The child ends with the referee and does not write to
its output. If it dies or hangs, the module continues with simple moves. It needs
Python 3.5 or later and its standard library.

--game-time and --time are processor time; on a busy machine a move takes up to ten
times as long. With --game-time 0, --time is wall-clock time.`,
		Example: "  endwise shim watchyourback players",
	}
	c.Flags().DurationVar(&moveTime, "time", 3*time.Second, cli.TimeUsage)
	c.Flags().DurationVar(&gameTime, "game-time", 55*time.Second, cli.GameTimeUsage+"; 0 for no limit")
	advice := func() string {
		if gameTime == 0 {
			return "It does not limit its processor time per game; for a limit: --game-time."
		}
		return fmt.Sprintf("It uses up to %s of processor time per game; for another limit: --game-time.", cli.Duration(gameTime))
	}
	source := func(string) (text, note string, err error) {
		if moveTime <= 0 || gameTime < 0 {
			return "", "", cli.BadInput(errors.New("--time and --game-time: want a time above 0"))
		}
		arguments := []string{"bot", "watchyourback", "--time", moveTime.String(), "--hash", "32"}
		if gameTime > 0 {
			arguments = append(arguments, "--game-time", gameTime.String())
		}
		if a.StoreDir != "" {
			arguments = append(arguments, "--store", a.StoreDir)
		}
		return wyb.Shim(arguments, wyb.Pace{Move: moveTime, Game: gameTime}), "plays", nil
	}
	return a.ShimCmd(c, cli.Shim{
		Name: wyb.ShimName, Mark: wyb.ShimMark, Source: source, Advice: advice, Starter: starter,
	})
}
