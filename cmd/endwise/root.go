package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// app is what every command needs of the world around it.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	storeDir       string // the --store flag
}

func newRootCmd(a *app) *cobra.Command {
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
  130  interrupted by Ctrl-C or SIGTERM; long work resumes with the same command`,
		Example:       "  endwise build\n  endwise query dotsandboxes 2x2\n  endwise serve",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, rest []string) error {
			if len(rest) > 0 {
				return badInput(fmt.Errorf("unknown command %q%s", rest[0], suggestion(cmd, rest[0])))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(wrongFlag)
	root.PersistentFlags().StringVar(&a.storeDir, "store", "", storeUsage)
	root.AddCommand(
		newBuildCmd(a),
		newQueryCmd(a),
		newPlayCmd(a),
		newAnalyzeCmd(a),
		newArenaCmd(a),
		newChampionshipCmd(a),
		groupCmd("solve", "Work positions out exactly and store them as a table", gameCommands(a, func(g gameEntry) func(*app) *cobra.Command { return g.solve })...),
		newBenchCmd(a),
		newTablesCmd(a),
		newVerifyCmd(a),
		newBookCmd(a),
		newServeCmd(a),
		newWorkerCmd(a),
		newStatusCmd(a),
		newDoctorCmd(a),
		newVersionCmd(a),
		newCompletionCmd(a),
		groupCmd("bot", "Play a game on a server", gameCommands(a, func(g gameEntry) func(*app) *cobra.Command { return g.bot })...),
		groupCmd("shim", "Write a program in another language that plays with this one", gameCommands(a, func(g gameEntry) func(*app) *cobra.Command { return g.shim })...),
	)
	for _, g := range games {
		for _, make := range g.commands {
			root.AddCommand(make(a))
		}
	}
	root.SetHelpCommand(newHelpCmd())
	a.completeWords(root)
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
			return badInput(fmt.Errorf("unknown command %q%s", strings.Join(rest, " "), suggestion(c, left[0])))
		},
	}
}

// groupCmd is a command that only holds one subcommand a game. Its examples
// are the first ones of the games.
func groupCmd(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		RunE: func(cmd *cobra.Command, rest []string) error {
			if len(rest) == 0 {
				return badInput(fmt.Errorf("%s: which game? %s", commandWords(cmd), gameChoice(cmd)))
			}
			return badInput(fmt.Errorf("%s: unknown game %q; %s%s", commandWords(cmd), rest[0], gameChoice(cmd), suggestion(cmd, rest[0])))
		},
	}
	c.AddCommand(subs...)
	for i, sub := range subs {
		if i > 0 {
			c.Example += "\n"
		}
		first, _, _ := strings.Cut(sub.Example, "\n")
		c.Example += first
	}
	return c
}

func gameChoice(cmd *cobra.Command) string {
	s := "want"
	for i, sub := range cmd.Commands() {
		if i > 0 {
			s += " or"
		}
		s += " " + sub.Name()
	}
	return s
}

// commandWords is the command without the program's name, which stands before
// every error already.
func commandWords(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// log writes a line for what happens while a command works to standard error;
// verbose adds what happens often.
func (a *app) log(verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
}

// store is the directory of the solved tables. It need not exist.
func (a *app) store() (string, error) {
	if a.storeDir != "" {
		return a.storeDir, nil
	}
	if dir := os.Getenv("ENDWISE_STORE"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", badInput(errors.New("no cache directory for the store: set --store or ENDWISE_STORE"))
	}
	return filepath.Join(cache, "endwise", "store"), nil
}

// isTerminal says whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// color says whether the output may use ANSI colours.
func (a *app) color() bool {
	return isTerminal(a.stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// writeJSON writes one JSON object and a line feed.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
