package watchyourback

import (
	"fmt"

	"endwise/engine"
)

// Name is the game's name on the command line and in stores.
const Name = "watchyourback"

// Game implements [engine.Game].
type Game struct {
	// Strict disables the extension of the rules that ends endless games; see [New].
	Strict bool
}

// Name implements [engine.Game].
func (Game) Name() string { return Name }

// Title implements [engine.Game].
func (Game) Title() string { return "Watch Your Back!" }

// RulesVersion implements [engine.Game].
func (Game) RulesVersion() int { return 1 }

// SideNames implements [engine.Sided].
func (Game) SideNames() [2]string { return [2]string{"White", "Black"} }

// Boards implements [engine.Game].
func (Game) Boards() []string { return []string{"8x8"} }

// Start implements [engine.Game]. The only board is 8x8.
func (g Game) Start(board string) (engine.Position, error) {
	if board != "" && board != "8x8" {
		return nil, fmt.Errorf("board %.40q: Watch Your Back is played on 8x8", board)
	}
	return New(g.Strict), nil
}

// Parse implements [engine.Game].
func (g Game) Parse(text string) (engine.Position, error) {
	return parse(text, g.Strict)
}

// Notations implements engine.Game.
func (Game) Notations() []string { return engine.Notations }

// Write implements engine.Game.
func (g Game) Write(notation string, start engine.Position, moves []engine.Move) (string, error) {
	return engine.Write(g, notation, start, moves)
}
