package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"endwise/cmd/endwise/cli"
	"endwise/data"
	"endwise/engine/testenv"
)

// trial describes how an example is run quickly, and what it needs.
type trial struct {
	add   string // flags to append; the last value of a repeated flag counts
	from  string // a word of the example to replace
	to    string // its replacement
	stdin string
	serve bool   // runs until it is interrupted after its first output
	parse string // why the example is only parsed, not run
}

// trials contains the trial of a whole example, or of a command by its path.
var trials = map[string]trial{
	"analyze":             {add: "--time 5ms --guess 1ms --hash 8 --threads 1 --worst 1"},
	"arena":               {add: "--games 2 --time 20ms --board 3x3 --openings 0"},
	"book grow":           {add: "--positions 3 --time 2ms --hash 8 --jobs 1 OPENING.txt"},
	"book publish":        {add: "--force"},
	"bot dotsandboxes":    {add: "--addr 127.0.0.1:0 --hash 8", serve: true},
	"bot watchyourback":   {stdin: `{"type":"start","colour":"white","strict":false}` + "\n"},
	"build":               {parse: "scripts/testdata/build.txtar runs it, and it solves for seconds"},
	"championship":        {add: "--board 3x3"},
	"play":                {stdin: "moves\nquit\n", add: "--time 2ms --hash 8 --first human"},
	"prove":               {from: "3x3", to: "2x2"},
	"query":               {add: "--time 20ms --hash 8"},
	"referee":             {add: "--max-turns 2 --games 1 --no-solve --time 1ms --hash 8 --quiet"},
	"site":                {parse: "TestStaticSiteOffline runs it: the go command takes long"},
	"serve":               {add: "--addr 127.0.0.1:0", serve: true},
	"serve circuitwars":   {add: "--addr 127.0.0.1:0", serve: true},
	"serve dotsandboxes":  {add: "--addr 127.0.0.1:0", serve: true},
	"solve circuitwars":   {add: "--hash 8", from: "3x3", to: "2x2"},
	"solve dotsandboxes":  {add: "--hash 8 --board 2x2"},
	"solve watchyourback": {add: "--pieces 4 --compare 10"},
	"endwise status --nats nats://127.0.0.1:4222": {parse: "scripts/testdata/nats.txtar runs it beside a coordinator"},
	"worker":          {parse: "scripts/testdata/nats.txtar runs it beside a coordinator"},
	"verify":          {from: "3x3", to: "2x2"},
	"bot circuitwars": {parse: "TestGameAI and TestResumeOwnGame play with it"},
	"endwise bench":   {parse: "TestNodeCounts runs it"},
	"endwise verify":  {add: "circuitwars-board-2x2"},
	"endwise verify --claims data/results/dotsandboxes-4x5.claims.gz --sample 10": {parse: "TestVerifyClaims reads smaller files"},
	"endwise referee watchyourback \"cmd:endwise bot watchyourback\" greedy":      {parse: "scripts/testdata/watchyourback.txtar plays with programs"},
	"endwise referee watchyourback py:MINE.py endwise -t 60 --games 10 --quiet":   {parse: "scripts/testdata/watchyourback_shim.txtar plays with Python players"},
	"endwise replay circuitwars --to http://127.0.0.1:5000 --pace 1s GAME.log":    {parse: "scripts/testdata/replay.txtar plays on a server"},
	"endwise solve circuitwars --segments 12":                                     {add: "--segments 6"},
	"endwise book grow circuitwars --from \"7x7 3,3,top\" --time 20s --again":     {add: "--time 2ms --hash 8 --jobs 1"},
	"endwise play dotsandboxes --first level3 --second human":                     {add: "--second human --time 2ms", stdin: "quit\n"},
	"endwise book grow circuitwars LOGS/ --positions 10000 --time 500ms":          {add: "--positions 2 --time 2ms --hash 8", from: "LOGS/", to: "GAMES/"},
}

// exampleLines returns the command lines of an Example text.
func exampleLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

var shellWord = regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s"']+`)

// shellWords splits a command line as a shell does, up to the first operator or comment. It
// supports quotes around whole words.
func shellWords(line string) []string {
	var out []string
	for _, w := range shellWord.FindAllString(line, -1) {
		if strings.HasPrefix(w, "#") || slices.Contains([]string{"|", "&&", ">", ">>", "<", ";", "&"}, w) {
			break
		}
		out = append(out, strings.Trim(w, `"'`))
	}
	return out
}

// parses returns an error if the program would not accept a command line because of its
// command, its flags, their values or its number of words. words begin with endwise.
func parses(words []string) error {
	a := &cli.App{Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Games: games()}
	cmd, rest, err := newRootCmd(a).Find(words[1:])
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if help, err := cmd.Flags().GetBool("help"); err == nil && help {
		return nil
	}
	if cmd.HasSubCommands() && cmd.Name() != "serve" && cmd.Flags().NArg() > 0 {
		return fmt.Errorf("%s has no subcommand %s", cmd.CommandPath(), cmd.Flags().Arg(0))
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// The example of every command runs in the program itself, shortened, in a directory with
// the files that examples name.
func TestExamples(t *testing.T) {
	type example struct{ line, path string }
	var all []example
	for _, c := range commands(t) {
		for _, line := range exampleLines(c.Example) {
			all = append(all, example{line, strings.TrimPrefix(c.CommandPath(), "endwise ")})
		}
	}
	// A book must exist before it is shown, and tables before they are verified.
	order := []string{"solve", "book grow", "book export", "book"}
	slices.SortStableFunc(all, func(x, y example) int {
		rank := func(e example) int {
			for i, first := range order {
				if strings.HasPrefix(e.path, first) && e.path != "book" {
					return i
				}
			}
			return len(order)
		}
		return rank(x) - rank(y)
	})
	t.Chdir(t.TempDir())
	t.Setenv("ENDWISE_STORE", filepath.Join(t.TempDir(), "store"))
	exampleFiles(t)
	seen := map[string]bool{}
	for _, e := range all {
		if seen[e.line] {
			continue
		}
		seen[e.line] = true
		t.Run(strings.ReplaceAll(e.line, " ", "_"), func(t *testing.T) { runExample(t, e.line) })
	}
	for key, trial := range trials {
		if strings.HasPrefix(key, "endwise ") && !seen[key] {
			t.Errorf("a trial of %q, which is no example", key)
		}
		if trial.parse == "" && trial.add == "" && trial.from == "" && trial.stdin == "" && !strings.HasPrefix(key, "endwise ") {
			t.Errorf("the trial of %q says nothing", key)
		}
	}
}

func runExample(t *testing.T, line string) {
	words := shellWords(line)
	if len(words) < 2 || words[0] != "endwise" {
		t.Fatalf("want endwise and a command, have %q", words)
	}
	testenv.OK(t, parses(words))
	how, ok := trials[line]
	if !ok {
		path := words[1]
		if len(words) > 2 {
			if _, two := trials[path+" "+words[2]]; two {
				path += " " + words[2]
			}
		}
		how = trials[path]
	}
	if how.parse != "" {
		return
	}
	for i := range words {
		if how.from != "" {
			words[i] = strings.ReplaceAll(words[i], how.from, how.to)
		}
	}
	words = append(words[1:], strings.Fields(how.add)...)
	var out output
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if how.serve {
		out.said = cancel
	}
	want := []int{exitOK}
	if how.serve {
		want = append(want, exitInterrupted)
	}
	if words[0] == "doctor" {
		want = append(want, exitFailure) // the check may find a problem on this machine
	}
	if code := run(ctx, words, strings.NewReader(how.stdin), &out, &out); !slices.Contains(want, code) {
		t.Fatalf("endwise %s: exit code %d\n%s", strings.Join(words, " "), code, out.String())
	}
	if out.String() == "" && !strings.HasPrefix(line, "endwise book export") {
		t.Errorf("endwise %s: said nothing", strings.Join(words, " "))
	}
}

// output collects what a command prints and signals its first output.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	said func()
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.said != nil {
		o.said()
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// exampleFiles writes the files that examples name.
func exampleFiles(t *testing.T) {
	t.Helper()
	logs, err := fs.Glob(data.Games, "games/circuitwars/*.log")
	if err != nil || len(logs) == 0 {
		t.Fatal("no games", err)
	}
	log, err := fs.ReadFile(data.Games, logs[0])
	testenv.OK(t, err)
	for name, text := range map[string]string{
		"GAME.log":       string(log),
		"OPENING.txt":    "3,3,top\n",
		"FORUM.txt":      "1. b5-c5 2. c4-c5",
		"GAMES/game.log": string(log),
		"TEAMS.txt":      "group a\none level1\ntwo level2\ngroup b\nthree level1\nfour level2\n",
	} {
		testenv.OK(t, os.MkdirAll(filepath.Dir(name), 0o777))
		testenv.OK(t, os.WriteFile(name, []byte(text), 0o666))
	}
	// The books of two machines.
	for _, dir := range []string{"books/circuitwars-7x7", "OTHER-BOOK"} {
		if code, _, errs := endwise(t, "book", "grow", "circuitwars", "--book", dir, "--positions", "2", "--time", "1ms", "--hash", "8", "--jobs", "1"); code != exitOK {
			t.Fatal(errs)
		}
	}
}
