package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
)

// arenaGame is what matches need of a game beyond its gameEntry.
type arenaGame struct {
	// rules has the log format and the score of games lost by rule; its Game
	// is filled in.
	rules arena.Rules
	// programs opens players that are programs of their own, by the prefix of
	// their spec. The opener gets the spec without the prefix.
	programs map[string]programOpener
}

// programOpener checks the spec of a program and returns what seats it.
type programOpener func(env programEnv, spec string) (func(context.Context, arena.Seat) (engine.Player, error), error)

// programEnv is what a program is started with besides its seat.
type programEnv struct {
	name string // the player's
	log  *slog.Logger
}

// arenaGames has an entry for each game with more than built-in players or a
// log format of its own.
var arenaGames = map[string]arenaGame{
	circuitwars.Name: {rules: arena.Rules{ForfeitScore: allSquares, WriteLog: writeCircuitWarsLog}},
}

// arenaRules are the rules of a game for the arena.
func arenaRules(g gameEntry) arena.Rules {
	r := arenaGames[g.Name()].rules
	r.Game = g.Game
	return r
}

// allSquares scores a game of Circuit Wars lost by rule: all squares to none.
func allSquares(last engine.Position, winner engine.Side) (score [2]int) {
	if p, ok := last.(circuitwars.Position); ok && winner != engine.None {
		score[winner-1] = p.Board().Squares()
	}
	return score
}

// writeCircuitWarsLog writes a game as the championship's server logs it. A
// random opening is part of the game: its moves are the teams'. A game that a
// program crashed in, or never came to, is a timeout there.
func writeCircuitWarsLog(w io.Writer, _ engine.Position, r arena.Result) error {
	g := circuitwars.Log{Teams: r.Players, Score: r.Score}
	for _, moves := range [][]string{r.Opening, r.Moves} {
		for _, m := range moves {
			g.Moves = append(g.Moves, circuitwars.LogMove{Team: r.Players[len(g.Moves)%2], Text: m})
		}
	}
	switch {
	case r.End == arena.Illegal:
		g.Code = circuitwars.IllegalBy1.For(r.Loser())
		g.Moves = append(g.Moves, circuitwars.LogMove{Team: r.Players[r.Loser()-1], Text: r.BadMove})
	case r.End == arena.NoPlayer:
		g.Code = circuitwars.TimeoutBy1
	case r.Forfeited():
		g.Code = circuitwars.TimeoutBy1.For(r.Loser())
	case r.Winner == engine.First:
		g.Code = circuitwars.WonBy1
	default:
		// The server has no code for a tie: the first player did not win.
		g.Code = circuitwars.WonBy1.For(engine.Second)
	}
	return circuitwars.WriteLog(w, g)
}

// gameLogs writes every game into a directory, one file a game.
type gameLogs struct {
	dir   string // "" writes nothing
	rules arena.Rules
	start engine.Position
}

// create makes the directory.
func (l gameLogs) create() error {
	if l.dir == "" {
		return nil
	}
	return os.MkdirAll(l.dir, 0o755)
}

// write writes the log of a game; it appears whole or not at all.
func (l gameLogs) write(r arena.Result) error {
	if l.dir == "" {
		return nil
	}
	write := l.rules.WriteLog
	if write == nil {
		write = arena.WriteLog
	}
	return writeFile(filepath.Join(l.dir, r.ID+".log"), func(w io.Writer) error { return write(w, l.start, r) })
}

// writeMissing writes the logs of games from an earlier run that are not
// there.
func (l gameLogs) writeMissing(results []arena.Result) error {
	for _, r := range results {
		if l.dir == "" {
			break
		}
		if _, err := os.Stat(filepath.Join(l.dir, r.ID+".log")); err == nil {
			continue
		}
		if err := l.write(r); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file under a temporary name and renames it when it is
// complete.
func writeFile(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = write(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
