package main

import (
	"github.com/spf13/cobra"

	"endwise/cmd/endwise/analyze"
	"endwise/cmd/endwise/books"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/match"
	"endwise/cmd/endwise/workers"
)

func newRootCmd(a *cli.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "endwise",
		Short: "Solve board games from the end, and play to win",
		Long: `Endwise solves late positions of board games exactly, stores them and plays to
win. GAME is circuitwars (cw), dotsandboxes (dab) or watchyourback (wyb).`,
		Example:       "  endwise build\n  endwise query dotsandboxes 2x2\n  endwise serve",
		Version:       buildVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, rest []string) error {
			if len(rest) > 0 {
				return cli.UnknownCommand(cmd, rest[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().BoolP("version", "v", false, "print version, commit and date")
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(cli.WrongFlag)
	root.PersistentFlags().StringVar(&a.StoreDir, "store", "", cli.StoreUsage)
	addCommands(a, root)
	setHelp(a, root)
	a.Complete(root)
	cli.AcceptSeconds(root)
	return root
}

func addCommands(a *cli.App, root *cobra.Command) {
	type make = func(*cli.App) *cobra.Command
	add := func(group, title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: group, Title: title})
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
	}
	add("play", "Play:",
		newPlayCmd(a),
		newServeCmd(a),
		newSiteCmd(a),
	)
	add("compete", "Compete:",
		a.GroupCmd("bot", "Play on a competition's server", func(g cli.Game) make { return g.Bot }),
		a.GroupCmd("shim", "Write a starter player, or the file a competition starts", func(g cli.Game) make { return g.Shim }),
		newDoctorCmd(a),
		match.NewArenaCmd(a),
		a.GroupCmd("referee", "Referee games as the competition does", func(g cli.Game) make { return g.Referee }),
		match.NewChampionshipCmd(a),
		a.GroupCmd("replay", "Check game logs against the rules, or replay one on a server", func(g cli.Game) make { return g.Replay }),
	)
	add("understand", "Understand:",
		newQueryCmd(a),
		analyze.NewCmd(a),
	)
	add("solve", "Solve:",
		newBuildCmd(a),
		a.GroupCmd("solve", "Solve positions exactly and store them as a table", func(g cli.Game) make { return g.Solve }),
		newProveCmd(a),
		newVerifyCmd(a),
		newStatusCmd(a),
		workers.NewWorkerCmd(a),
	)
	add("book", "Keep an opening book:",
		books.NewCmd(a),
	)
	add("more", "More:",
		newBenchCmd(a),
		newVersionCmd(a),
	)
	root.AddCommand(newEnvironmentCmd())
}
