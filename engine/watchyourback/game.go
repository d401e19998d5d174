package watchyourback

import (
	"fmt"

	"endwise/engine"
)

const Name = "watchyourback"

// Game implements [engine.Game].
type Game struct {
	Strict bool // as in [New]
}

func (Game) Name() string { return Name }

func (Game) Title() string { return "Watch Your Back!" }

func (Game) RulesVersion() int { return 1 }

func (Game) SideNames() [2]string { return [2]string{"White", "Black"} }

func (Game) Boards() []string { return []string{"8x8"} }

func (g Game) Start(board string) (engine.Position, error) {
	if board != "" && board != "8x8" {
		return nil, fmt.Errorf("board %.40q: Watch Your Back is played on 8x8", board)
	}
	return New(g.Strict), nil
}

func (g Game) Parse(text string) (engine.Position, error) {
	return parse(text, g.Strict)
}

func (Game) Notations() []string { return engine.Notations }

func (g Game) Write(notation string, start engine.Position, moves []engine.Move) (string, error) {
	return engine.Write(g, notation, start, moves)
}
