package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/analyze"
	"endwise/cmd/endwise/books"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/completion"
	"endwise/cmd/endwise/doctor"
	"endwise/cmd/endwise/match"
	"endwise/cmd/endwise/play"
	"endwise/cmd/endwise/site"
	"endwise/cmd/endwise/solve"
	"endwise/cmd/endwise/tables"
	"endwise/cmd/endwise/usage"
	"endwise/cmd/endwise/workers"
	"endwise/engine"
)

func newRootCmd(a *cli.App) *cobra.Command {
	type make = func(*cli.App) *cobra.Command
	games := func(use, short string, of func(cli.Game) make) *cobra.Command {
		return cli.GroupCmd(use, short, cli.Commands(a, of)...)
	}
	root := &cobra.Command{
		Use:   "endwise",
		Short: "Solve board games from the end, keep what is solved, play to win",
		Long: `Endwise solves late positions of board games exactly, keeps them in a store
and looks them up at the table; where nothing is stored it searches live,
always inside the move's time limit.

Flags mean the same in every command that has them: --json prints JSON instead
of text, --time is the most for a move or position, --threads solve and search,
--hash is the transposition table in megabytes, --store the directory of tables
and books.

Exit codes, of every command:
  0    done
  1    understood, but it could not be done, or something that was checked is
       wrong (verify, replay, doctor, book check)
  2    wrong input: the command line, a file or a position
  130  interrupted by Ctrl-C or SIGTERM; long work resumes with the same command

Environment variables:
  ENDWISE_STORE   the store, where --store does not name one
  ENDWISE         the program that the files written by shim start
  GOMEMLIMIT      the most memory, for instance 1GiB; tables take what they need
  ENDWISE_SERVER, ENDWISE_TEAM
                  what the arena tells a program of Circuit Wars that it starts`,
		Example:       "  endwise build\n  endwise query dotsandboxes 2x2\n  endwise serve",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, rest []string) error {
			if len(rest) > 0 {
				return cli.BadInput(fmt.Errorf("unknown command %q%s", rest[0], usage.Suggestion(cmd, rest[0])))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.BadInput(usage.WrongFlag(cmd, err)) })
	root.PersistentFlags().StringVar(&a.StoreDir, "store", "", cli.StoreUsage)
	root.AddCommand(
		newBuildCmd(a),
		newQueryCmd(a),
		play.NewCmd(a),
		analyze.NewCmd(a),
		match.NewArenaCmd(a),
		match.NewChampionshipCmd(a),
		games("solve", "Work positions out exactly and store them as a table", func(g cli.Game) make {
			if c, ok := g.Game.(engine.CanonicalGame); ok && g.Solve == nil {
				return solve.NewCmd(c)
			}
			return g.Solve
		}),
		newProveCmd(a),
		newBenchCmd(a),
		tables.NewStatusCmd(a),
		tables.NewVerifyCmd(a),
		books.NewCmd(a),
		newServeCmd(a),
		site.NewCmd(a),
		workers.NewWorkerCmd(a),
		doctor.NewCmd(a),
		cli.NewVersionCmd(a),
		games("bot", "Play a game on a server", func(g cli.Game) make { return g.Bot }),
		games("shim", "Write a program in another language that plays with this one", func(g cli.Game) make { return g.Shim }),
		games("referee", "Referee games as a competition does, boards shown", func(g cli.Game) make { return g.Referee }),
		games("replay", "Judge game logs by the rules, or play one on a server", func(g cli.Game) make { return g.Replay }),
	)
	root.SetHelpCommand(newHelpCmd())
	completion.Add(a, root)
	usage.ShortLines(root)
	return root
}

// newHelpCmd is cobra's help command, but for words that are no command.
func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
		Example: "  endwise help query",
		ValidArgsFunction: func(cmd *cobra.Command, rest []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, _, err := cmd.Root().Find(rest)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range c.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, rest []string) error {
			c, left, err := cmd.Root().Find(rest)
			if err == nil && len(left) == 0 {
				return c.Help()
			}
			if len(left) == 0 {
				left = rest
			}
			return cli.BadInput(fmt.Errorf("unknown command %q%s", strings.Join(rest, " "), usage.Suggestion(c, left[0])))
		},
	}
}
