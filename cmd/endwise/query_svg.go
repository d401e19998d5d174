package main

import (
	"errors"
	"fmt"
	"os"

	"endwise/engine"
)

// writePicture draws a position and what a decision says about it to a file,
// which is there complete or not at all.
func writePicture(g gameEntry, p engine.Position, d engine.Decision, file string) error {
	page, err := g.page()
	if err != nil {
		return err
	}
	svg, err := page.Picture(p, d)
	if err != nil {
		return err
	}
	part := file + ".part"
	if err := os.WriteFile(part, svg, 0o666); err != nil {
		return badInput(fmt.Errorf("--svg: %w", err))
	}
	if err := os.Rename(part, file); err != nil {
		return errors.Join(fmt.Errorf("--svg: %w", err), os.Remove(part))
	}
	return nil
}
