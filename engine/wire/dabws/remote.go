package dabws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/dotsandboxes"
	"endwise/engine/wire/lenient"
)

const (
	pingEvery    = 20 * time.Second // the same as in the driver of the course
	connectLimit = 20 * time.Second // for an agent to start and accept a connection
	restartLimit = 5 * time.Second  // for an agent to restart between two games
	maxRedial    = time.Second      // the longest pause between attempts to connect
)

// Remote is one side of one game, played by an agent at a websocket address. It is an
// [engine.Player] and an [arena.Observer] of every line, including the agent's own.
type Remote struct {
	address string
	game    string
	side    engine.Side
	conn    *websocket.Conn
	log     *slog.Logger
	answers chan message
	lost    chan error // contains the error that ended receive; readers put it back
	forfeit func(arena.Fault)
	cancel  context.CancelFunc

	mu         sync.Mutex
	mustAnswer bool // the agent must answer the last message
}

// Unreachable is the error for an address at which no connection is possible.
type Unreachable struct{ address, cause string }

func (u *Unreachable) Error() string {
	return fmt.Sprintf("no agent answers at %s: %s", u.address, u.cause)
}

// Join connects to an agent and starts a game. The connection ends with ctx. log may be nil. The
// caller must call Close unless Join returns an error, which is an [arena.Unreachable] if there is no agent.
func Join(ctx context.Context, address string, setup arena.Setup, log *slog.Logger) (*Remote, error) {
	start, ok := setup.Start.(dotsandboxes.Position)
	if !ok {
		return nil, fmt.Errorf("agent %s: plays Dots and Boxes, not %s", address, setup.Start.Game())
	}
	conn, err := dial(ctx, address, restartLimit, func(time.Duration) {})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxIgnored)
	ctx, cancel := context.WithCancel(ctx)
	r := &Remote{
		address: address, game: setup.Game, side: setup.Side, conn: conn, forfeit: setup.Forfeit, cancel: cancel,
		log:     cmp.Or(log, slog.New(slog.DiscardHandler)),
		answers: make(chan message, 1), lost: make(chan error, 1),
	}
	m := message{
		Type: "start", Player: lenient.Of(int(setup.Side)), Game: lenient.Text(setup.Game),
		Grid: numbers(start.Board().Rows, start.Board().Cols),
	}
	if setup.Time > 0 {
		m.TimeLimit = lenient.Of(setup.Time.Seconds())
	}
	r.mustAnswer = setup.Side == engine.First
	go r.receive(ctx)
	go r.ping(ctx)
	if err = r.send(m); err == nil {
		err = r.sendOpening(ctx, setup, start)
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("agent %s: %w", address, err)
	}
	return r, nil
}

// sendOpening sends the lines of the opening and discards the agent's answers. It returns an error
// if the opening does not draw exactly the lines of start.
func (r *Remote) sendOpening(ctx context.Context, setup arena.Setup, start dotsandboxes.Position) error {
	p := dotsandboxes.New(start.Board())
	for _, l := range setup.Opening {
		by := p.Turn()
		if by == setup.Side {
			if err := r.discard(ctx, setup.Time); err != nil {
				return err
			}
		}
		var err error
		if p, err = p.DrawLine(l); err != nil {
			return err
		}
		if err := r.sendLine(by, l, p); err != nil {
			return err
		}
	}
	if p.Drawn() != start.Drawn() {
		return errors.New("the protocol begins every game at the empty board, and the opening does not lead to this position")
	}
	return nil
}

// discard waits for an answer of the agent. It waits a second longer than limit, the time for a move;
// 0 stands for DefaultTime.
func (r *Remote) discard(ctx context.Context, limit time.Duration) error {
	if limit <= 0 {
		limit = DefaultTime
	}
	select {
	case <-r.answers:
		return nil
	case err := <-r.lost:
		r.lost <- err
		return err
	case <-time.After(limit + time.Second):
		return &arena.Fault{End: arena.Timeout, Reason: fmt.Sprintf("no move within %v", limit)}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dial connects to an agent. It retries a refused or at once closed connection until limit, at most connectLimit, has passed
// or ctx ends. waiting is called once, with limit, if the agent still refuses a second after the first
// refusal. The error is an [arena.Unreachable] if no connection is possible.
func dial(ctx context.Context, address string, limit time.Duration, waiting func(limit time.Duration)) (*websocket.Conn, error) {
	ctx, done := context.WithTimeout(ctx, connectLimit)
	defer done()
	retrying, stop := context.WithTimeout(ctx, limit)
	defer stop()
	notice := sync.OnceFunc(func() { waiting(limit) })
	begin := time.Now()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, maxRedial) {
		conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{
			HTTPHeader:      http.Header{"Origin": {"null"}},
			CompressionMode: websocket.CompressionContextTakeover,
		})
		if err == nil {
			return conn, nil
		}
		if resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
			return nil, fmt.Errorf("no agent answers at %s: the server answers %.60q in place of a websocket: want the address of an agent, for instance ws://127.0.0.1:8089", address, resp.Status)
		}
		refused := errors.Is(err, syscall.ECONNREFUSED)
		if resp == nil && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
			refused = true // the agent ended while it accepted the connection
		}
		if refused && time.Since(begin) >= time.Second {
			notice()
		}
		if !refused || engine.Pause(retrying, pause) != nil {
			return nil, dialError(address, err)
		}
	}
}

// dialError returns the error for an address that cannot be dialled because of err.
func dialError(address string, err error) error {
	if request := new(url.Error); errors.As(err, &request) { // it repeats the address
		err = request.Err
	}
	op := new(net.OpError)
	switch isDial := errors.As(err, &op) && op.Op == "dial"; {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no agent answers at %s within %v", address, connectLimit)
	case !isDial || op.Timeout():
		return fmt.Errorf("no agent answers at %s: %w", address, lossWords(err))
	}
	cause := op.Err
	if call := new(os.SyscallError); errors.As(cause, &call) {
		cause = call.Err
	}
	return &arena.Unreachable{Reason: fmt.Sprintf("no agent answers at %s: %v", address, cause)}
}

// Reach connects to an agent and closes the connection. waiting is called with the time limit if the
// agent has not started after a second.
func Reach(ctx context.Context, address string, waiting func(limit time.Duration)) error {
	conn, err := dial(ctx, address, connectLimit, waiting)
	if errors.As(err, new(*arena.Unreachable)) {
		return fmt.Errorf("%w; start the agent first", err)
	}
	if err != nil {
		return err
	}
	return conn.Close(websocket.StatusNormalClosure, "")
}

func (r *Remote) Name() string { return r.address }

func (r *Remote) send(m message) error { return send(context.Background(), r.conn, m) }

// receive receives the agent's messages until the connection ends. An action out of turn forfeits
// the game; messages that are not actions are ignored.
func (r *Remote) receive(ctx context.Context) {
	for {
		data, err := readMessage(ctx, r.conn)
		if err != nil && !errors.Is(err, errLong) {
			r.lost <- fmt.Errorf("connection lost: %w; the agent's terminal may show why", lossWords(err))
			return
		}
		var m message
		if err == nil {
			m, _, err = decode(data)
		}
		if err != nil || m.Type != "action" && (m.Type != "" || m.Location == nil) {
			r.log.Warn("message ignored: not an action", "agent", r.address, "message", engine.OneLine(string(data), shownBytes))
			continue
		}
		r.mu.Lock()
		inTurn := r.mustAnswer
		r.mustAnswer = false
		r.mu.Unlock()
		if !inTurn {
			if r.forfeit != nil {
				move := engine.OneLine(string(data), shownBytes)
				r.forfeit(arena.Fault{End: arena.Illegal, Reason: "moved out of turn", Move: move})
			}
			continue
		}
		r.answers <- m // one answer per turn
	}
}

// ping checks the connection at intervals and closes a dead connection, which ends receive.
func (r *Remote) ping(ctx context.Context) {
	for engine.Pause(ctx, pingEvery) == nil {
		pctx, cancel := context.WithTimeout(ctx, pingEvery)
		err := r.conn.Ping(pctx)
		cancel()
		if err != nil {
			if ctx.Err() == nil {
				r.log.Warn("agent does not answer pings", "agent", r.address, "cause", err)
				r.conn.CloseNow()
			}
			return
		}
	}
}

// Choose waits for the agent's answer to the last message.
func (r *Remote) Choose(ctx context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	p, err := engine.As[dotsandboxes.Position](pos)
	if err != nil {
		return engine.Decision{}, err
	}
	select {
	case m := <-r.answers:
		l, err := m.line(p)
		if err != nil {
			move := fmt.Sprintf("%.20s%v", m.Orientation, m.Location)
			return engine.Decision{}, &arena.Fault{End: arena.Illegal, Reason: err.Error(), Move: move}
		}
		return engine.Decision{Move: p.MoveString(l), Source: "agent"}, nil
	case err := <-r.lost:
		r.lost <- err
		return engine.Decision{}, &arena.Fault{End: arena.Crash, Reason: err.Error()}
	case <-ctx.Done():
		return engine.Decision{}, ctx.Err()
	}
}

// Observe sends a line to the agent. A failure is only logged.
func (r *Remote) Observe(_ context.Context, by engine.Side, m engine.Move, after engine.Position) error {
	p, err := engine.As[dotsandboxes.Position](after)
	if err != nil {
		return err
	}
	if err := r.sendLine(by, m, p); err != nil {
		r.log.Warn("line not sent to the agent", "agent", r.address, "cause", err)
	}
	return nil
}

// sendLine sends the line l, drawn by the side by, which led to p.
func (r *Remote) sendLine(by engine.Side, l engine.Move, p dotsandboxes.Position) error {
	r.mu.Lock()
	r.mustAnswer = p.Turn() == r.side && !p.Over()
	r.mu.Unlock()
	return r.send(lineMessage(r.game, by, l, p))
}

// Finish sends the end of a game that was not played to its end.
func (r *Remote) Finish(res arena.Result) {
	if res.End == arena.Played {
		return
	}
	if err := r.send(ended(r.game, res)); err != nil {
		r.log.Info("result not sent to the agent", "agent", r.address, "cause", err)
	}
}

func (r *Remote) Close() error {
	err := r.conn.Close(websocket.StatusNormalClosure, "")
	r.cancel()
	return err
}
