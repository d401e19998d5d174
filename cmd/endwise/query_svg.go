package main

import (
	"fmt"

	"endwise/engine"
	"endwise/engine/disk"
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
	if err := disk.WriteFile(file, 0o644, disk.Bytes(svg)); err != nil {
		return badInput(fmt.Errorf("--svg: %w", err))
	}
	return nil
}
