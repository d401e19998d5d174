// Package cli contains what the commands share: the streams and the store ([App]), the
// description of each game ([Game]), flags, errors, progress, and results as text.
package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"endwise/book/analysis"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/grid"
)

// App holds the environment of a command.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	JSON           io.Writer // set by [App.WithJSON]
	Games          Games
	StoreDir       string // the --store flag
	saidNoStore    bool
}

// GroupCmd returns a command with the subcommands that [App.Commands] returns. Without one of these it is
// bad input. Its example is the first line of each subcommand's example.
func (a *App) GroupCmd(use, short string, constructor func(Game) func(*App) *cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	c.RunE = func(cmd *cobra.Command, rest []string) error {
		if len(rest) > 0 {
			if g, err := a.Games.Named(rest[0]); err == nil {
				return BadInput(fmt.Errorf("%s: not for %s; %s", commandWords(cmd), g.Title(), choice(cmd)))
			}
		}
		return Choose("game")(cmd, rest)
	}
	c.AddCommand(a.Commands(constructor)...)
	var examples []string
	for _, sub := range c.Commands() {
		first, _, _ := strings.Cut(sub.Example, "\n")
		examples = append(examples, first)
	}
	c.Example = strings.Join(examples, "\n")
	return c
}

// Choose returns a RunE that refuses a missing or unknown subcommand; what is its noun, such as "game".
func Choose(what string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, rest []string) error {
		if len(rest) == 0 {
			return BadInput(fmt.Errorf("%s: which %s? %s", commandWords(cmd), what, choice(cmd)))
		}
		want := cmp.Or(suggestions(cmd, rest[0]), "; "+choice(cmd))
		return BadInput(fmt.Errorf("%s: unknown %s %q%s", commandWords(cmd), what, rest[0], want))
	}
}

func choice(cmd *cobra.Command) string {
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return "want " + strings.Join(names, " or ")
}

func commandWords(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// Store returns the directory of tables and books: --store, $ENDWISE_STORE, or one in the user's cache
// directory. It need not exist. If there is no cache directory either, Store returns an error.
func (a *App) Store() (string, error) {
	if a.StoreDir != "" {
		return a.StoreDir, nil
	}
	if dir := os.Getenv("ENDWISE_STORE"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", BadInput(errors.New("no cache directory for the store: set --store or ENDWISE_STORE"))
	}
	// Do not create a missing home directory.
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(cache, home+string(filepath.Separator)) {
		if _, err := os.Stat(home); err != nil {
			return "", BadInput(fmt.Errorf("no cache directory for the store (%w): set --store or ENDWISE_STORE", err))
		}
	}
	return filepath.Join(cache, "endwise", "store"), nil
}

// StoreIfAny is [App.Store] for commands that can work without one: instead of an error it returns ""
// and, the first time, prints a notice.
func (a *App) StoreIfAny() string {
	dir, err := a.Store()
	if err != nil {
		if !a.saidNoStore {
			fmt.Fprintf(a.Stderr, "endwise: without tables and opening books: %v\n", err)
		}
		a.saidNoStore = true
		return ""
	}
	return dir
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Color reports whether standard output may contain ANSI colours.
func (a *App) Color() bool {
	return IsTerminal(a.Stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// WriteJSON writes v as a line of JSON. It escapes unprintable characters, which may control a terminal.
func WriteJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, c := range text.String() {
		if c < 0x7f || unicode.IsPrint(c) {
			out.WriteRune(c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// WithJSON returns a or, if asJSON is set, a copy whose JSON is the standard output of a and whose
// Stdout is its standard error.
func (a *App) WithJSON(asJSON bool) *App {
	if !asJSON {
		return a
	}
	b := *a
	b.JSON, b.Stdout = a.Stdout, a.Stderr
	return &b
}

// Listen listens on addr, the value of the given flag: HOST:PORT, or a port alone for 127.0.0.1. Another
// form is bad input.
func Listen(flag, addr string) (net.Listener, error) {
	shown, another := addr, "another port with "+flag+" (0 takes any that is free)"
	if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
		shown, another, addr = "port "+addr, "another port", "127.0.0.1:"+addr
	}
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return ln, nil
	}
	if bad := new(net.AddrError); errors.As(err, &bad) {
		return nil, BadInput(fmt.Errorf("%s %s: want HOST:PORT, with a port from 0 to 65535", flag, addr))
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: end that program, or choose %s", shown, another)
	}
	return nil, fmt.Errorf("listen: %w", err)
}

// Addresses returns the URLs of a server that listens on at, separated by blanks. If at is unspecified,
// they have the global unicast addresses of this machine, the IPv4 ones if there are any, or localhost.
func Addresses(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://%s/", at)
	}
	all, _ := net.InterfaceAddrs() // on an error, localhost remains
	var v4, v6 []string
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			url := fmt.Sprintf("http://%s/", &net.TCPAddr{IP: n.IP, Port: tcp.Port})
			if n.IP.To4() != nil {
				v4 = append(v4, url)
			} else {
				v6 = append(v6, url)
			}
		}
	}
	return cmp.Or(strings.Join(v4, " "), strings.Join(v6, " "), fmt.Sprintf("http://localhost:%d/", tcp.Port))
}

// AllowHost registers the flag --allow-host.
func AllowHost(c *cobra.Command, hosts *[]string) {
	c.Flags().StringSliceVar(hosts, "allow-host", nil, "another host name of this machine that browsers may use")
}

// MaxPositionBytes is the maximum length of a position text.
const MaxPositionBytes = 1 << 20

// BoardAndStart joins a board and a named start, each perhaps "", as [engine.Game.Start] reads them.
func BoardAndStart(board, start string) string { return strings.TrimSpace(board + " " + start) }

// Input is a game that a command has read.
type Input struct {
	Start       engine.Position
	Moves       []engine.Move
	Players     [2]string // in a record, "" in other texts
	text, board string    // as given; "" for a record in the game's own format
}

// NewInput returns the game that text describes. board is the --board with which it was read.
func NewInput(start engine.Position, moves []engine.Move, text, board string) Input {
	return Input{Start: start, Moves: moves, text: text, board: board}
}

// Game reads the position that rest, the arguments of a command, names, with the moves to it. Only the first
// argument counts: a position, a file name, a file name and the rest of the text, or - for standard input;
// without one, the game is the start of the board. board is as in [ReadGame].
func (a *App) Game(g engine.Game, board string, rest []string) (Input, error) {
	if len(rest) == 0 {
		start, err := g.Start(board)
		return Input{Start: start}, err
	}
	text := rest[0]
	if text == "-" {
		data, err := a.ReadStdin(MaxPositionBytes)
		if err != nil {
			return Input{}, err
		}
		text = string(data)
	}
	in, err := a.readGameOrRecord(g, board, text)
	if err == nil || rest[0] == "-" {
		return in, err
	}
	file, more, info := existingFile(text)
	switch {
	case info == nil && strings.Contains(text, "://") && !strings.Contains(text, "#"):
		return in, fmt.Errorf("%s: an address without moves: give the moves of the game", engine.OneLine(text, 80))
	case info == nil && LooksLikeFile(text):
		return in, fmt.Errorf("%s: no such file", text)
	case info == nil:
		return in, err
	case info.IsDir():
		return in, fmt.Errorf("%s is a directory: give a position or a file", file)
	case !info.Mode().IsRegular():
		return in, err
	}
	data, err := ReadLimited(file, MaxPositionBytes)
	if err != nil {
		return in, err
	}
	if in, err = a.readGameOrRecord(g, board, strings.TrimRight(string(data)+"\n"+more, "\n")); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return in, err
}

// existingFile returns the file that text names. more is the rest of a text that begins with the name of a
// regular file, for instance the score of a drawing. info is nil if there is no such file.
func existingFile(text string) (file, more string, info fs.FileInfo) {
	if info, err := os.Stat(text); err == nil {
		return text, "", info
	}
	file, more, _ = strings.Cut(text, " ")
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		return file, more, info
	}
	return text, "", nil
}

// Unquoted joins the arguments of a position into one.
func Unquoted(position []string) []string {
	if len(position) > 1 {
		return []string{strings.Join(position, " ")}
	}
	return position
}

// ReadGame reads a game from a text. board, in the form of [BoardAndStart], is that of texts that name none;
// a text that names one of another size is an error.
func ReadGame(g engine.Game, board, text string) (engine.Position, []engine.Move, error) {
	if engine.IsRecord(text) { // its start names the board
		start, moves, err := g.ReadGame(text)
		if size, _, _ := strings.Cut(board, " "); err == nil && IsSize(size) && !strings.EqualFold(size, start.BoardName()) {
			err = twoBoards(size, start.BoardName())
		}
		return start, moves, err
	}
	text, err := withBoard(board, text)
	if err != nil {
		return nil, nil, err
	}
	return g.ReadGame(text)
}

func twoBoards(flag, own string) error {
	return fmt.Errorf("--board %s, but the position is on %s: leave out one of them", flag, own)
}

// readGameOrRecord is [ReadGame] for texts that may also be a record in the game's own format.
func (a *App) readGameOrRecord(g engine.Game, board, text string) (Input, error) {
	switch clean := strings.TrimSpace(engine.CleanText(text)); {
	case clean == "":
		return Input{}, errors.New("position: empty")
	case clean[0] == '<':
		return Input{}, errors.New("position: a web page or a picture; a server has its status at the address /status")
	}
	start, moves, err := ReadGame(g, board, text)
	game, _ := a.Games.Named(g.Name()) // without readers if it is none of the games
	r, notRecord := analysis.ReadRecord("", []byte(text), game.Web.Readers...)
	switch {
	// ReadGame reads some logs too, but only their last drawing, without moves.
	case notRecord == nil && (board == "" || strings.EqualFold(board, r.Positions[0].BoardName())) && (err != nil || len(r.Moves) > len(moves)):
		return Input{Start: r.Positions[0], Moves: r.Moves, Players: r.Players}, nil
	case err == nil:
		return Input{start, moves, r.Players, text, board}, nil
	}
	if _, drawn, _ := grid.ReadDrawing(text); drawn && game.Drawing != "" {
		err = &DrawingError{err, game.Drawing}
	}
	return Input{}, err
}

// withBoard returns text with board, in the form of [BoardAndStart], in front of it. A size and a start with
// which text begins are not repeated. If text begins with another size, it returns an error.
func withBoard(board, text string) (string, error) {
	if board == "" {
		return text, nil
	}
	text = engine.CleanText(text)
	size, start, _ := strings.Cut(board, " ")
	if !IsSize(size) {
		size, start = "", board
	}
	rest := strings.TrimLeft(text, " \t\n")
	// cut removes the first word of rest and returns it in lower case if wanted accepts it.
	cut := func(wanted func(string) bool) (word string) {
		n := strings.IndexAny(rest+"\n", " \t\n")
		if word = strings.ToLower(strings.TrimSuffix(rest[:n], ":")); !wanted(word) {
			return ""
		}
		rest = rest[n:]
		if line, after, ok := strings.Cut(rest, "\n"); !ok || strings.TrimSpace(line) != "" {
			rest = strings.TrimLeft(rest, " \t")
		} else {
			rest = after // a drawing keeps its indentation
		}
		return word
	}
	own := cut(IsSize)
	if own == "" {
		return board + "\n" + text, nil
	}
	if size != "" && !strings.EqualFold(own, size) {
		return "", twoBoards(size, own)
	}
	if start != "" {
		cut(func(word string) bool { return strings.EqualFold(word, start) })
	}
	return BoardAndStart(own, start) + "\n" + rest, nil
}

// IsSize reports whether a word is a size such as 3x3.
func IsSize(word string) bool {
	_, _, err := grid.ParseSize(word)
	return err == nil && strings.ContainsAny(word, "xX×")
}

var fileExtensions = []string{".txt", ".log", ".game", ".json", ".jsonl", ".out"}

// LooksLikeFile reports whether a text that is not a position looks like a file name: one word without a
// colon, but with a known extension, or with a slash and characters that no position has.
func LooksLikeFile(text string) bool {
	switch {
	case strings.ContainsAny(text, " \t\n:"):
		return false
	case slices.Contains(fileExtensions, strings.ToLower(filepath.Ext(text))):
		return true
	}
	return strings.ContainsAny(text, `/\`) && strings.Trim(text, "hvoXO@-.0123456789x/") != ""
}

// End returns the position after the moves.
func (in Input) End() (engine.Position, error) { return engine.PlayAll(in.Start, in.Moves) }

// Count returns a number with its noun, as in "1 game" or "12,000 games".
func Count(n int, thing string) string { return answer.Count(n, thing) }
