// Package completion completes what is typed in a shell: commands and flags, games,
// boards, players, tables of the store and positions.
package completion

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"endwise/book/opening/published"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/levels"
)

// words are those of a store.
type words struct{ *cli.App }

// Add adds cobra's completion command, with examples and a word on what is completed
// here, and teaches every command what its words are.
func Add(a *cli.App, root *cobra.Command) {
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Short = "Write a script that lets a shell complete commands, games, boards, players and positions"
		c.Long = `Writes a script for a shell that completes commands and flags, the games, their
boards and players, tables of the store, and positions: those that the program
ships and those near the start of a board that the store has a table or a book
of. The script asks this program, so it stays right when the program changes.`
		c.Example, c.Args, c.RunE = "  endwise completion bash", nil, cli.Choose("shell")
		for _, shell := range c.Commands() {
			shell.Example, shell.Args = "  "+shell.CommandPath(), cli.Args(cobra.NoArgs)
		}
	}
	words{a}.teach(root)
}

// teach teaches a command and those below it what their words are, from the usage
// line: GAME, POSITION, PLAYER, TABLE, DIR and FILE mean the same everywhere.
func (a words) teach(c *cobra.Command) {
	for _, sub := range c.Commands() {
		a.teach(sub)
	}
	if !c.HasSubCommands() {
		c.ValidArgsFunction = a.wordsOf(c)
	}
	seats := cobra.FixedCompletions(append(levelNames("level"), "human", "endwise"), exactly)
	flags := map[string]cobra.CompletionFunc{
		"board": a.completeBoards, "boards": a.completeBoards,
		"first": seats, "second": seats,
		"level": completeLevels, "from": a.completePositions,
		"book": directories, "logs": directories, "report": directories, "work": directories, "store": directories,
		"us": cobra.FixedCompletions([]string{"1", "2", "both"}, exactly),
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		complete := flags[f.Name]
		if f.Value.Type() == "duration" || f.Value.Type() == "int" {
			complete = cobra.NoFileCompletions // a number is typed
		}
		if complete != nil {
			// The error says that there is one already: nobody else sets any.
			_ = c.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	if !c.HasParent() {
		_ = c.RegisterFlagCompletionFunc("store", directories)
	}
}

const (
	exactly = cobra.ShellCompDirectiveNoFileComp
	files   = cobra.ShellCompDirectiveDefault
)

func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// levelNames are the built-in levels, with a word before the number of each.
func levelNames(word string) (names []string) {
	for n := range levels.Count {
		names = append(names, fmt.Sprintf("%s%d", word, n+1))
	}
	return names
}

// wordsOf completes the arguments of a command.
func (a words) wordsOf(c *cobra.Command) cobra.CompletionFunc {
	kinds := argumentKinds(c.Use)
	return func(cmd *cobra.Command, rest []string, start string) ([]string, cobra.ShellCompDirective) {
		if len(kinds) == 0 {
			return nil, exactly
		}
		kind := kinds[len(kinds)-1]
		switch {
		case len(rest) < len(kinds):
			kind = kinds[len(rest)]
		case !strings.Contains(c.Use, kind+"…"):
			return nil, exactly // no more words
		}
		switch kind {
		case "GAME":
			return describedGames(), exactly
		case "POSITION":
			return a.completePositions(cmd, rest, start)
		case "PLAYER", "WHITE", "BLACK":
			return completePlayers(cmd, rest)
		case "TABLE":
			return a.completeTables(), exactly
		case "DIR":
			return directories(cmd, rest, start)
		}
		return nil, files
	}
}

// argumentKinds lists the arguments of a usage line, the capital words that
// are no flag's: of "html GAME DIR", GAME and DIR.
func argumentKinds(use string) []string {
	var kinds []string
	fields := strings.FieldsFunc(use, func(r rune) bool { return strings.ContainsRune(" []|…", r) })
	for i, w := range fields {
		ofFlag := i > 0 && strings.HasPrefix(fields[i-1], "--")
		if i > 0 && !ofFlag && w == strings.ToUpper(w) && w[0] >= 'A' && w[0] <= 'Z' && !slices.Contains(kinds, w) {
			kinds = append(kinds, w)
		}
	}
	return kinds
}

// describedGames are the games with their names.
func describedGames() []string {
	var out []string
	for _, g := range cli.Games {
		out = append(out, cobra.CompletionWithDesc(g.Name(), g.Title()))
	}
	return out
}

// gameMeant is the game that the words so far name, or that the command is of.
func gameMeant(cmd *cobra.Command, rest []string) (cli.Game, bool) {
	if g, err := cli.GameNamed(cmd.Name()); err == nil {
		return g, true
	}
	if len(rest) == 0 {
		return cli.Game{}, false
	}
	g, err := cli.GameNamed(rest[0])
	return g, err == nil
}

// completePlayers completes the specs of players.
func completePlayers(cmd *cobra.Command, rest []string) ([]string, cobra.ShellCompDirective) {
	g, ok := gameMeant(cmd, rest)
	if !ok {
		return nil, exactly
	}
	out := []string{"endwise"}
	own := g.Arena
	if cmd.HasParent() && cmd.Parent().Name() == "referee" {
		out = append(out, "human")
	} else {
		out = append(out, levelNames("level")...)
	}
	out = append(out, own.Levels...)
	out = slices.AppendSeq(out, maps.Keys(own.Programs))
	slices.Sort(out)
	return out, exactly | cobra.ShellCompDirectiveNoSpace
}

// completeLevels completes the built-in opponents of the bots.
func completeLevels(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	out := levelNames("")
	if g, err := cli.GameNamed(cmd.Name()); err == nil {
		out = append(out, g.Arena.Levels...)
	}
	return out, exactly
}

// completeTables names the finished tables of the store.
func (a words) completeTables() []string {
	var out []string
	for _, l := range a.finished() {
		out = append(out, cobra.CompletionWithDesc(l.Name, l.Header.Title))
	}
	return out
}

// finished are the finished tables of the store; what cannot be read is nothing to
// complete.
func (a words) finished() []store.Listing {
	dir, err := a.Store()
	if err != nil {
		return nil
	}
	list, _ := store.List(dir)
	return slices.DeleteFunc(list, func(l store.Listing) bool { return l.Header == nil })
}

// completeBoards offers the usual boards of a game and those that the store
// has tables or books of.
func (a words) completeBoards(cmd *cobra.Command, rest []string, _ string) ([]string, cobra.ShellCompDirective) {
	g, ok := gameMeant(cmd, rest)
	if !ok {
		if cmd.Name() != "championship" && cmd.Name() != "replay" && cmd.Name() != "analyze" {
			return nil, exactly
		}
		g = cli.Games[0]
	}
	return a.boardsOf(g), exactly
}

func (a words) boardsOf(g cli.Game) []string {
	boards := slices.Clone(g.Web.Boards)
	add := func(board string) {
		if _, err := g.Start(board); board != "" && err == nil && !slices.Contains(boards, board) {
			boards = append(boards, board)
		}
	}
	for _, l := range a.finished() {
		if l.Header.Game == g.Name() {
			add(l.Header.Params["board"])
		}
	}
	if dir, err := a.Store(); err == nil {
		names, _ := os.ReadDir(filepath.Join(dir, "books")) // none is none
		for _, n := range names {
			if board, ok := strings.CutPrefix(n.Name(), g.Name()+"-"); ok {
				add(board)
			}
		}
	}
	return boards
}

// completePositions offers the position that ships as an example, the first
// positions of the boards, and those behind one move that a published book of
// the store has.
func (a words) completePositions(cmd *cobra.Command, rest []string, _ string) ([]string, cobra.ShellCompDirective) {
	g, ok := gameMeant(cmd, rest)
	if !ok {
		return nil, exactly
	}
	out := []string{cobra.CompletionWithDesc(g.Example, "solved by endwise build")}
	for _, board := range a.boardsOf(g) {
		if p, err := g.Start(board); err == nil {
			out = append(out, cobra.CompletionWithDesc(p.String(), "the start on "+board))
		}
	}
	for _, l := range a.finished() {
		if strings.HasPrefix(l.Name, published.TableName(g.Name(), "")) {
			out = append(out, bookPositions(g, l.Path)...)
		}
	}
	return out, exactly
}

// bookPositions lists the positions after one move that a published book has,
// one of each class.
func bookPositions(g cli.Game, path string) []string {
	b, err := published.Open(path, g.Game)
	if err != nil {
		return nil
	}
	defer b.Close()
	p, err := g.Start(b.Board())
	if err != nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, m := range p.Moves() {
		next, err := p.Play(m)
		c, ok := next.(engine.Canonical)
		if err != nil || !ok {
			continue
		}
		key, _ := c.CanonicalKey(nil)
		if _, _, have, err := b.Lookup(c); err == nil && have && !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, cobra.CompletionWithDesc(next.String(), fmt.Sprintf("in the book of %s, after %s", b.Board(), p.MoveString(m))))
		}
	}
	return out
}
