package watchyourback

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine/wire/wyb"
)

func newShimCmd(a *cli.App) *cobra.Command {
	var (
		binary             string
		moveTime, gameTime time.Duration
		force              bool
	)
	c := &cobra.Command{
		Use:   "watchyourback DIR",
		Short: "Write a Python module with a Player class that plays with this program",
		Long: `Writes DIR/` + wyb.ShimName + `, a module for the referee of Watch Your Back!:

  PYTHONPATH=DIR python3 referee.py endwise_player OTHER

Its Player starts this program as a child process, which ends when the referee
does and stays away from its output. One that dies or hangs is started again
once, then the module plays by rules of its own. The program's path is written into the
file; the environment variable ENDWISE names another one. Python 3.5 or later,
standard library alone.`,
		Example: "  endwise shim watchyourback players",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, rest []string) error {
			if moveTime <= 0 || gameTime < 0 {
				return cli.BadInput(errors.New("--time and --game-time: want a time above 0"))
			}
			binary, err := cli.ShimBinary(binary)
			if err != nil {
				return cli.BadInput(err)
			}
			arguments := []string{"bot", "watchyourback", "--time", moveTime.String(), "--hash", "32"}
			if a.StoreDir != "" {
				arguments = append(arguments, "--store", a.StoreDir)
			}
			source, err := wyb.Shim(wyb.ShimConfig{Binary: binary, Arguments: arguments, Move: moveTime, Game: gameTime})
			if err != nil {
				return err
			}
			file, err := cli.WriteShim(rest[0], wyb.ShimName, wyb.ShimMark, source, force)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Stdout, "%s plays with %s\n", file, binary)
			return err
		},
	}
	c.Flags().StringVar(&binary, "binary", "", cli.BinaryUsage)
	c.Flags().DurationVar(&moveTime, "time", 3*time.Second, cli.TimeUsage)
	c.Flags().DurationVar(&gameTime, "game-time", 55*time.Second, cli.GameTimeUsage+"; 0 for no limit")
	c.Flags().BoolVar(&force, "force", false, cli.ForceUsage+"; a file of that name that shim has not written")
	return c
}
