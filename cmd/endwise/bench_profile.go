package main

import (
	"context"
	"fmt"
	"io"
	"runtime/pprof"

	"endwise/engine/disk"
)

// profileRounds is how often a profile runs every search: with some two
// seconds a round and a sample in 10 ms, thousands of samples.
const profileRounds = 8

// writeProfile runs all searches so many times, prints the fingerprints of the
// last round and writes a processor profile of all of them, in the form that
// go build -pgo and go tool pprof read. An interrupted run leaves no file.
func writeProfile(ctx context.Context, w io.Writer, file string, rounds int) error {
	opened := false
	err := disk.WriteFile(file, 0o644, func(profile io.Writer) error {
		opened = true
		if err := pprof.StartCPUProfile(profile); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		for range rounds - 1 {
			if err := printFingerprints(ctx, io.Discard); err != nil {
				return err
			}
		}
		return printFingerprints(ctx, w)
	})
	if !opened {
		return badInput(fmt.Errorf("--profile: %w", err))
	}
	return err
}
