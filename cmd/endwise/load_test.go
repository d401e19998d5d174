//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"endwise/engine/arena"
)

// loadMemory is the memory that the players have, in bytes: little enough for
// the garbage collector to be busy all the time.
const loadMemory = 400 << 20

// TestUnderLoad plays games at half a second a move while other processes load
// every core twice, with memory short, and counts games lost to the clock or
// by an illegal move: none. The games begin late and are broken off after ten
// turns, so that each move is one that takes all its time. ENDWISE_DEEP=1 plays
// 20 of each game, ENDWISE_GAMES=N so many.
func TestUnderLoad(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("minutes of games on a machine under full load: set ENDWISE_DEEP=1")
	}
	number := "20"
	if n := os.Getenv("ENDWISE_GAMES"); n != "" {
		number = n
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(loadMemory))
	for range 2 * runtime.NumCPU() {
		busy := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer busy.Wait()
		defer busy.Process.Kill()
	}
	for game, opening := range map[string]int{"circuitwars": 56, "dotsandboxes": 14, "watchyourback": 60} {
		t.Run(game, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), []string{
				"arena", game, "one=endwise:hash=32,store=none", "two=endwise:hash=32,store=none", "--json",
				"--games", number, "--openings", strconv.Itoa(opening), "--max-turns", "10", "--time", "500ms",
			}, nil, &out, &errs)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			var report arena.MatchReport
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			for _, p := range report.Players {
				t.Logf("%s: %d games, %d moves, %d lost by rule, mean %.0f ms, slowest %.0f ms, %.0f ms before the limit",
					p.Name, p.Games, p.Moves, p.Forfeits, p.MeanMS, p.MaxMS, float64(report.TimeMS)-p.MaxMS)
				if p.Moves == 0 {
					t.Error("no moves")
				}
				if p.Forfeits > 0 {
					for _, f := range report.Faults {
						if !strings.Contains(f, "stopped after") {
							t.Error(f)
						}
					}
				}
			}
		})
	}
}
