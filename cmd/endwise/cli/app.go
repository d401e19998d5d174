// Package cli is what all commands share: the streams and the store they work
// with (App), what is known of each game (Game), the flags that mean the same
// everywhere, errors with their exit codes, progress of long work, and positions
// and values as text. The commands themselves lie above it.
package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"endwise/engine"
)

// App is what every command needs of the world around it.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Games          Games
	StoreDir       string // the --store flag
	saidNoStore    bool
}

// GroupCmd is a command that only holds one subcommand a game. Its examples
// are the first ones of the games.
func GroupCmd(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: Choose("game")}
	c.AddCommand(subs...)
	var examples []string
	for _, sub := range subs {
		first, _, _ := strings.Cut(sub.Example, "\n")
		examples = append(examples, first)
	}
	c.Example = strings.Join(examples, "\n")
	return c
}

// Choose refuses to run a command that only has subcommands, each a game, say.
func Choose(what string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, rest []string) error {
		if len(rest) == 0 {
			return BadInput(fmt.Errorf("%s: which %s? %s", CommandWords(cmd), what, Choice(cmd)))
		}
		return BadInput(fmt.Errorf("%s: unknown %s %q; %s", CommandWords(cmd), what, rest[0], Choice(cmd)))
	}
}

// Choice lists the subcommands of a command.
func Choice(cmd *cobra.Command) string {
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return "want " + strings.Join(names, " or ")
}

// CommandWords is the command without the program's name, which stands before
// every error already.
func CommandWords(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// Log writes a line for what happens while a command works to standard error;
// verbose adds what happens often.
func (a *App) Log(verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level}))
}

// Store is the directory of the solved tables. It need not exist.
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
	// A home directory that does not exist is not ours to make.
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(cache, home+string(filepath.Separator)) {
		if _, err := os.Stat(home); err != nil {
			return "", BadInput(fmt.Errorf("no cache directory for the store (%w): set --store or ENDWISE_STORE", err))
		}
	}
	return filepath.Join(cache, "endwise", "store"), nil
}

// StoreIfAny is Store for commands that can do without: "" if there is no directory for
// it, which is said once on standard error.
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

// IsTerminal says whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Color says whether the output may use ANSI colours.
func (a *App) Color() bool {
	return IsTerminal(a.Stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// WriteJSON writes one JSON object and a line feed. What a terminal could take
// for more than text is escaped: encoding/json leaves some of it.
func WriteJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, c := range text.String() {
		switch {
		case c < 0x7f || unicode.IsPrint(c):
			out.WriteRune(c)
		case c < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, c)
		default:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Listen opens the address of a server.
func Listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return ln, nil
	}
	if bad := new(net.AddrError); errors.As(err, &bad) {
		return nil, BadInput(fmt.Errorf("--addr %s: want HOST:PORT", addr))
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: end that, or listen at another address or port (0 takes any that is free)", addr)
	}
	return nil, fmt.Errorf("listen: %w", err)
}

// Addresses are where a server's pages can be opened: what it listens at, or, where
// that is every address of the machine, those that others can reach, of
// IPv4 where it has some.
func Addresses(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://%s/", at)
	}
	all, _ := net.InterfaceAddrs() // none is as good as unknown
	var out [2][]string            // IPv4 and IPv6
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			version := 0
			if n.IP.To4() == nil {
				version = 1
			}
			out[version] = append(out[version], fmt.Sprintf("http://%s/", &net.TCPAddr{IP: n.IP, Port: tcp.Port}))
		}
	}
	for _, urls := range out {
		if len(urls) > 0 {
			return strings.Join(urls, " ")
		}
	}
	return fmt.Sprintf("http://localhost:%d/", tcp.Port)
}

// AllowHost registers the flag for names of this machine that servers answer to.
func AllowHost(c *cobra.Command, hosts *[]string) {
	c.Flags().StringSliceVar(hosts, "allow-host", nil, "another host name of this machine that browsers may use")
}

// MaxPositionBytes is the longest position text that is read.
const MaxPositionBytes = 1 << 20

// BoardAndStart returns a board with a named start as the game's Start reads them.
func BoardAndStart(board, start string) string { return strings.TrimSpace(board + " " + start) }

// Game returns the position before the first move, and the moves, that a command is
// given: a text, the name of a file, - for standard input, or nothing for the board, which
// stands before texts that do not name theirs.
func (a *App) Game(g engine.Game, board string, rest []string) (start engine.Position, moves []engine.Move, err error) {
	if len(rest) == 0 {
		start, err = g.Start(board)
		return start, nil, err
	}
	text := rest[0]
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(engine.Text(a.Stdin), MaxPositionBytes+1))
		if err != nil {
			return nil, nil, fmt.Errorf("standard input: %w", err)
		}
		if len(data) > MaxPositionBytes {
			return nil, nil, fmt.Errorf("standard input: longer than %d bytes", MaxPositionBytes)
		}
		text = string(data)
	}
	read := func(text string) (engine.Position, []engine.Move, error) {
		if board != "" {
			text = board + "\n" + text
		}
		return g.ReadGame(text)
	}
	start, moves, err = read(text)
	if err == nil || rest[0] == "-" {
		return start, moves, err
	}
	if st, bad := os.Stat(text); bad != nil || !st.Mode().IsRegular() {
		return nil, nil, err
	}
	data, err := ReadLimited(text, MaxPositionBytes)
	if err == nil {
		start, moves, err = read(string(data))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", text, err)
	}
	return start, moves, err
}

// Position returns the last position of Game.
func (a *App) Position(g engine.Game, board string, rest []string) (engine.Position, error) {
	start, moves, err := a.Game(g, board, rest)
	if err != nil {
		return nil, err
	}
	return engine.PlayAll(start, moves)
}

// Count writes a number of things.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
