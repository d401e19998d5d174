package dotsandboxes

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
)

func newReplayCmd(a *cli.App) *cobra.Command {
	var board, notation string
	c := &cobra.Command{
		Use:   "dotsandboxes FILE…",
		Short: "Replay Dots and Boxes games by the rules, or convert them",
		Long: `Replays games in any notation by the rules and prints one line per game: its
moves, its score, and the player to move if it is not over. With --notation it
writes the games in that notation instead. A directory stands for the *.log and
*.game files in and below it.

Exit code 2 if a game cannot be read; the others are replayed.`,
		Example: "  endwise replay dotsandboxes FORUM.txt\n  endwise replay dotsandboxes --board 5x5 FORUM.txt --notation trmph",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, paths []string) error {
			files, err := a.Games.FilesBelow(a.Stderr, paths, ".log", ".game")
			if err != nil {
				return cli.BadInput(err)
			}
			var bad cli.Unread
			for _, file := range files {
				text, err := replayFile(file, board, notation)
				if err != nil {
					bad.Add(file, a.Games.NameGame(dotsandboxes.Name, file, err))
					continue
				}
				if _, err := fmt.Fprintln(a.Stdout, text); err != nil {
					return err
				}
			}
			if broken := bad.Print(a.Stderr); broken > 0 {
				return cli.BadInput(fmt.Errorf("%s could not be read", cli.Count(broken, "game")))
			}
			return nil
		},
	}
	c.Flags().StringVar(&board, "board", "", cli.BoardUsage+"; if the notation does not name it")
	c.Flags().StringVar(&notation, "notation", "", cli.NotationUsage+"; "+strings.Join(dotsandboxes.Game{}.Notations(), ", "))
	return c
}

// replayFile returns a line about the game in a file or, if notation is not "", the game in it.
func replayFile(file, board, notation string) (string, error) {
	data, err := cli.ReadLimited(file, cli.MaxPositionBytes)
	if err != nil {
		return "", err
	}
	g := dotsandboxes.Game{}
	start, moves, err := cli.ReadGame(g, board, string(data))
	if err != nil {
		return "", err
	}
	if notation != "" {
		text, err := g.Write(notation, start, moves)
		return strings.TrimSuffix(text, "\n"), err
	}
	end, err := engine.PlayAll(start, moves)
	if err != nil {
		return "", err
	}
	state := "over"
	if !end.Over() {
		state = fmt.Sprintf("%s to move", end.Turn())
	}
	line := fmt.Sprintf("%s: %s, score %s, %s", file, cli.Count(len(moves), "move"), answer.Score(end.Score(), "-"), state)
	return engine.Printable(line), nil
}
