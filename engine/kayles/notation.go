package kayles

import (
	"errors"
	"fmt"
	"strings"

	"endwise/engine"
)

// Game introduces Kayles.
type Game struct{}

var (
	_ engine.CanonicalGame = Game{}
	_ engine.Boarded       = Game{}
)

// Name implements engine.Game.
func (Game) Name() string { return Name }

// Title implements engine.Game.
func (Game) Title() string { return "Kayles" }

// RulesVersion implements engine.Game.
func (Game) RulesVersion() int { return 1 }

// Boards implements engine.Boarded.
func (Game) Boards() []string { return []string{UsualBoard, "20", "5-7-3", "7"} }

// Start implements engine.Game.
func (Game) Start(size string) (engine.Position, error) {
	if size == "" {
		size = UsualBoard
	}
	return New(size)
}

// String implements engine.Position: the board, the pins (I stands, . has
// fallen, - lies between two rows) and the player to move, like
// 5-3:II..I-III:2.
func (p Position) String() string { return fmt.Sprintf("%s:%s:%d", p.board, p.pins, p.turn) }

// maxText is the longest position that is read, in bytes.
const maxText = 2000

// Parse implements engine.Game: it reads what String writes, or a board with
// moves like "5-3 1 7-8".
func (Game) Parse(text string) (engine.Position, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return nil, fmt.Errorf("position: longer than %d bytes", maxText)
	}
	if text == "" {
		return nil, errors.New("position: empty; want BOARD:PINS:TURN like 5-3:II..I-III:2, or a board and moves like 5-3 1 7-8")
	}
	parts := strings.Split(text, ":")
	if len(parts) == 1 {
		return parseMoves(text)
	}
	if len(parts) != 3 {
		return nil, fmt.Errorf("position %.40q: want BOARD:PINS:TURN like 5-3:II..I-III:2", text)
	}
	b, err := parseBoard(parts[0])
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	p := Position{board: b, pins: parts[1]}
	switch parts[2] {
	case "1":
		p.turn = engine.First
	case "2":
		p.turn = engine.Second
	default:
		return nil, fmt.Errorf("position: turn %.40q: want 1 or 2", parts[2])
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	return p, nil
}

// check says why the pins can't be those of the board. They need not lie in its
// rows: only the runs of standing pins count.
func (p Position) check() error {
	if p.pins == "" || len(p.pins) > 2*MaxPins {
		return fmt.Errorf("pins: want 1 to %d letters", 2*MaxPins)
	}
	if i := strings.IndexFunc(p.pins, func(r rune) bool { return r != standing && r != fallen && r != gap }); i >= 0 {
		return fmt.Errorf("pins: character %d: want %c for a pin that stands, %c for a fallen one, %c between two rows", i+1, standing, fallen, gap)
	}
	if n := strings.Count(p.pins, string(standing)); n > p.board.pins() {
		return fmt.Errorf("pins: %d stand, the board %s has %d", n, p.board, p.board.pins())
	}
	for _, r := range p.runs() {
		if r.size > p.board.longest() {
			return fmt.Errorf("pins: %d stand side by side, the longest row of %s has %d", r.size, p.board, p.board.longest())
		}
	}
	return nil
}

// parseMoves reads a board and moves from its first position.
func parseMoves(text string) (engine.Position, error) {
	words := strings.Fields(text)
	first, err := New(words[0])
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	p, err := engine.PlayMoves(first, words[1:])
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	return p, nil
}
