package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

// helpColumns is the width of the list of flags; pflag lets a last short word exceed it by
// five.
const helpColumns = 75

// rootUsage lists the commands by group within 80 columns and 40 rows; cobra's own template
// needs 20 rows more.
const rootUsage = `{{$commands := .Commands}}{{range $group := .Groups}}{{.Title}}
{{range $commands}}{{if eq .GroupID $group.ID}}  {{rpad .Name .NamePadding}} {{.Short}}
{{end}}{{end}}{{end}}
Flags:
{{.LocalFlags.FlagUsagesWrapped %d | trimTrailingWhitespaces}}

More: endwise COMMAND --help, endwise help environment (exit codes, variables)
`

// newEnvironmentCmd returns the help topic on exit codes and environment variables.
func newEnvironmentCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Exit codes and environment variables",
		Long: `Exit codes, of every command:
  0    done
  1    understood, but it could not be done, or something that was checked is
       wrong (verify, replay, doctor, book check)
  2    wrong input: the command line, a file or a position
  130  interrupted by Ctrl-C or SIGTERM; long work resumes with the same command

Environment variables:
  ENDWISE_STORE   the store, if --store does not name one
  ENDWISE         the program that the files written by shim start
  GOMEMLIMIT      the memory limit, for instance 1GiB; tables take what they need
  ENDWISE_SERVER, ENDWISE_TEAM
                  what the arena passes to a program of Circuit Wars that it starts`,
	}
}

// finish adds cobra's commands to root and completes the help of all commands.
func finish(a *cli.App, root *cobra.Command) {
	root.SetUsageTemplate(`{{if .HasParent}}` + strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", helpColumns)) +
		`{{else}}` + fmt.Sprintf(rootUsage, helpColumns) + `{{end}}`)
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "Explain a command"
			c.RunE = help // cobra's own help succeeds for unknown commands
		case "completion":
			c.Short = "Write a script that completes commands in a shell"
			c.Args, c.RunE = nil, cli.Choose("shell")
		}
	}
	a.Complete(root)
}

// help prints the help of the command named by the arguments.
func help(cmd *cobra.Command, rest []string) error {
	c, left, _ := cmd.Root().Find(rest) // no error, because root checks its arguments
	if len(left) > 0 {
		return cli.UnknownCommand(c, left[0])
	}
	return c.Help()
}
