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

// fitHelp wraps the lines of a help text that are wider than columns, together with the lines
// that continue them. Entries of a list, "  name   text", keep the indentation of their text
// if there is room.
func fitHelp(text string, columns int) string {
	var out []string
	lines := strings.Split(text, "\n")
	for len(lines) > 0 {
		n := blockLength(lines)
		if tooWide := func(l string) bool { return utf8.RuneCountInString(l) > columns }; slices.ContainsFunc(lines[:n], tooWide) {
			out = append(out, wrapBlock(lines[:n], columns))
		} else {
			out = append(out, lines[:n]...)
		}
		lines = lines[n:]
	}
	return strings.Join(out, "\n")
}

// blockLength returns the number of lines at the beginning of lines that form a paragraph or an
// entry of a list. An empty line is a block of its own.
func blockLength(lines []string) int {
	n := 1
	for n < len(lines) && lines[0] != "" && lines[n] != "" && leading(lines[n]) == hanging(lines[0]) {
		n++
	}
	return n
}

// wrapBlock joins the lines of a block and breaks them at columns.
func wrapBlock(block []string, columns int) string {
	words := strings.Fields(strings.Join(block, " "))
	from, indent := leading(block[0]), hanging(block[0])
	if indent > columns/2 { // no room beside the name
		from = min(from, 4)
		indent = from + 2
	} else if indent > from { // the name and the blanks after it count as one word
		name := strings.TrimSpace(string([]rune(block[0])[:indent]))
		blanks := strings.Repeat(" ", indent-from-utf8.RuneCountInString(name)-1)
		words = append([]string{name + blanks}, words[len(strings.Fields(name)):]...)
	}
	margin := strings.Repeat(" ", from)
	wrapped := cli.WrapWords(words, strings.Repeat(" ", indent-from), columns-from)
	return margin + strings.ReplaceAll(wrapped, "\n", "\n"+margin)
}

// leading returns the number of blanks at the beginning of a line.
func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// hanging returns the indentation of the lines that continue line: the column of the text in
// "  name   text", otherwise the indentation of line itself.
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

func init() { // cobra's map of template functions is global
	cobra.AddTemplateFunc("fitHelpTo", func(columns int, text string) string { return fitHelp(text, columns) })
}

// finish adds cobra's commands to root and completes the help of all commands.
func finish(a *cli.App, root *cobra.Command) {
	columns := helpColumns(a)
	flags := columns - 5 // pflag lets a last short word exceed the width by five
	commandUsage := strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", flags))
	root.SetUsageTemplate(`{{if .HasParent}}` + commandUsage + `{{else}}` + fmt.Sprintf(rootUsage, flags) + `{{end}}`)
	fit := fmt.Sprintf("trimTrailingWhitespaces | fitHelpTo %d}}", columns)
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "trimTrailingWhitespaces}}", fit, 1))
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
