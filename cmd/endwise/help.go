package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

// fitHelp wraps the blocks of a help text ([blockLength]) that have a line wider than columns. Lines
// that begin with "  endwise " do not count as too wide, so that commands can be copied.
func fitHelp(text string, columns int) string {
	var out []string
	lines := strings.Split(text, "\n")
	for len(lines) > 0 {
		n := blockLength(lines)
		tooWide := func(l string) bool {
			return utf8.RuneCountInString(l) > columns && !strings.HasPrefix(l, "  endwise ")
		}
		if slices.ContainsFunc(lines[:n], tooWide) {
			out = append(out, wrapBlock(lines[:n], columns))
		} else {
			out = append(out, lines[:n]...)
		}
		lines = lines[n:]
	}
	return strings.Join(out, "\n")
}

// blockLength returns the number of lines at the beginning of lines that form a paragraph or an
// entry of a list. An empty line is a separate block.
func blockLength(lines []string) int {
	n := 1
	for n < len(lines) && lines[0] != "" && lines[n] != "" && leading(lines[n]) == hanging(lines[0]) {
		n++
	}
	return n
}

// wrapBlock joins the lines of a block and breaks them at columns. If the text of a list entry is
// indented by more than half of columns, it begins on the line after the name.
func wrapBlock(block []string, columns int) string {
	words := strings.Fields(strings.Join(block, " "))
	from, indent := leading(block[0]), hanging(block[0])
	if indent > from {
		name := strings.TrimSpace(string([]rune(block[0])[:indent]))
		words = words[len(strings.Fields(name)):]
		if indent > columns/2 {
			text := strings.Repeat(" ", 8) + strings.Join(words, " ")
			return strings.Repeat(" ", min(from, 6)) + name + "\n" + wrapBlock([]string{text}, columns)
		}
		// The name and the blanks after it count as one word.
		blanks := strings.Repeat(" ", indent-from-utf8.RuneCountInString(name)-1)
		words = append([]string{name + blanks}, words...)
	}
	margin := strings.Repeat(" ", from)
	wrapped := cli.WrapWords(words, strings.Repeat(" ", indent-from), columns-from)
	return margin + strings.ReplaceAll(wrapped, "\n", "\n"+margin)
}

func leading(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// hanging returns the indentation of the lines that continue line: the column of the text in an entry
// "  name   text", otherwise the indentation of line itself.
func hanging(line string) int {
	n := leading(line)
	if gap := strings.Index(line[n:], "  "); n > 0 && gap > 0 {
		return utf8.RuneCountInString(line[:n+gap]) + leading(line[n+gap:])
	}
	return n
}

const rootUsage = `{{$commands := .Commands}}{{range $group := .Groups}}{{.Title}}
{{range $commands}}{{if eq .GroupID $group.ID}}  {{rpad .Name .NamePadding}}  {{.Short}}
{{end}}{{end}}{{end}}
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}

More: endwise COMMAND --help, endwise help environment (exit codes, variables)
`

func newEnvironmentCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Exit codes and environment variables",
		Long: `Exit codes, of every command:
  0    done
  1    the work failed, or something that was checked is wrong (verify, replay,
       doctor, book check)
  2    wrong input: the command line, a file or a position
  130  interrupted by Ctrl-C or SIGTERM; long work resumes with the same command

Environment variables:
  ENDWISE_STORE   the store, if --store does not name one
  ENDWISE         the program that the files written by shim start
  GOMEMLIMIT      soft memory limit, for instance 1GiB; exceeded if necessary
  ENDWISE_SERVER, ENDWISE_TEAM
                  what the arena passes to a program of Circuit Wars that it starts`,
	}
}

// setHelp sets the help and the commands help and completion of root, after all others have been added.
func setHelp(a *cli.App, root *cobra.Command) {
	root.SetUsageTemplate(`{{if .HasParent}}` + root.UsageTemplate() + `{{else}}` + rootUsage + `{{end}}`)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		text := cmp.Or(c.Long, c.Short)
		if c.Runnable() || c.HasSubCommands() { // else it is a help topic
			text += "\n\n" + strings.TrimRight(c.UsageString(), "\n")
		}
		fmt.Fprintln(c.OutOrStdout(), fitHelp(text, min(80, cmp.Or(a.Columns(), 80))))
	})
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "Explain a command"
			// The RunE of cobra succeeds for unknown commands.
			c.RunE = func(cmd *cobra.Command, rest []string) error { return help(a, cmd, rest) }
		case "completion":
			c.Short = "Write a script that completes commands in a shell"
			c.Args, c.RunE = nil, cli.Choose("shell")
		}
	}
}

// help prints the help of the command whose words are in rest. The last word may be the name of a game.
func help(a *cli.App, cmd *cobra.Command, rest []string) error {
	c, left, _ := cmd.Root().Find(rest) // no error, because root checks its arguments
	if len(left) > 0 {
		if _, err := a.Games.Named(left[0]); err != nil {
			return cli.UnknownCommand(c, left[0])
		}
	}
	return c.Help()
}
