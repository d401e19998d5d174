package dabws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/wire/lenient"
)

type connection struct {
	agent    *Agent
	conn     *websocket.Conn
	log      *slog.Logger
	games    map[string]*game // by id; used only by the reading goroutine
	thinking sync.WaitGroup
}

type game struct {
	id      string
	roles   [3]bool       // roles[n] means that the agent plays player n, 1 or 2
	limit   time.Duration // of a move
	pos     board
	stop    context.CancelFunc // stops the current search or pondering
	started time.Time
	soFar   engine.SoFar
}

// handleMessages handles messages until the socket closes or a message is longer than
// maxIgnored. It never waits for a player.
func (c *connection) handleMessages(ctx context.Context) {
	c.conn.SetReadLimit(maxIgnored)
	for {
		data, err := readMessage(ctx, c.conn)
		arrived := time.Now()
		if err != nil && !errors.Is(err, errLong) {
			c.close(ctx, err)
			return
		}
		var m message
		var odd error // an unreadable field of m
		if err == nil {
			m, odd, err = decode(data)
		}
		shown := engine.OneLine(string(data), shownBytes)
		if odd != nil {
			c.log.Warn("a field cannot be read", "cause", odd, "message", shown)
		}
		if err == nil {
			err = c.handle(ctx, m, arrived)
		}
		if err != nil {
			c.log.Warn("ignored", "cause", err, "message", shown)
		}
	}
}

// close stops the thinking about all games and closes the connection. It logs err, the error of
// the last read, unless the client closed the connection normally or ctx has ended.
func (c *connection) close(ctx context.Context, err error) {
	status := websocket.CloseStatus(err)
	closed := status == websocket.StatusNormalClosure || status == websocket.StatusGoingAway
	if !closed && ctx.Err() == nil {
		c.log.Info("connection lost", "cause", lossWords(err))
	}
	for _, g := range c.games {
		g.stop()
	}
	c.conn.Close(websocket.StatusNormalClosure, "")
}

// lossWords returns the error for a lost connection in words, or err unchanged.
func lossWords(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return errors.New("the other side closed it without a closing message")
	}
	return err
}

const (
	shownBytes = 200 // of a message in a log or a report
	maxReason  = 400 // bytes of the reason for a forfeit in a log
)

// handle acts on a message. An error means that the message was ignored.
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

// start begins a game in which the agent is the player of the message. A second start for the other
// player, with the same grid and before the first line, makes the agent play both sides. Any other
// second start ends the earlier game.
func (c *connection) start(ctx context.Context, m message, arrived time.Time) error {
	player, _ := m.Player.Whole()
	if player != 1 && player != 2 {
		return fmt.Errorf("start: player %s: want 1 or 2", m.Player)
	}
	rows, cols, ok := lenient.Pair(m.Grid)
	if !ok {
		return fmt.Errorf("start: grid %s: want [rows, cols]", engine.OneLine(fmt.Sprint(m.Grid), 40))
	}
	id := string(m.Game)
	g := c.games[id]
	fresh, err := newBoard(rows, cols)
	if err != nil {
		if g != nil {
			c.forget(g)
		}
		return fmt.Errorf("start: %w", err)
	}
	if g == nil || !g.pos.empty() || g.pos.size() != fresh.size() || g.roles[player] {
		g = c.addGame(id, fresh, arrived)
	}
	g.roles[player] = true
	limit, odd := m.limit()
	if odd != "" && g.limit != limit {
		c.log.Warn("the default time limit is used", "cause", odd, "game", g.id, "limit", limit)
	}
	g.limit = limit
	c.log.Info(fmt.Sprintf("game %s: %s, player %d, %v per move", engine.OneLine(g.id, 40), fresh.size(), player, g.limit),
		slog.Group("start", "game", g.id, "player", player, "grid", fresh.size(), "limit", g.limit))
	switch {
	case player == 1:
		c.think(ctx, g, arrived)
	case !g.roles[1]:
		c.ponder(ctx, g, arrived)
	}
	return nil
}

// addGame adds a game in place of one with the same id or, if there are maxGames, of the oldest one.
func (c *connection) addGame(id string, pos board, arrived time.Time) *game {
	if g := c.games[id]; g != nil {
		g.stop()
	} else if len(c.games) >= maxGames {
		c.forgetOldest()
	}
	g := &game{id: id, pos: pos, stop: func() {}, started: arrived}
	c.games[id] = g
	if _, ok := pos.(largeBoard); ok {
		c.log.Warn("the board is too large to search: it is played by simple rules", "game", id, "grid", pos.size())
	}
	return g
}

// forget stops the thinking about a game and removes the game.
func (c *connection) forget(g *game) {
	g.stop()
	delete(c.games, g.id)
}

// forgetOldest forgets the game that started first. There must be a game.
func (c *connection) forgetOldest() {
	var oldest *game
	for _, g := range c.games {
		if oldest == nil || g.started.Before(oldest.started) {
			oldest = g
		}
	}
	c.forget(oldest)
	c.log.Warn("oldest game dropped: too many games", "game", oldest.id)
}

// find returns the game of a message. A message without a game refers to the only game on the connection.
func (c *connection) find(m message) (*game, error) {
	if g := c.games[string(m.Game)]; g != nil {
		return g, nil
	}
	if m.Game == "" && len(c.games) == 1 {
		for _, g := range c.games {
			return g, nil
		}
	}
	if m.Game == "" && len(c.games) > 1 {
		return nil, fmt.Errorf("%s: the field game is missing, and this connection has %d games", m.Type, len(c.games))
	}
	return nil, fmt.Errorf("%s: no game %.40q on this connection", m.Type, m.Game)
}

// action draws the line of a message. The agent then answers if it has the turn, and otherwise ponders.
func (c *connection) action(ctx context.Context, m message, arrived time.Time) error {
	g, err := c.find(m)
	if err != nil {
		return err
	}
	next, turn, err := c.draw(g, m)
	if err != nil {
		return fmt.Errorf("action: %w", err)
	}
	g.stop()
	g.pos = next
	if a, b, ok := lenient.Pair(m.Score); m.Score != nil && (!ok || [2]int{a, b} != next.score()) {
		score := engine.OneLine(fmt.Sprint(m.Score), 40)
		c.log.Warn("score differs from the rules", "game", g.id, "score", score, "rules", next.score())
	}
	switch {
	case turn < 1 || turn > 2 || g.pos.over():
	case g.roles[turn]:
		c.think(ctx, g, arrived)
	default:
		c.ponder(ctx, g, arrived)
	}
	return nil
}

// draw returns the position after an action and the player to move: nextplayer even if the rules
// differ, or by the rules if nextplayer is missing. turn may be another number than 1 and 2.
//
// If the line cannot be drawn and the message passes the turn, next is the same board with the other
// player to move. If the message does not pass the turn, draw returns an error.
func (c *connection) draw(g *game, m message) (next board, turn int, err error) {
	mover := g.pos.mover()
	player, named := m.Player.Whole() // named: the message names the player who drew the line
	named = named && (player == 1 || player == 2)
	if named && player != mover || !named && !m.Player.IsZero() {
		c.log.Warn("player is not the one to move", "game", g.id, "player", m.Player)
	}
	turn, decided := m.NextPlayer.Whole() // decided: the message names the player to move
	if !decided && !m.NextPlayer.IsZero() {
		c.log.Warn("nextplayer is unusable", "game", g.id, "nextplayer", m.NextPlayer)
	}
	next, illegal := m.drawOn(g.pos)
	switch {
	case decided:
	case illegal == nil:
		turn = next.mover()
	case named:
		turn = 3 - player
	}
	isPlayer := turn == 1 || turn == 2
	if illegal != nil {
		// A message that does not pass the turn is taken for a repetition of an earlier one.
		if !isPlayer || turn == mover {
			return nil, 0, illegal
		}
		c.log.Warn("line ignored: the board stays as it is", "cause", illegal, "game", g.id, "turn", turn)
		next = g.pos
	}
	if turn == next.mover() || next.over() {
		return next, turn, nil
	}
	if illegal == nil {
		c.log.Warn("nextplayer differs from the rules", "game", g.id, "nextplayer", turn, "rules", next.mover())
	}
	if isPlayer {
		next, err = next.movedBy(turn)
	}
	return next, turn, err
}

// end logs the result of a game and forgets the game.
func (c *connection) end(m message) error {
	g, err := c.find(m)
	if err != nil {
		return err
	}
	c.forget(g)
	score := engine.OneLine(fmt.Sprint(m.Score), 40)
	c.log.Info(g.result(m), slog.Group("end", "game", g.id, "winner", m.Winner, "score", score))
	return nil
}

// result describes the end of the game, with the agent's score first, or player 1's score if the
// agent plays both sides.
func (g *game) result(m message) string {
	own := 1
	if !g.roles[1] {
		own = 2
	}
	outcome := "ended"
	switch winner, ok := m.Winner.Whole(); {
	case !ok:
	case winner == 0:
		outcome = "tied"
	case g.roles[1] && g.roles[2]:
		outcome = fmt.Sprintf("player %d won", winner)
	case winner == own:
		outcome = "won"
	default:
		outcome = "lost"
	}
	if a, b, ok := lenient.Pair(m.Score); ok {
		score := [2]int{a, b}
		outcome += fmt.Sprintf(" %d–%d", score[own-1], score[2-own])
	}
	if m.Reason != "" {
		outcome += ", " + engine.OneLine(m.Reason, maxReason)
	}
	return fmt.Sprintf("game %s: %s", engine.OneLine(g.id, 40), outcome)
}

// think starts a goroutine that chooses a move in the position of g and sends it. The goroutine stops
// when g.stop is called or when connected, the context of the connection, ends. think stops an
// earlier goroutine of g.
func (c *connection) think(connected context.Context, g *game, arrived time.Time) {
	g.stop()
	ctx, cancel := context.WithCancel(connected)
	g.stop = cancel
	pos, id, limit := g.pos, g.id, g.limit
	pondered, answered := c.agent.pondering.suspend()
	c.thinking.Go(func() {
		defer cancel()
		defer answered()
		m, d := pos.firstFree(), engine.Decision{Source: engine.Fallback}
		log := c.log.With("game", id)
		guarded(log, func() {
			switch pos := pos.(type) {
			case solvable:
				line, chosen := c.choose(ctx, pos.Position, &g.soFar, log, limit, arrived, pondered)
				m, d = m.at(pos.Position, line), chosen
			case largeBoard:
				m, d.Source = pos.actionOn(pos.chooseLine()), rulesOfThumb
			}
		})
		if ctx.Err() != nil {
			return
		}
		answered()
		if err := send(connected, c.conn, m); err != nil {
			log.Info("answer not delivered", "cause", err)
			return
		}
		took := time.Since(arrived)
		if p, ok := pos.(solvable); ok && c.agent.Moved != nil && d.Move != "" {
			c.agent.Moved(id, p.Position, d, took)
		}
		switch attrs := []any{"line", fmt.Sprint(m.Orientation, m.Location), "took", took.Round(time.Millisecond), "limit", limit}; {
		case d.Source == engine.Fallback || d.Source == heuristic:
			log.Warn("move without search", append(attrs, "why", "too little time; if other programs run, end them")...)
		case took > limit:
			log.Warn("late move", attrs...)
		}
	})
}

// guarded calls choose and logs a panic.
func guarded(log *slog.Logger, choose func()) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("choosing a line failed: drawing the first free one", "cause", fmt.Errorf("panic: %v", v))
		}
	}()
	choose()
}

// Sources of moves.
const (
	heuristic    = "heuristic"    // without search, because there was no time
	rulesOfThumb = "simple rules" // on a largeBoard
)
