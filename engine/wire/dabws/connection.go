package dabws

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
)

// connection is one socket: its games and the goroutines that think.
type connection struct {
	agent    *Agent
	conn     *websocket.Conn
	log      *slog.Logger
	games    map[string]*game // only the reading goroutine touches it
	thinking sync.WaitGroup
}

// game is one game on one connection.
type game struct {
	id      string
	roles   [3]bool // by player
	limit   time.Duration
	pos     dotsandboxes.Position
	stop    context.CancelFunc // ends the thinking in progress
	started time.Time
}

// read handles messages until the socket closes, or a longer one than maxMessage begins. It never waits for a
// thinking player, so pings are answered and other games go on.
func (c *connection) read(ctx context.Context) {
	c.conn.SetReadLimit(maxMessage)
	for {
		kind, data, err := c.conn.Read(ctx)
		arrived := time.Now()
		if err != nil {
			if s := websocket.CloseStatus(err); s != websocket.StatusNormalClosure && s != websocket.StatusGoingAway && ctx.Err() == nil {
				c.log.Info("connection lost", "cause", err)
			}
			for _, g := range c.games {
				g.stop()
			}
			c.conn.Close(websocket.StatusNormalClosure, "")
			return
		}
		if kind != websocket.MessageText {
			c.log.Warn("ignored: a binary message", "bytes", len(data))
			continue
		}
		m, err := decode(data)
		if err == nil {
			err = c.handle(ctx, m, arrived)
		}
		if err != nil {
			c.log.Warn("ignored", "cause", err, "message", engine.OneLine(string(data), shownBytes))
		}
	}
}

// shownBytes is how much of a message goes into a log or a report.
const shownBytes = 200

func (c *connection) handle(ctx context.Context, m message, arrived time.Time) error {
	switch m.Type {
	case "start":
		return c.start(ctx, m, arrived)
	case "action":
		return c.action(ctx, m, arrived)
	case "end":
		return c.end(m)
	}
	return fmt.Errorf("type %.40q: want start, action or end", m.Type)
}

// start seats the agent. A second start of a game in which no line is drawn
// adds a role; any other starts the game anew.
func (c *connection) start(ctx context.Context, m message, arrived time.Time) error {
	if m.Player != 1 && m.Player != 2 {
		return fmt.Errorf("start: player %d: want 1 or 2", m.Player)
	}
	if len(m.Grid) != 2 {
		return fmt.Errorf("start: grid %v: want [rows, cols]", m.Grid)
	}
	b, err := grid.New(m.Grid[0], m.Grid[1])
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	g := c.games[m.Game]
	fresh := dotsandboxes.New(b)
	if g == nil || g.pos != fresh || g.roles[m.Player] {
		if g != nil {
			g.stop()
		} else if len(c.games) >= maxGames {
			c.forgetOldest()
		}
		g = &game{id: m.Game, pos: fresh, stop: func() {}, started: arrived}
		c.games[m.Game] = g
	}
	g.roles[m.Player] = true
	limit, odd := m.limit()
	if odd != "" && g.limit != limit { // said once a game
		c.log.Warn("a move takes the usual time", "cause", odd, "game", g.id, "limit", limit)
	}
	g.limit = limit
	c.log.Info("game starts", "game", g.id, "player", m.Player, "grid", b, "limit", g.limit)
	switch {
	case m.Player == int(engine.First):
		c.think(ctx, g, arrived)
	case !g.roles[engine.First]:
		c.ponder(ctx, g, arrived)
	}
	return nil
}

// forgetOldest makes room for a game.
func (c *connection) forgetOldest() {
	var oldest *game
	for _, g := range c.games {
		if oldest == nil || g.started.Before(oldest.started) {
			oldest = g
		}
	}
	oldest.stop()
	delete(c.games, oldest.id)
	c.log.Warn("game forgotten to make room", "game", oldest.id)
}

// action draws a line that the game tells of and answers it if it is this
// agent's turn.
func (c *connection) action(ctx context.Context, m message, arrived time.Time) error {
	g := c.games[m.Game]
	if g == nil {
		return fmt.Errorf("action: no game %.40q on this connection", m.Game)
	}
	l, err := m.line(g.pos)
	if err != nil {
		return fmt.Errorf("action: %w", err)
	}
	if m.Player != 0 && m.Player != int(g.pos.Turn()) {
		c.log.Warn("the game says that the other player moved", "game", g.id, "player", m.Player)
	}
	next, err := g.pos.DrawLine(l)
	if err != nil {
		return fmt.Errorf("action: %w", err)
	}
	g.stop()
	g.pos = next
	turn := int(next.Turn())
	if m.NextPlayer != nil && *m.NextPlayer != turn && !next.Over() {
		// The game decides whose turn it is; what follows is played from there.
		c.log.Warn("the game sees another player's turn than the rules", "game", g.id, "nextplayer", *m.NextPlayer, "rules", turn)
		if turn = *m.NextPlayer; turn == 1 || turn == 2 {
			p, err := dotsandboxes.FromLines(next.Board(), next.Drawn(), next.Score(), engine.Side(turn))
			if err != nil {
				return fmt.Errorf("action: %w", err)
			}
			g.pos = p
		}
	}
	if s := next.Score(); len(m.Score) == 2 && ([2]int{m.Score[0], m.Score[1]}) != s {
		c.log.Warn("the game counts another score than the rules", "game", g.id, "score", m.Score, "rules", s)
	}
	switch {
	case turn < 1 || turn > 2 || g.pos.Over():
	case g.roles[turn]:
		c.think(ctx, g, arrived)
	default:
		c.ponder(ctx, g, arrived)
	}
	return nil
}

// end closes a game.
func (c *connection) end(m message) error {
	g := c.games[m.Game]
	if g == nil {
		return fmt.Errorf("end: no game %.40q on this connection", m.Game)
	}
	g.stop()
	delete(c.games, m.Game)
	winner := "unknown"
	if m.Winner != nil {
		winner = fmt.Sprint(*m.Winner)
	}
	c.log.Info("game ends", "game", g.id, "winner", winner, "score", m.Score)
	return nil
}

// think starts choosing a move for the position of g and sends it.
func (c *connection) think(connected context.Context, g *game, arrived time.Time) {
	g.stop()
	ctx, cancel := context.WithCancel(connected)
	g.stop = cancel
	pos, id, limit := g.pos, g.id, g.limit
	pondered, answered := c.agent.pondering.answer()
	c.thinking.Go(func() {
		defer cancel()
		defer answered()
		line, source := c.choose(ctx, pos, c.log.With("game", id), limit, arrived, pondered)
		if ctx.Err() != nil {
			return // the game has moved on
		}
		text, err := json.Marshal(message{Type: "action"}.at(pos, line))
		if err != nil {
			c.log.Error("no answer", "game", id, "cause", err)
			return
		}
		answered() // before the game can ask for the next thing
		wctx, done := context.WithTimeout(connected, writeLimit)
		defer done()
		if err := c.conn.Write(wctx, websocket.MessageText, text); err != nil {
			c.log.Info("answer not delivered", "game", id, "cause", err)
			return
		}
		took := time.Since(arrived)
		level := slog.LevelDebug
		if took > limit || source == engine.Fallback {
			level = slog.LevelWarn
		}
		c.log.Log(connected, level, "move", "game", id, "line", pos.MoveString(line), "source", source, "took", took.Round(10*time.Microsecond), "limit", limit)
	})
}
