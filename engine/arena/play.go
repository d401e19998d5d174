package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"endwise/engine"
)

const (
	// slack is how long the referee listens beyond the limit for an answer
	// that was given in time but not yet delivered, on a busy machine. Who
	// was in time is measured where the answer is given.
	slack = 250 * time.Millisecond
	// openLimit bounds Participant.Open, callLimit Observe, Finish and Close; where
	// the limit of a move is longer, that does.
	openLimit = 2 * time.Minute
	callLimit = 10 * time.Second
	// maxReason and maxBadMove bound what a player can write into a result,
	// in bytes.
	maxReason  = 300
	maxBadMove = 60
	// DefaultMaxTurns is the cap on turns of a game where none is given.
	DefaultMaxTurns = 5000
)

// Config is where games are played: one game, one first position, one limit.
type Config struct {
	Rules Rules
	// First is the game's first position.
	First engine.Position
	// Board says in reports where it is played, for instance "7x7".
	Board string
	// Time is the limit of a move, 0 for none.
	Time time.Duration
	// Grace is by how much a player may overrun the limit without losing.
	// Players are not told of it; it is for machines that are too busy to keep
	// time.
	Grace time.Duration
	// MaxTurns ends a game as a tie (Stopped); 0 means DefaultMaxTurns.
	MaxTurns int
	// Delay is a pause before each turn, for people who watch.
	Delay time.Duration
	// Watcher follows the games, which are then played one at a time; nil for
	// none.
	Watcher Watcher
	// Log hears about lost games; nil discards.
	Log *slog.Logger
}

// gamePlayer is a player at the board of one game.
type gamePlayer struct {
	engine.Player // nil where noWatcher came
	side          engine.Side
	absent        *Fault // why noWatcher came
	time          TimeUse
	// spent is what the player took to be told the other side's last move: time
	// of its own move.
	spent time.Duration
	// stuck says that noWatcher came or that a call to the player has not returned;
	// it is then never called again, and closed when the call returns.
	stuck bool
}

type forfeit struct {
	side  engine.Side
	fault Fault
}

// answer is what came of asking a player: a move or a fault.
type answer struct {
	move  engine.Move
	fault *Fault
	took  time.Duration
}

// Play plays one game. The error is nil unless the context ended or the
// fixture itself is wrong (an illegal opening): players can't cause one.
func (c *Config) Play(ctx context.Context, f Fixture) (Result, error) {
	r := Result{ID: f.ID, Players: [2]string{f.Players[0].Name, f.Players[1].Name}, Moves: []string{}}
	start, opening, err := c.begin(f)
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
	g := &runningGame{c, c.watcher(), &r, players, forfeits, []engine.Position{start}}
	for _, s := range players {
		var err error
		if s.absent != nil {
			err = g.watch.Lost(s.side, nil, *s.absent)
		} else {
			err = g.watch.Returned(s.side, s.Player)
		}
		if err != nil {
			return r, err
		}
	}
	switch first, second := players[0].absent, players[1].absent; {
	case first != nil && second != nil:
		r.End = NoPlayer
		r.Fault = fmt.Sprintf("neither side was there: %s: %s; %s: %s", r.Players[0], first.Reason, r.Players[1], second.Reason)
	case first != nil:
		c.lose(&r, engine.First, *first, start)
	case second != nil:
		c.lose(&r, engine.Second, *second, start)
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

// begin plays the opening.
func (c *Config) begin(f Fixture) (start engine.Position, opening []string, err error) {
	start = c.First
	for i, m := range f.Opening {
		opening = append(opening, start.MoveString(m))
		if start, err = start.Play(m); err != nil {
			return nil, nil, fmt.Errorf("game %s: opening move %d: %w", f.ID, i+1, err)
		}
	}
	return start, opening, nil
}

// logFault logs why a game did not end by its last move.
func (c *Config) logFault(r Result) {
	switch {
	case r.Fault == "" || c.Log == nil:
	case r.Forfeited():
		c.Log.Info("game lost by rule", "game", r.ID, "why", r.Fault)
	default:
		c.Log.Info("game cut short", "game", r.ID, "why", r.Fault)
	}
}

// watcher is the watcher, or one who looks away.
func (c *Config) watcher() Watcher {
	if c.Watcher == nil {
		return noWatcher{}
	}
	return c.Watcher
}

// noWatcher is a Watcher that sees nothing.
type noWatcher struct{}

func (noWatcher) Returned(engine.Side, engine.Player) error    { return nil }
func (noWatcher) Reached(engine.Position) error                { return nil }
func (noWatcher) Lost(engine.Side, engine.Player, Fault) error { return nil }

func (c *Config) maxTurns() int { return cmp.Or(c.MaxTurns, DefaultMaxTurns) }

// runningGame is a game for which both players have been asked to sit down.
type runningGame struct {
	*Config
	watch     Watcher
	r         *Result
	players   [2]*gamePlayer
	forfeits  <-chan forfeit
	positions []engine.Position // by the number of moves played
}

// play asks the players in turn until the game is over and fills in the result.
func (g *runningGame) play(ctx context.Context) error {
	if err := g.watch.Reached(g.now()); err != nil {
		return err
	}
	for !g.now().Over() {
		if len(g.r.Moves) >= g.maxTurns() {
			g.r.End, g.r.Score = Stopped, g.now().Score()
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
	p := g.now()
	g.r.End, g.r.Score, g.r.Winner = Played, p.Score(), engine.Winner(p)
	return nil
}

func (g *runningGame) now() engine.Position { return g.positions[len(g.positions)-1] }

// turn asks for one move and tells both players of it. It says whether a
// player has lost by rule.
func (g *runningGame) turn(ctx context.Context) (lost bool, err error) {
	p := g.now()
	mover := g.players[p.Turn()-1]
	limit := g.limit(mover)
	a, out := mover.ask(ctx, p, g.Time, limit, g.forfeits)
	if out != nil && a == nil {
		return true, g.forfeited(*out)
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	a.took += mover.spent
	mover.time.add(a.took)
	if limit > 0 && a.took > limit && (a.fault == nil || a.fault.End != Timeout) {
		a.fault = &Fault{End: Timeout, Reason: fmt.Sprintf("took %v, the limit is %v", a.took.Round(time.Millisecond), limit)}
	}
	next := p
	if a.fault == nil {
		if next, err = p.Play(a.move); err != nil {
			a.fault = &Fault{End: Illegal, Reason: err.Error(), Move: p.MoveString(a.move)}
		}
	}
	if a.fault == nil || a.fault.End == Illegal {
		if err := g.watch.Returned(mover.side, mover.Player); err != nil {
			return false, err
		}
	}
	if a.fault != nil {
		return true, g.loses(mover.side, *a.fault)
	}
	g.r.Moves = append(g.r.Moves, p.MoveString(a.move))
	g.positions = append(g.positions, next)
	if err := g.watch.Reached(next); err != nil {
		return false, err
	}
	if lost, err := g.tell(ctx, mover, a.move); lost || err != nil {
		return lost, err
	}
	if out == nil {
		select {
		case f := <-g.forfeits:
			out = &f
		default:
		}
	}
	if out != nil && (!next.Over() || out.fault.Turn > 0 && out.fault.Turn <= len(g.r.Moves)) {
		return true, g.forfeited(*out)
	}
	return false, nil
}

// tell tells both players, the mover first, of the move that has led to the
// position. A result on the board stands whatever a player makes of it.
func (g *runningGame) tell(ctx context.Context, mover *gamePlayer, m engine.Move) (lost bool, err error) {
	after := g.now()
	for _, s := range [2]*gamePlayer{mover, g.players[mover.side.Other()-1]} {
		begin := time.Now()
		fault := s.observe(ctx, max(callLimit, g.limit(s)), mover.side, m, after)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case fault != nil && !after.Over():
			return true, g.loses(s.side, *fault)
		case fault == nil && s != mover:
			s.spent = time.Since(begin)
			if err := g.watch.Returned(s.side, s.Player); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// limit is the time that a player's move may take, 0 for no limit.
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

// forfeited ends the game with a forfeit, which may take moves back.
func (g *runningGame) forfeited(f forfeit) error {
	if n := f.fault.Turn - 1; n >= 0 && n < len(g.r.Moves) {
		g.r.Moves = g.r.Moves[:n]
	}
	return g.loses(f.side, f.fault)
}

// loses ends the game with a loss by rule.
func (g *runningGame) loses(side engine.Side, f Fault) error {
	g.lose(g.r, side, f, g.positions[len(g.r.Moves)])
	return g.watch.Lost(side, g.players[side-1].Player, f)
}

// lose writes a loss by rule into the result.
func (c *Config) lose(r *Result, side engine.Side, f Fault, last engine.Position) {
	r.End, r.Winner, r.Score = f.End, side.Other(), last.Score()
	if f.End == Illegal {
		r.BadMove = engine.OneLine(f.Move, maxBadMove)
	}
	if c.Rules.ForfeitScore != nil {
		r.Score = c.Rules.ForfeitScore(last, r.Winner)
	}
	r.Fault = fmt.Sprintf("%s (%s) lost by %s at move %d: %s", r.Players[side-1], side, faultWords[f.End],
		len(r.Opening)+len(r.Moves)+1, engine.OneLine(f.Reason, maxReason))
}

var faultWords = map[Ending]string{Illegal: "an illegal move", Timeout: "timeout", Crash: "a crash"}

// safely runs f in a goroutine of its own; a panic is an error. where says in
// which call it was, "" where that is plain.
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

// open players both players at once.
func (c *Config) open(ctx context.Context, f Fixture, start engine.Position, forfeits chan<- forfeit) (players [2]*gamePlayer) {
	var made [2]engine.Player
	var opened [2]<-chan error
	for i := range players {
		side := engine.First + engine.Side(i)
		setup := Setup{
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
		opened[i] = safely("", func() (err error) {
			made[i], err = f.Players[i].Open(ctx, setup)
			return err
		})
	}
	limit := max(openLimit, c.Time+c.Grace)
	waiting, stop := context.WithTimeoutCause(ctx, limit, &Fault{End: Crash, Reason: fmt.Sprintf("not ready within %v", limit)})
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

// closeLate closes a player that arrives after its game was lost. With an
// error there is none: the player may then be a nil of its own type.
func closeLate(opened <-chan error, p *engine.Player) {
	if <-opened == nil {
		dismiss(*p)
	}
}

// dismiss closes a player of which noWatcher wants to hear any more.
func dismiss(p engine.Player) {
	defer func() { _ = recover() }()
	if c, ok := p.(io.Closer); ok {
		c.Close()
	}
}

// asFault is the loss that an error of a player means, nil for none.
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

// ask asks for a move and waits for it, for the limit (0: no limit), for a
// forfeit, or for the context, whatever comes first. told is the limit that
// the player knows of. A player that forfeits right after a move, by a second
// one for instance, gives both: the move comes before the forfeit. Where the
// other side forfeits, the player is stopped, so that it can hear the result.
// There is no answer of one that was given up.
func (s *gamePlayer) ask(ctx context.Context, p engine.Position, told, limit time.Duration, forfeits <-chan forfeit) (*answer, *forfeit) {
	var clock engine.Clock
	var late time.Duration
	thinking, stop := context.WithCancel(ctx)
	defer stop()
	if limit > 0 {
		begin := time.Now().Add(-s.spent)
		clock = engine.Clock{Deadline: begin.Add(told)}
		var outOfTime context.CancelFunc
		thinking, outOfTime = context.WithDeadline(thinking, begin.Add(limit))
		defer outOfTime()
		late = max(limit-s.spent, 0) + slack
	}
	asked := engine.Ask(thinking, s.Player, p, clock, late, nil)
	heard := func(a engine.Answer) *answer {
		switch {
		case a.Err == engine.ErrLate:
			s.abandon(asked)
			return &answer{fault: tooLate(limit), took: late}
		case limit > 0 && errors.Is(a.Err, context.DeadlineExceeded):
			return &answer{fault: tooLate(limit), took: a.Took}
		}
		return &answer{a.Move, asFault(a.Err), a.Took}
	}
	select {
	case a := <-asked.Answer:
		return heard(a), nil
	case f := <-forfeits:
		if f.side != s.side {
			stop()
		}
		select {
		case a := <-asked.Answer:
			if heard := heard(a); f.side == s.side {
				return heard, &f
			}
		case <-time.After(slack):
			s.abandon(asked)
		}
		return nil, &f
	case <-ctx.Done():
		s.abandon(asked)
		return nil, nil
	}
}

func tooLate(limit time.Duration) *Fault {
	return &Fault{End: Timeout, Reason: fmt.Sprintf("no move within %v", limit)}
}

// abandon gives up a player that is still thinking. It is closed when it
// returns, if ever.
func (s *gamePlayer) abandon(asked engine.Asked) {
	s.stuck = true
	go func() {
		<-asked.Returned
		dismiss(s.Player)
	}()
}

// observe tells the player about a move.
func (s *gamePlayer) observe(ctx context.Context, limit time.Duration, by engine.Side, m engine.Move, after engine.Position) *Fault {
	o, ok := s.Player.(Observer)
	if !ok || s.stuck {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return s.call("observe", limit, func() error { return o.Observe(ctx, by, m, after) })
}

// close closes the player, unless a call to it never came back.
func (s *gamePlayer) close() {
	if c, ok := s.Player.(io.Closer); ok && !s.stuck {
		s.call("close", callLimit, c.Close)
	}
}

// call runs a method of the player that should return soon. An error, a panic
// or a hang is the fault returned.
func (s *gamePlayer) call(what string, limit time.Duration, f func() error) *Fault {
	select {
	case err := <-safely(" in "+what, f):
		return asFault(err)
	case <-time.After(limit + slack):
		s.stuck = true
		return &Fault{End: Crash, Reason: fmt.Sprintf("%s did not return within %v", what, limit)}
	}
}

// mix makes a seed of two numbers (the finaliser of SplitMix64).
func mix(a, b uint64) uint64 {
	x := a ^ (b * 0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
