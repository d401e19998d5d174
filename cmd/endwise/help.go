package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

// helpColumns returns the width of help texts.
func helpColumns(a *cli.App) int {
	if n := a.Columns(); n > 0 && n < 80 {
		return n
	}
	return 80
}

// fitHelp wraps the paragraphs of a text that are wider than columns. In a list, whose
// entries begin with blanks, the text after two more blanks keeps its indentation if there
// is room.
func fitHelp(text string, columns int) string {
	var out []string
	lines := strings.Split(text, "\n")
	for len(lines) > 0 {
		n, indent := 1, hanging(lines[0])
		for n < len(lines) && lines[n] != "" && lines[0] != "" && leading(lines[n]) == indent {
			n++
		}
		block := lines[:n]
		lines = lines[n:]
		if !slices.ContainsFunc(block, func(l string) bool { return utf8.RuneCountInString(l) > columns }) {
			out = append(out, block...)
			continue
		}
		words, from := strings.Fields(strings.Join(block, " ")), leading(block[0])
		switch {
		case indent > columns/2:
			from = min(from, 4)
			indent = from + 2
		case indent > from: // the name of an entry is a word with the blanks after it
			r := []rune(block[0])
			name := strings.TrimSpace(string(r[:indent]))
			words = append([]string{name + strings.Repeat(" ", indent-from-utf8.RuneCountInString(name)-1)}, words[len(strings.Fields(name)):]...)
		}
		margin := strings.Repeat(" ", from)
		wrapped := cli.WrapWords(words, strings.Repeat(" ", indent-from), columns-from)
		out = append(out, margin+strings.ReplaceAll(wrapped, "\n", "\n"+margin))
	}
	return strings.Join(out, "\n")
}

// leading returns the number of blanks at the beginning of a line.
func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// hanging returns the indentation of the lines that continue a line: for "  name   text" the
// position of the text, otherwise that of the line.
func hanging(line string) int {
	n := leading(line)
	if gap := strings.Index(line[n:], "  "); n > 0 && gap > 0 {
		return utf8.RuneCountInString(line[:n+gap]) + leading(line[n+gap:])
	}
	return n
}

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

func init() { // the map of functions is global
	cobra.AddTemplateFunc("fitHelpTo", func(columns int, text string) string { return fitHelp(text, columns) })
}

// finish adds cobra's commands to root and completes the help of all commands.
func finish(a *cli.App, root *cobra.Command) {
	columns := helpColumns(a)
	flags := columns - 5 // pflag lets a last short word exceed the width by five
	root.SetUsageTemplate(`{{if .HasParent}}` + strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", flags)) +
		`{{else}}` + fmt.Sprintf(rootUsage, flags) + `{{end}}`)
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "trimTrailingWhitespaces}}", fmt.Sprintf("trimTrailingWhitespaces | fitHelpTo %d}}", columns), 1))
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
	cli.AcceptSeconds(root)
}

// help prints the help of the command named by the arguments.
func help(cmd *cobra.Command, rest []string) error {
	c, left, _ := cmd.Root().Find(rest) // no error, because root checks its arguments
	if len(left) > 0 {
		return cli.UnknownCommand(c, left[0])
	}
	return c.Help()
}
