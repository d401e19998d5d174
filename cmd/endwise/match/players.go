package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"endwise/book"
	"endwise/book/opening"
	"endwise/book/remote"
	"endwise/cmd/endwise/cli"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
)

func playersHelp(games cli.Games) string {
	var own strings.Builder
	for _, g := range games {
		own.WriteString(g.Arena.Help)
	}
	return `A player is
  level1 … level4     a practice level: random, greedy, greedy with a look at the
                      answer, deeper look-ahead
  endwise             the full player, with options after a colon, for instance
                      endwise:threads=2,time=500ms
                        threads  number of threads (1)
                        time     time limit per move (the match's limit)
                        hash     size of the transposition table in megabytes (64)
                        store    directory of tables and books, or none
                        book     on or off (on), or the directory of a book to add,
                                 repeatable
                        lookup   server of endwise serve to ask first, for instance
                                 http://127.0.0.1:8080
                        solve    on or off (on): first solve tables that the store
                                 lacks
` + own.String() + `NAME= in front of a player names it in tables and logs, as in new=endwise:threads=2.`
}

func forfeitHelp(games cli.Games) string {
	var whole []string // games in which the winner of a forfeit scores everything
	for _, g := range games {
		if g.Arena.Rules.ForfeitScore != nil {
			whole = append(whole, g.Title())
		}
	}
	return `A player that crashes,
exceeds its time (practice levels excepted) or makes an illegal move forfeits that
game only: it loses, in ` + strings.Join(whole, " and ") + ` with all squares to none, in the other games with
the score on the board. A program that cannot be started, or that crashes on a trial
of its first move in the line protocol, is refused before the first game.`
}

const (
	playerThreads = 1
	playerHashMB  = 64
	maxName       = 40 // characters
	maxNameBytes  = 60 // the name of a log's file contains two names
)

var (
	namedSpec    = regexp.MustCompile(`^(` + nameWords + `) *= *(.*)$`)
	nameOnly     = regexp.MustCompile(`^` + nameWords + `$`)
	unfitForName = regexp.MustCompile(`[^\p{L}\p{M}\p{Nd}_-]`)
)

const (
	nameWord  = `[\p{L}\p{Nd}_][\p{L}\p{M}\p{Nd}_.'-]*`
	nameWords = nameWord + `(?: ` + nameWord + `)*`
)

func validName(name string) bool {
	return nameOnly.MatchString(name) && utf8.RuneCountInString(name) <= maxName && len(name) <= maxNameBytes
}

// wantName describes the names for which validName reports true.
var wantName = fmt.Sprintf("a name of at most %d letters, digits, spaces, _ - . or ' (%d bytes), which begins with a letter, a digit or _", maxName, maxNameBytes)

// lineup holds the players of a run and their resources.
type lineup struct {
	Output   string // directory for what programs print; "" for none
	Openings int    // number of random moves before each game

	Participants []arena.Participant
	Threads      int // the most that one of the players uses
	close        []func() error
	pools        []*lookupPool
	programs     map[string]bool // by name
	before       []func(context.Context, arena.Setup) error
}

// Prepare checks external programs with the settings of the games and solves missing tables. If it fails, no
// game may be played.
func (f *lineup) Prepare(ctx context.Context, a *cli.App, config arena.Config) error {
	errs := make([]error, len(f.before))
	var running sync.WaitGroup
	for i, check := range f.before {
		running.Go(func() {
			errs[i] = check(ctx, arena.Setup{
				Game: fmt.Sprint("trial", i), Side: engine.First, Start: config.First, Time: config.Time, Grace: config.Grace, Seed: 1,
			})
		})
	}
	running.Wait()
	if err := cmp.Or(ctx.Err(), cli.BadInput(errors.Join(errs...))); err != nil {
		return err
	}
	for _, p := range f.pools {
		if p.game.Prepare != nil && !p.noSolve {
			p.game.Prepare(ctx, a, p.options)
		}
	}
	return nil
}

// Close releases the resources of the players, and removes empty output of programs.
func (f *lineup) Close() error {
	var errs []error
	for _, c := range f.close {
		errs = append(errs, c())
	}
	if f.Output != "" {
		outputs, _ := filepath.Glob(filepath.Join(f.Output, "*.out"))
		for _, file := range outputs {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
				os.Remove(file) // fails if a program has it open on some systems
			}
		}
	}
	return errors.Join(errs...)
}

// Add adds the player with the given spec ([playersHelp]). A name in the spec must be unique.
func (f *lineup) Add(a *cli.App, g cli.Game, spec string, log *slog.Logger) error {
	name, spec := splitName(spec)
	given := name != ""
	if given && !validName(name) {
		return cli.BadInput(fmt.Errorf("player %s=%s: want %s", name, spec, wantName))
	}
	if level, ok := levels.Named(g.Name(), spec, 0); !given && ok {
		name = level.Name()
	} else if !given {
		name = defaultName(spec)
	}
	if given && f.hasName(name) {
		return cli.BadInput(fmt.Errorf("two players are named %s, case ignored", name))
	}
	base := name
	for i := 2; f.hasName(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return f.addNamed(a, g, name, spec, log)
}

// splitName cuts NAME= from the front of a spec; without it, name is "".
func splitName(text string) (name, spec string) {
	if m := namedSpec.FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	return "", text
}

// hasName ignores case, because names become file names and some file systems ignore case.
func (f *lineup) hasName(name string) bool {
	return slices.ContainsFunc(f.Participants, func(p arena.Participant) bool { return strings.EqualFold(p.Name, name) })
}

// addNamed adds a player. The name must be valid and unique, and spec has none.
func (f *lineup) addNamed(a *cli.App, g cli.Game, name, spec string, log *slog.Logger) error {
	e := arena.Participant{Name: name, Spec: spec}
	kind, options, _ := strings.Cut(spec, ":")
	threads := 1
	own := g.Arena
	_, isLevel := levels.Named(g.Name(), spec, 0)
	switch {
	case isLevel:
		e.Open = func(_ context.Context, s arena.Setup) (engine.Player, error) {
			l, _ := levels.Named(g.Name(), spec, s.Seed)
			return practiceLevel{l}, nil
		}
	case kind == "endwise":
		p, err := newLookupPool(a, g, options, log)
		if err != nil {
			return err
		}
		threads = p.options.Threads
		f.close = append(f.close, p.Close)
		f.pools = append(f.pools, p)
		e.Open = p.open(name)
	default:
		open, err := openProgram(g, spec, cli.ProgramEnv{
			Name: name, Output: f.Output, Openings: f.Openings, Notices: a.Stderr,
			IsProgram: func(name string) bool { return f.programs[name] },
			Before: func(check func(context.Context, arena.Setup) error) {
				f.before = append(f.before, func(ctx context.Context, trial arena.Setup) error {
					if err := check(ctx, trial); err != nil {
						return fmt.Errorf("player %s: %w", name, err)
					}
					return nil
				})
			},
		})
		if err != nil {
			return cli.BadInput(err)
		}
		if f.programs == nil {
			f.programs = map[string]bool{}
		}
		f.programs[name] = true
		e.Open = open
		if own.End != nil {
			f.close = append(f.close, func() error { own.End(); return nil })
		}
	}
	f.Participants = append(f.Participants, e)
	f.Threads = max(f.Threads, threads)
	return nil
}

// practiceLevel gives a level additional time, because it is late only if the machine is busy.
type practiceLevel struct{ engine.Player }

func (practiceLevel) MoveTimeout(limit time.Duration, _ bool) time.Duration {
	return limit + time.Minute
}

// openProgram returns a function that opens the program of a spec.
func openProgram(g cli.Game, spec string, env cli.ProgramEnv) (
	func(context.Context, arena.Setup) (engine.Player, error), error) {
	known := []string{levels.Wanted(g.Name()), "endwise"}
	for _, prefix := range slices.Sorted(maps.Keys(g.Arena.Programs)) {
		if rest, ok := strings.CutPrefix(spec, prefix); ok {
			open, err := g.Arena.Programs[prefix](env, rest)
			if err == nil && prefix == "cmd:" {
				err = missingScript(rest)
			}
			if err != nil {
				return nil, fmt.Errorf("player %s: %w", env.Name, err)
			}
			return open, nil
		}
		known = append(known, prefix+"…")
	}
	return nil, g.Arena.UnknownPlayer(spec, strings.Join(known, ", "))
}

// interpreted matches a command line that runs a script: an interpreter, its options other than those
// for a module or code, and the script with what follows.
var interpreted = regexp.MustCompile(`^(?:\S*/)?(?:python[0-9.]*|node|ruby|perl|lua|bash|sh)(?:\s+-[^\scemWX]+)*\s+([\w./][\w./ \t-]*)`)

// missingScript returns an error if the script of a command line that matches interpreted has an
// extension and does not exist, or has a name with blanks.
func missingScript(command string) error {
	m := interpreted.FindStringSubmatch(strings.TrimSpace(command))
	if m == nil {
		return nil
	}
	words := strings.Fields(m[1])
	for i := range words {
		file := strings.Join(words[:i+1], " ")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if i > 0 {
			return fmt.Errorf("%s: no such file; write %q in quotes", words[0], file)
		}
		return nil
	}
	if filepath.Ext(words[0]) != "" {
		return fmt.Errorf("%s: no such file", words[0])
	}
	return nil
}

func isProgram(g cli.Game, spec string) bool {
	for prefix := range g.Arena.Programs {
		if strings.HasPrefix(spec, prefix) {
			return true
		}
	}
	return false
}

func isSpec(g cli.Game, spec string) bool {
	_, isLevel := levels.Named(g.Name(), spec, 0)
	kind, _, _ := strings.Cut(spec, ":")
	return isLevel || kind == "endwise" || isProgram(g, spec)
}

// spacedName finds a name in front of the spec in text: for "bot level1" it returns "bot" and "level1".
// If text is a spec, or contains none, more is "".
func spacedName(g cli.Game, text string) (more, spec string) {
	words := strings.Fields(text)
	for i := range words {
		if spec = strings.Join(words[i:], " "); isSpec(g, spec) && !engine.IsNumber(spec) {
			return strings.Join(words[:i], " "), spec
		}
	}
	return "", text
}

// defaultName derives a name from a spec: the file name or the port at the end of a command or address,
// otherwise the kind of player, without the characters that no name has. A number can be appended.
func defaultName(spec string) string {
	kind, rest, _ := strings.Cut(spec, ":")
	if words := strings.Fields(rest); kind != "endwise" && len(words) > 0 {
		word := words[len(words)-1]
		if i := strings.LastIndexByte(word, '/'); i+1 < len(word) {
			word = word[i+1:]
		}
		if address, err := netip.ParseAddrPort(word); err == nil {
			word = fmt.Sprintf("port%d", address.Port())
		}
		kind = word
	}
	name := strings.Trim(unfitForName.ReplaceAllString(kind, "_"), "_")
	if name == "" {
		name = "player"
	}
	return strings.ToValidUTF8(name[:min(len(name), maxName-3)], "")
}

// lookupPool provides a separate lookup for each concurrent game of a player.
type lookupPool struct {
	cli.Lookups
	game     cli.Game
	options  book.Options
	moveTime time.Duration // 0 for no own limit
	noSolve  bool
	server   string // "" for none
}

// newLookupPool returns the pool for the options in text, which follow "endwise:".
func newLookupPool(a *cli.App, g cli.Game, text string, log *slog.Logger) (*lookupPool, error) {
	p := &lookupPool{game: g, options: book.Options{
		Starter: data.Books(), Threads: playerThreads, HashBytes: playerHashMB << 20, Log: log,
	}}
	if !strings.Contains(","+text, ",store=") { // a default store that is not needed may be missing
		p.options.Store = a.StoreIfAny()
	}
	for option := range strings.SplitSeq(text, ",") {
		if option == "" {
			continue
		}
		if err := p.set(option); err != nil {
			return nil, cli.BadInput(fmt.Errorf("player endwise: %w", err))
		}
	}
	return p, nil
}

// set sets an option of the form KEY=VALUE ([playersHelp]).
func (p *lookupPool) set(option string) error {
	key, value, _ := strings.Cut(option, "=")
	fail := func(want string) error { return fmt.Errorf("%s=%s: want %s", key, value, want) }
	number, numberErr := strconv.Atoi(value)
	switch key {
	case "threads":
		if numberErr != nil || number < 1 || number > 1024 {
			return fail("1 or more")
		}
		p.options.Threads = number
	case "hash":
		if numberErr != nil {
			return fail("megabytes, 1 or more")
		}
		if err := cli.WantHash("hash", number); err != nil {
			return err
		}
		p.options.HashBytes = int64(number) << 20
	case "time":
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fail("a duration like 500ms")
		}
		p.moveTime = d
	case "store":
		if p.options.Store = value; value == "none" {
			p.options.Store = ""
		}
	case "book":
		if p.options.NoBooks = value == "off"; value == "on" || value == "off" {
			break
		}
		if name, err := opening.GameOf(value); err != nil || name != p.game.Name() {
			return fail("on, off or the directory of a book of " + p.game.Name())
		}
		p.options.Books = append(p.options.Books, value)
	case "solve":
		if value != "on" && value != "off" {
			return fail("on or off")
		}
		p.noSolve = value == "off"
	case "lookup":
		c, err := remote.New(value, p.game.Game)
		if err == nil {
			err = c.Reach(context.Background())
		}
		if err != nil {
			return fmt.Errorf("lookup=%s: %w", value, err)
		}
		p.server = value
	default:
		return fmt.Errorf("unknown option %q; known are threads, time, hash, store, book, lookup, solve", option)
	}
	return nil
}

// open returns a function that opens a player with the given name for one game.
func (p *lookupPool) open(name string) func(context.Context, arena.Setup) (engine.Player, error) {
	return func(context.Context, arena.Setup) (engine.Player, error) {
		l, err := p.Get(p.game.Name(), func() (*book.Lookup, error) {
			return (&cli.LookupFlags{Server: p.server}).Open(p.game, p.options)
		})
		if err != nil {
			return nil, err
		}
		return &pooledPlayer{Player: book.Player{Label: name, Lookup: l}, lookup: l, pool: p}, nil
	}
}

// clock returns c, or the clock of the own limit if that ends earlier.
func (p *lookupPool) clock(c engine.Clock) engine.Clock {
	if p.moveTime > 0 && (c.Deadline.IsZero() || p.moveTime < time.Until(c.Deadline)) {
		return engine.ClockFor(p.moveTime)
	}
	return c
}

// pooledPlayer plays one game with a lookup of the pool.
type pooledPlayer struct {
	engine.Player // uses lookup
	lookup        *book.Lookup
	pool          *lookupPool
	soFar         engine.SoFar
	returned      <-chan struct{} // of the last call of AskInTime; nil before
	broken        bool            // a search failed or was late, so lookup is not used again
}

// Choose limits the time to the player's own limit. If the search is late, Choose returns the best
// move so far ([engine.AskInTime]); without one it waits for the search.
func (p *pooledPlayer) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	p.wait()
	if c = p.pool.clock(c); c.Deadline.IsZero() {
		a := <-engine.Ask(ctx, p.Player, pos, c, nil).Answer
		p.broken = p.broken || a.Err != nil
		return a.Decision, a.Err
	}
	searching, stop := context.WithCancel(ctx)
	defer stop()
	a, returned, ok := engine.AskInTime(searching, p.Player, pos, c, &p.soFar, nil)
	p.returned = returned
	p.broken = p.broken || a.Err != nil
	if a.Err != engine.ErrLate {
		return a.Decision, a.Err
	}
	if !ok {
		stop()
		p.wait()
		if a.Decision, _, ok = p.soFar.Move(pos); !ok {
			return engine.Decision{}, engine.ErrLate
		}
	}
	return a.Decision, nil
}

// wait waits for a late search.
func (p *pooledPlayer) wait() {
	if p.returned != nil {
		<-p.returned
	}
}

// Close returns the lookup to the pool, or closes it if it is broken.
func (p *pooledPlayer) Close() error {
	p.wait()
	if p.broken {
		return p.lookup.Close()
	}
	p.pool.Put(p.pool.game.Name(), p.lookup)
	return nil
}
