package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"endwise/engine"
)

const (
	// slack is the time after a limit during which the arena waits for the answer of a player that
	// may have returned in time.
	slack = 250 * time.Millisecond
	// openLimit is the minimum limit of Participant.Open, callLimit that of Observe, and the limit
	// of Finish and Close. Open and Observe may take as long as a move.
	openLimit = 2 * time.Minute
	callLimit = 10 * time.Second
	// Fault.Reason and Result.BadMove are shortened to these numbers of bytes.
	maxReason  = 300
	maxBadMove = 60
	// DefaultMaxTurns is the default of Config.MaxTurns.
	DefaultMaxTurns = 5000
)

// Config contains the settings common to all games.
type Config struct {
	Rules Rules
	First engine.Position
	// Board describes the board in reports, for instance "7x7".
	Board string
	// Time is the limit of a move, 0 for none.
	Time time.Duration
	// Grace is the allowed overrun of the limit. The players' clocks do not include it.
	Grace time.Duration
	// MaxTurns is the number of turns, without the opening, after which a game ends as a tie
	// (Stopped); 0 means DefaultMaxTurns.
	MaxTurns int
	// Delay is a pause before each turn, for spectators.
	Delay time.Duration
	// Watcher, if not nil, follows the games, which must then be played one at a time.
	Watcher Watcher
	// OnPosition, if not nil, is called with every position of a game from Setup.Start on; calls of
	// different games may overlap.
	OnPosition func(id string, players [2]string, p engine.Position)
	// Log receives forfeited and stopped games; nil discards them.
	Log *slog.Logger
}

type gamePlayer struct {
	engine.Player // nil if it could not be opened
	side          engine.Side
	absent        *Fault // the error of Participant.Open; nil if the player was opened
	time          TimeUse
	spent         time.Duration // to observe the opponent's last move; counts for the next move
	// stuck means that the player could not be opened, or that one of its methods has not
	// returned. No method of the player may then be called.
	stuck bool
}

type forfeit struct {
	side  engine.Side
	fault Fault
}

type answer struct {
	move  engine.Move
	fault *Fault        // nil if the move counts
	took  time.Duration // until the player returned, or until the arena stopped waiting
}

// Play plays one game and returns its result. It returns an error, and an incomplete result, if
// ctx ends during the game, if a Watcher returns an error, or if the opening is illegal.
func (c *Config) Play(ctx context.Context, f Fixture) (Result, error) {
	r := Result{ID: f.ID, Moves: []string{}}
	for i, p := range f.Players {
		r.Players[i], r.Specs[i] = p.Name, p.Spec
	}
	start, opening, err := c.playOpening(f)
	if err != nil {
		return r, err
	}
	r.Opening = opening
	gameCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	forfeits := make(chan forfeit, 2)
	players := c.open(gameCtx, f, start, forfeits)
	defer func() {
		for _, s := range players {
			s.close()
		}
	}()
	if err := ctx.Err(); err != nil {
		return r, err
	}
	watcher := cmp.Or[Watcher](c.Watcher, noWatcher{})
	g := &runningGame{c, watcher, &r, players, forfeits, []engine.Position{start}}
	if err := g.watchOpened(); err != nil {
		return r, err
	}
	switch first, second := players[0].absent, players[1].absent; {
	case first != nil && second != nil:
		r.End = NoPlayer
		r.Fault = fmt.Sprintf("neither player could be opened: %s: %s; %s: %s",
			r.Players[0], first.Reason, r.Players[1], second.Reason)
	case first != nil:
		c.recordForfeit(&r, engine.First, *first, start, "before its first move")
	case second != nil:
		c.recordForfeit(&r, engine.Second, *second, start, "before its first move")
	default:
		if err := g.play(gameCtx); err != nil {
			return r, err
		}
	}
	for i, s := range players {
		r.Time[i] = s.time
	}
	c.logFault(r)
	for _, s := range players {
		if fin, ok := s.Player.(Finisher); ok && !s.stuck {
			s.call("finish", callLimit, func() error { fin.Finish(r); return nil })
		}
	}
	return r, nil
}

// playOpening returns the position after the opening of f, and the moves of the opening as text.
func (c *Config) playOpening(f Fixture) (start engine.Position, opening []string, err error) {
	start = c.First
	for i, m := range f.Opening {
		opening = append(opening, start.MoveString(m))
		if start, err = start.Play(m); err != nil {
			return nil, nil, fmt.Errorf("game %s: opening move %d: %w", f.ID, i+1, err)
		}
	}
	return start, opening, nil
}

func (c *Config) logFault(r Result) {
	switch {
	case r.Fault == "" || c.Log == nil:
	case r.Forfeited():
		c.Log.Info("game "+r.ID+" is forfeited", "why", r.Fault)
	default:
		c.Log.Info("game "+r.ID+" is cut short", "why", r.Fault)
	}
}

type noWatcher struct{}

func (noWatcher) Returned(engine.Side, engine.Player) error    { return nil }
func (noWatcher) Reached(engine.Position) error                { return nil }
func (noWatcher) Lost(engine.Side, engine.Player, Fault) error { return nil }

func (c *Config) maxTurns() int { return cmp.Or(c.MaxTurns, DefaultMaxTurns) }

type runningGame struct {
	*Config
	watch     Watcher
	r         *Result // incomplete until the game has ended
	players   [2]*gamePlayer
	forfeits  <-chan forfeit
	positions []engine.Position // indexed by the number of moves played
}

// watchOpened reports to the Watcher for both players whether they were opened.
func (g *runningGame) watchOpened() error {
	for _, p := range g.players {
		var err error
		if p.absent != nil {
			err = g.watch.Lost(p.side, nil, *p.absent)
		} else {
			err = g.watch.Returned(p.side, p.Player)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// play plays the game from its start to its end and completes the result, except for the times. The
// error is that of ctx or of the Watcher.
func (g *runningGame) play(ctx context.Context) error {
	if err := g.watchPosition(); err != nil {
		return err
	}
	for !g.position().Over() {
		if len(g.r.Moves) >= g.maxTurns() {
			g.r.End, g.r.Score = Stopped, g.position().Score()
			g.r.Fault = fmt.Sprintf("stopped after %d turns: a tie", g.maxTurns())
			return nil
		}
		if err := engine.Pause(ctx, g.Delay); err != nil {
			return err
		}
		if lost, err := g.turn(ctx); lost || err != nil {
			return err
		}
	}
	p := g.position()
	g.r.End, g.r.Score, g.r.Winner = Played, p.Score(), engine.Winner(p)
	return nil
}

// watchPosition passes the current position to OnPosition and to the Watcher.
func (g *runningGame) watchPosition() error {
	if g.OnPosition != nil {
		g.OnPosition(g.r.ID, g.r.Players, g.position())
	}
	return g.watch.Reached(g.position())
}

func (g *runningGame) position() engine.Position { return g.positions[len(g.positions)-1] }

// turn requests one move and passes it to both players. lost reports whether a player has
// forfeited; the result is then complete. The error is that of ctx or of the Watcher.
func (g *runningGame) turn(ctx context.Context) (lost bool, err error) {
	p := g.position()
	mover := g.players[p.Turn()-1]
	limit := g.limit(mover)
	reply, forfeit := mover.choose(ctx, p, g.Time, limit, g.forfeits)
	if forfeit != nil && reply == nil {
		return true, g.endByCall(*forfeit)
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	reply.took += mover.spent
	mover.time.add(reply.took)
	next := reply.check(p, limit)
	if reply.fault == nil || reply.fault.End == Illegal { // otherwise the player may still be running
		if err := g.watch.Returned(mover.side, mover.Player); err != nil {
			return false, err
		}
	}
	if reply.fault != nil {
		return true, g.endByForfeit(mover.side, *reply.fault)
	}
	g.r.Moves = append(g.r.Moves, p.MoveString(reply.move))
	g.positions = append(g.positions, next)
	if err := g.watchPosition(); err != nil {
		return false, err
	}
	if lost, err := g.notify(ctx, mover, reply.move); lost || err != nil {
		return lost, err
	}
	if forfeit == nil {
		select {
		case f := <-g.forfeits:
			forfeit = &f
		default:
		}
	}
	if forfeit == nil {
		return false, nil
	}
	// After the end of the game, a forfeit counts only if it happened before the last move.
	if turn := forfeit.fault.Turn; next.Over() && (turn == 0 || turn > len(g.r.Moves)) {
		return false, nil
	}
	return true, g.endByCall(*forfeit)
}

// check returns the position after the answer's move in p. It sets the fault if the answer took
// longer than limit (0: no limit), or if the move is illegal; next is then meaningless.
func (a *answer) check(p engine.Position, limit time.Duration) (next engine.Position) {
	if limit > 0 && a.took > limit && (a.fault == nil || a.fault.End != Timeout) {
		reason := fmt.Sprintf("took %v, the limit is %v", a.took.Round(time.Millisecond), limit)
		a.fault = &Fault{End: Timeout, Reason: reason}
	}
	if a.fault != nil {
		return nil
	}
	next, err := p.Play(a.move)
	if err != nil {
		a.fault = &Fault{End: Illegal, Reason: err.Error(), Move: p.MoveString(a.move)}
	}
	return next
}

// notify calls Observe of both players, the mover first, with the move m that led to the current
// position. lost and err are as in turn.
func (g *runningGame) notify(ctx context.Context, mover *gamePlayer, m engine.Move) (lost bool, err error) {
	after := g.position()
	for _, s := range [2]*gamePlayer{mover, g.players[mover.side.Other()-1]} {
		begin := time.Now()
		fault := s.observe(ctx, max(callLimit, g.limit(s)), mover.side, m, after)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case fault != nil && !after.Over():
			return true, g.endByForfeit(s.side, *fault)
		case fault == nil && s != mover:
			s.spent = time.Since(begin)
			if err := g.watch.Returned(s.side, s.Player); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// limit returns the timeout of a player's next move, including the grace; 0 for none.
func (g *runningGame) limit(s *gamePlayer) time.Duration {
	limit := g.Time
	if t, ok := s.Player.(Timed); ok && limit > 0 {
		limit = t.MoveTimeout(limit, len(g.r.Moves) == 0)
	}
	if limit == 0 {
		return 0
	}
	return limit + g.Grace
}

// endByCall ends the game with a forfeit from [Setup.Forfeit]. It removes the moves from Fault.Turn on.
func (g *runningGame) endByCall(f forfeit) error {
	if n := f.fault.Turn - 1; n >= 0 && n < len(g.r.Moves) {
		g.r.Moves = g.r.Moves[:n]
	}
	return g.endByForfeit(f.side, f.fault)
}

// endByForfeit ends the game with a forfeit of side in the position after the moves in g.r.
func (g *runningGame) endByForfeit(side engine.Side, f Fault) error {
	by := faultWords[f.End]
	if f.Word == OutOfTurn {
		by = f.Word
	}
	how := fmt.Sprintf("by %s at move %d", by, len(g.r.Opening)+len(g.r.Moves)+1)
	g.recordForfeit(g.r, side, f, g.positions[len(g.r.Moves)], how)
	return g.watch.Lost(side, g.players[side-1].Player, f)
}

// recordForfeit sets the fields of r about the end of the game, a forfeit of side; last is the game's
// last position. how says in the sentence Fault how the side lost.
func (c *Config) recordForfeit(r *Result, side engine.Side, f Fault, last engine.Position, how string) {
	r.End, r.Winner, r.Score = f.End, side.Other(), last.Score()
	if f.End == Illegal {
		r.BadMove = engine.OneLine(f.Move, maxBadMove)
	}
	if c.Rules.ForfeitScore != nil {
		r.Score = c.Rules.ForfeitScore(last, r.Winner)
	}
	reason := strings.TrimPrefix(f.Reason, engine.ErrIllegalMove.Error()+": ")
	r.Fault = fmt.Sprintf("%s (%s) lost %s: %s", r.Players[side-1], side, how, engine.OneLine(reason, maxReason))
}

var faultWords = map[Ending]string{Illegal: "an illegal move", Timeout: "timeout", Crash: "a crash"}

// safely runs f in its own goroutine and returns a channel for its error or panic.
func safely(where string, f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic%s: %v", where, v)
			}
			done <- err
		}()
		err = f()
	}()
	return done
}

// setup describes the game f, played from start on, to one side. forfeits receives the calls of Forfeit;
// if it is full, they are dropped.
func (c *Config) setup(f Fixture, start engine.Position, side engine.Side, forfeits chan<- forfeit) Setup {
	return Setup{
		Game: f.ID, Side: side, Opponent: f.Players[side.Other()-1].Name,
		Start: start, Opening: f.Opening, Time: c.Time, Grace: c.Grace,
		Seed: mix(f.Seed, uint64(side)),
		Forfeit: func(fault Fault) {
			if faultWords[fault.End] == "" {
				fault.End = Crash
			}
			select {
			case forfeits <- forfeit{side, fault}:
			default:
			}
		},
	}
}

// open opens both players concurrently. A player that fails or is late is absent and stuck.
func (c *Config) open(ctx context.Context, f Fixture, start engine.Position, forfeits chan<- forfeit) (players [2]*gamePlayer) {
	var made [2]engine.Player
	var opened [2]<-chan error
	for i := range players {
		setup := c.setup(f, start, engine.First+engine.Side(i), forfeits)
		opened[i] = safely("", func() (err error) {
			made[i], err = f.Players[i].Open(ctx, setup)
			return err
		})
	}
	limit := max(openLimit, c.Time+c.Grace)
	late := &Fault{End: Crash, Reason: fmt.Sprintf("not ready within %v", limit)}
	waiting, stop := context.WithTimeoutCause(ctx, limit, late)
	defer stop()
	for i, done := range opened {
		s := &gamePlayer{side: engine.First + engine.Side(i)}
		players[i] = s
		var err error
		select {
		case err = <-done:
			if s.Player = made[i]; err == nil && s.Player == nil {
				err = errors.New("no player")
			}
		case <-waiting.Done():
			err = context.Cause(waiting)
			go closeLate(done, &made[i])
		}
		if err != nil {
			s.Player, s.absent, s.stuck = nil, asFault(err), true
		}
	}
	return players
}

// closeLate waits until Participant.Open has returned, and then closes its player *p.
func closeLate(opened <-chan error, p *engine.Player) {
	if <-opened == nil { // after an error *p may contain a typed nil
		dismiss(*p)
	}
}

// dismiss closes a player that has a method Close, and ignores errors and panics.
func dismiss(p engine.Player) {
	defer func() { _ = recover() }()
	if c, ok := p.(io.Closer); ok {
		c.Close()
	}
}

// asFault converts a player's error as described at [Fault]; nil for nil.
func asFault(err error) *Fault {
	f, bad := new(Fault), new(engine.MoveError)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f) && faultWords[f.End] != "":
		return f
	case errors.As(err, &bad):
		return &Fault{End: Illegal, Reason: bad.Error(), Move: bad.Text}
	case errors.Is(err, engine.ErrIllegalMove):
		return &Fault{End: Illegal, Reason: err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{End: Timeout, Reason: "no move in time"}
	}
	return &Fault{End: Crash, Reason: err.Error()}
}

// choose requests a move in pos and returns the player's reply, which contains a fault if the player
// fails or does not answer within timeout (0: no limit). limit is the time on the player's clock.
// p.spent is subtracted from both.
//
// A forfeit that arrives meanwhile is returned as lost. If the opponent forfeits, reply is nil. If this
// player forfeits, choose waits for its reply for the time slack, because a program may send a legal move
// and immediately a second one; without an answer, reply is nil. If ctx ends, both results may be nil.
func (p *gamePlayer) choose(ctx context.Context, pos engine.Position, limit, timeout time.Duration,
	forfeits <-chan forfeit) (reply *answer, lost *forfeit) {
	thinking, stop := context.WithCancel(ctx)
	defer stop()
	asked := time.Now()
	var clock engine.Clock
	var late, lostLate <-chan time.Time // the end of the wait, and its end after a forfeit
	if timeout > 0 {
		begin := asked.Add(-p.spent)
		clock = engine.Clock{Deadline: begin.Add(limit)}
		var outOfTime context.CancelFunc
		thinking, outOfTime = context.WithDeadline(thinking, begin.Add(timeout))
		defer outOfTime()
		late = time.After(max(timeout-p.spent, 0) + slack)
	}
	call := engine.Ask(thinking, p.Player, pos, clock, nil)
	for {
		select {
		case f := <-forfeits:
			lost, forfeits, lostLate = &f, nil, time.After(slack)
			if f.side != p.side {
				stop() // the move is not needed
			}
			continue
		case a := <-call.Answer:
			reply = answered(a, timeout)
		case <-late:
			abandon(p, call.Returned)
			reply = answered(engine.Answer{Err: context.DeadlineExceeded, Took: time.Since(asked)}, timeout)
		case <-lostLate:
			abandon(p, call.Returned)
		case <-ctx.Done():
			abandon(p, call.Returned)
			return nil, nil
		}
		if lost != nil && lost.side != p.side {
			reply = nil
		}
		return reply, lost
	}
}

// answered returns the reply for an answer of [engine.Ask]. An error becomes a fault as in asFault; if
// the deadline was exceeded, the reason names the player's limit timeout (0: no limit).
func answered(a engine.Answer, timeout time.Duration) *answer {
	if timeout > 0 && errors.Is(a.Err, context.DeadlineExceeded) {
		fault := &Fault{End: Timeout, Reason: fmt.Sprintf("no move within %v", timeout)}
		return &answer{fault: fault, took: a.Took}
	}
	return &answer{move: a.Move, fault: asFault(a.Err), took: a.Took}
}

// abandon marks the player as stuck and closes it when its method returns.
func abandon[T any](p *gamePlayer, returned <-chan T) {
	p.stuck = true
	go func() {
		<-returned
		dismiss(p.Player)
	}()
}

// observe calls the player's Observe for the move m of the side by, if the player has that
// method and is not stuck.
func (p *gamePlayer) observe(ctx context.Context, limit time.Duration, by engine.Side, m engine.Move,
	after engine.Position) *Fault {
	o, ok := p.Player.(Observer)
	if !ok || p.stuck {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return p.call("observe", limit, func() error { return o.Observe(ctx, by, m, after) })
}

// close closes the player unless it is stuck. It waits for callLimit and slack at most.
func (p *gamePlayer) close() {
	if c, ok := p.Player.(io.Closer); ok && !p.stuck {
		select {
		case <-safely("", c.Close):
		case <-time.After(callLimit + slack):
		}
	}
}

// call runs f, which calls the player's method named what. It returns a fault for an error, a
// panic, and if f does not return within limit; the player is then stuck.
func (p *gamePlayer) call(what string, limit time.Duration, f func() error) *Fault {
	returned := safely(" in "+what, f)
	select {
	case err := <-returned:
		return asFault(err)
	case <-time.After(limit + slack):
		abandon(p, returned)
		return &Fault{End: Crash, Reason: fmt.Sprintf("%s did not return within %v", what, limit)}
	}
}

// mix combines two numbers into a seed (the finaliser of SplitMix64).
func mix(a, b uint64) uint64 {
	x := a ^ (b * 0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
