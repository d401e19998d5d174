package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
)

// profileRounds is how often a profile runs every search: with some two
// seconds a round and a sample in 10 ms, thousands of samples.
const profileRounds = 8

// writeProfile runs all searches so many times, prints the fingerprints of the
// last round and writes a processor profile of all of them, in the form that
// go build -pgo and go tool pprof read. An interrupted run leaves no file.
func writeProfile(ctx context.Context, w io.Writer, file string, rounds int) (err error) {
	part := file + ".part"
	f, err := os.Create(part)
	if err != nil {
		return badInput(fmt.Errorf("--profile: %w", err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	if err = pprof.StartCPUProfile(f); err == nil {
		for i := 1; i < rounds && err == nil; i++ {
			err = printFingerprints(ctx, io.Discard)
		}
		if err == nil {
			err = printFingerprints(ctx, w)
		}
		pprof.StopCPUProfile()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, file)
	}
	return err
}
