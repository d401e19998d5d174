//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"endwise/engine/arena"
	"endwise/engine/testenv"
)

// TestUnderLoad plays games next to two busy processes per core, at normal and, as root, at
// raised priority, and requires that no move is late. Bots of Dots and Boxes and Circuit
// Wars are separate processes that receive requests over sockets, so the time of requests
// counts. Games begin late or are stopped after some turns, so that moves use all their
// time. ENDWISE_DEEP=1 plays a few games of each kind, ENDWISE_GAMES=N the given number,
// ENDWISE_JOBS=N the given number concurrently, and -run chooses among them:
//
//	ENDWISE_DEEP=1 ENDWISE_GAMES=300 go test -run TestUnderLoad/circuitwars/3s/raised -timeout 10h -v ./cmd/endwise
//
// ENDWISE_RESULTS=DIR keeps the results there, so that an interrupted run is resumed.
func TestUnderLoad(t *testing.T) {
	if !testenv.Deep() {
		t.Skip("minutes of games on a machine under full load: set ENDWISE_DEEP=1")
	}
	games := cmp.Or(os.Getenv("ENDWISE_GAMES"), "4")
	jobs := cmp.Or(os.Getenv("ENDWISE_JOBS"), "1")
	bot := func(_ *testing.T, limit string) string {
		interval := "200ms"
		if limit == "500ms" {
			interval = "20ms" // two requests fit into a move
		}
		return `cmd:endwise bot circuitwars --server "$ENDWISE_SERVER" --team "$ENDWISE_TEAM" --hash 32 --interval ` + interval + ` #`
	}
	inside := func(*testing.T, string) string { return "endwise:hash=32,store=none" }
	for _, g := range []struct {
		name   string
		player func(t *testing.T, limit string) string
		flags  []string
	}{
		{"circuitwars", bot, []string{"--openings", "56", "--max-turns", "10"}},
		{"dotsandboxes", loadedAgent, []string{"--board", "7x7", "--max-turns", "30"}},
		{"watchyourback", inside, []string{"--openings", "60", "--max-turns", "10"}},
	} {
		t.Run(g.name, func(t *testing.T) {
			for _, limit := range []string{"500ms", "3s"} {
				t.Run(limit, func(t *testing.T) {
					for priority, nice := range map[string]int{"normal": 0, "raised": -5} {
						t.Run(priority, func(t *testing.T) {
							burn(t, nice)
							args := append([]string{"arena", g.name, "one=" + g.player(t, limit), "two=" + g.player(t, limit), "--json", "--games", games, "--time", limit, "--jobs", jobs}, g.flags...)
							if dir := os.Getenv("ENDWISE_RESULTS"); dir != "" {
								args = append(args, "--results", filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")))
							}
							noneLate(t, args...)
						})
					}
				})
			}
		})
	}
}

// burn keeps every core busy twice until the test ends.
func burn(t *testing.T, nice int) {
	t.Helper()
	for range 2 * runtime.NumCPU() {
		busy := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		testenv.OK(t, busy.Start())
		t.Cleanup(func() { _ = busy.Wait() }) // killed by the context
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, busy.Process.Pid, nice); err != nil {
			t.Skipf("no priority of %d: %v", nice, err)
		}
	}
}

// loadedAgent starts an agent of Dots and Boxes.
func loadedAgent(t *testing.T, _ string) string {
	t.Helper()
	agent := exec.CommandContext(t.Context(), "endwise", "bot", "dotsandboxes", "--addr", "127.0.0.1:0", "--hash", "32")
	out, err := agent.StdoutPipe()
	if err == nil {
		err = agent.Start()
	}
	testenv.OK(t, err)
	t.Cleanup(func() { _ = agent.Wait() }) // killed by the context
	line, err := bufio.NewReader(out).ReadString('\n')
	testenv.OK(t, err)
	return regexp.MustCompile(`ws://\S+`).FindString(line)
}

// noneLate runs an arena in which no player may be late or forfeit.
func noneLate(t *testing.T, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	arenas := exec.CommandContext(t.Context(), "endwise", args...)
	arenas.Stdout, arenas.Stderr = &out, &errs
	if err := arenas.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var report arena.Report
	testenv.OK(t, json.Unmarshal(out.Bytes(), &report))
	for _, p := range report.Players {
		t.Logf("%s: %d games, %d moves, %d forfeits, mean %.0f ms, slowest %.0f ms of %d", p.Name, p.Games, p.Moves, p.Forfeits, p.MeanMS, p.MaxMS, report.TimeMS)
		if p.Moves == 0 {
			t.Error("no moves")
		}
	}
	for _, f := range report.Faults {
		if !strings.Contains(fmt.Sprint(f), "stopped after") {
			t.Error(f)
		}
	}
}
