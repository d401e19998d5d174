package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"endwise/engine/levels"
)

// Complete registers shell completion of games, boards and levels for a command and its subcommands.
func (a *App) Complete(c *cobra.Command) {
	for _, sub := range c.Commands() {
		a.Complete(sub)
	}
	if strings.Contains(c.Use, " GAME") {
		c.ValidArgsFunction = a.completeGame
	}
	for name, complete := range map[string]cobra.CompletionFunc{"board": a.completeBoard, "level": a.completeLevel} {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, complete) // cannot fail: the flag exists
		}
	}
}

func (a *App) completeGame(_ *cobra.Command, rest []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	for _, g := range a.Games {
		out = append(out, cobra.CompletionWithDesc(g.Name(), g.Title()))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *App) completeBoard(cmd *cobra.Command, rest []string, _ string) (boards []string, _ cobra.ShellCompDirective) {
	for _, word := range append([]string{cmd.Name()}, rest...) {
		if g, err := a.Games.Named(word); err == nil {
			boards = append(boards, g.Web.Boards...)
		}
	}
	return boards, cobra.ShellCompDirectiveNoFileComp
}

func (a *App) completeLevel(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if g, err := a.Games.Named(cmd.Name()); err == nil {
		names = levels.Names(g.Name())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
