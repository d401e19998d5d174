package match

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
)

// versus separates the teams in the name of a log of the course championship.
const versus = "_vs_"

// reportLogs prints the championship of the logs in paths. Unreadable logs are an error at the end.
func reportLogs(a *cli.App, g cli.Game, cup *championship.Championship, f championshipFlags, logs []string) error {
	results, board, unread, err := readLogs(a, g, f.board, logs)
	if err != nil {
		return cli.BadInput(err)
	}
	if len(results) > 0 {
		cup.Config.Board = board
		cup.Config.Time = 0 // not known from logs
		if err := printOutcome(a, cup.Recorded(results), f); err != nil {
			return err
		}
		if f.report != "" {
			fmt.Fprintf(a.Stderr, "for a report on mistakes: endwise analyze %s --html FILE\n", strings.Join(logs, " "))
		}
	}
	if unread > 0 {
		return cli.BadInput(fmt.Errorf("%s could not be read", cli.Count(unread, "log")))
	}
	return nil
}

// readLogs reads the results of the logs in and below the paths. on is the board of the games: the given
// one or, if that is "", one that all logs fit. unread is the number of logs that cannot be used.
func readLogs(a *cli.App, g cli.Game, board string, paths []string) (out []arena.Result, on string, unread int, err error) {
	if g.ReadResult == nil {
		g.ReadResult = func(file, board string) (arena.Result, string, string, error) { return readResult(g, file, board) }
	}
	files, err := a.Games.FilesBelow(a.Stderr, paths, ".log")
	if err == nil && board == "" {
		board, err = commonBoard(g, files)
	}
	if err != nil {
		return nil, "", 0, err
	}
	names := recordedNames{a.Stderr, map[string]string{}, map[string]string{}, map[[2]string]bool{}}
	var bad cli.Unread
	for _, file := range files {
		r, read, note, err := g.ReadResult(file, board)
		if err != nil {
			err = a.Games.NameGame(g.Name(), file, err)
		} else {
			err = names.apply(&r, file)
		}
		if err != nil {
			bad.Add(file, err)
			continue
		}
		if note != "" {
			fmt.Fprintf(a.Stderr, "endwise: %s: %s\n", engine.OneLine(file, 300), note)
		}
		out, on = append(out, r), read
	}
	return out, on, bad.Print(a.Stderr), nil
}

// readResult is [cli.Game.ReadResult] for the records that [cli.Game.Readers] read.
func readResult(g cli.Game, file, board string) (r arena.Result, on, note string, err error) {
	readers, err := g.Readers(board)
	if err != nil {
		return r, "", "", err
	}
	data, err := cli.ReadLimited(file, analysis.MaxRecordBytes)
	if err != nil {
		return r, "", "", err
	}
	log, err := analysis.ReadRecord(file, data, readers...)
	if err != nil {
		return r, "", "", err
	}
	on = log.Positions[0].BoardName()
	r = arena.Result{Players: log.Players, Winner: log.Winner, Score: log.Score, End: arena.Played, Fault: log.Fault}
	for i, m := range log.Moves {
		r.Moves = append(r.Moves, log.Positions[i].MoveString(m))
	}
	switch {
	case board != "" && on != board:
		return r, on, "", fmt.Errorf("a game on %s, not on %s", on, board)
	case log.Final().Over():
		r.Score, r.Winner = log.Final().Score(), engine.Winner(log.Final())
		if r.Score != log.Score || r.Winner != log.Winner {
			note = fmt.Sprintf("the log says %d-%d and that %v wins, its moves %d-%d and that %v wins; the moves count",
				log.Score[0], log.Score[1], log.Winner, r.Score[0], r.Score[1], r.Winner)
		}
	case log.Winner == engine.None:
		return r, on, "", errors.New("the record has no result, and stops before the end of the game")
	case strings.Contains(log.Fault, "illegal move"), strings.HasPrefix(log.Fault, "invalid action"), strings.HasPrefix(log.Fault, "bad answer"):
		r.End = arena.Illegal
	case strings.Contains(log.Fault, "crash"), strings.Contains(log.Fault, "before its first move"),
		strings.HasPrefix(log.Fault, "player failed"), strings.HasPrefix(log.Fault, "out of memory"):
		r.End = arena.Crash
	default:
		r.End = arena.Timeout
	}
	return r, on, note, nil
}

// commonBoard returns a board that every readable log fits, "" if no log is readable.
func commonBoard(g cli.Game, files []string) (board string, err error) {
	type log struct{ file, board string }
	var logs []log
	for _, file := range files {
		if _, board, _, err := g.ReadResult(file, ""); err == nil {
			logs = append(logs, log{file, board})
		}
	}
	for i, l := range logs {
		if slices.ContainsFunc(logs[:i], func(other log) bool { return other.board == l.board }) {
			continue
		}
		misfit := slices.IndexFunc(logs, func(other log) bool {
			_, _, _, err := g.ReadResult(other.file, l.board)
			return err != nil
		})
		if misfit < 0 {
			return l.board, nil
		}
		err = cmp.Or(err, fmt.Errorf("%s is the log of a %s board, %s of a %s board: want the logs of one championship, or --board",
			l.file, l.board, logs[misfit].file, logs[misfit].board))
	}
	return "", err
}

// recordedNames are the names of games and teams in the logs read so far.
type recordedNames struct {
	notices io.Writer
	fileOf  map[string]string  // of a game, by round and teams, and by round, the teams in the log and moves
	spelled map[string]string  // a team's name as it occurs first, by the name in lower case
	noticed map[[2]string]bool // a team's name and its other name in a log
}

// apply sets the result's ID and teams as the name of its file gives them ([nameGame]), with every team
// spelled as in its first log. Another log of the same round with the same teams, or with the same moves
// and the same teams in the log itself, is an error. If these differ from the name, apply writes a notice.
func (n *recordedNames) apply(r *arena.Result, file string) error {
	inLog := r.Players
	round, err := nameGame(r, file)
	if err != nil {
		return err
	}
	part := round
	if duels := championship.DuelsOf(round); duels > 0 {
		part = fmt.Sprint(duels) // "semifinal1" and "semifinals" are one round
	}
	if len(r.Moves) > 0 {
		if err := n.add(file, part, inLog[0], inLog[1], strings.Join(r.Moves, " ")); err != nil {
			return err
		}
	}
	for i, team := range r.Players {
		key := strings.ToLower(team)
		n.spelled[key] = cmp.Or(n.spelled[key], team)
		r.Players[i] = n.spelled[key]
		if pair := [2]string{r.Players[i], inLog[i]}; !strings.EqualFold(team, inLog[i]) && !n.noticed[pair] {
			n.noticed[pair] = true
			fmt.Fprintf(n.notices, "endwise: %s: the log calls %s %s; the name of the file counts\n",
				engine.OneLine(file, 300), team, engine.OneLine(inLog[i], 60))
		}
	}
	if r.Players[0] == r.Players[1] {
		return fmt.Errorf("%s: both teams are named %s, case ignored", file, r.Players[0])
	}
	r.ID = fmt.Sprintf("%s-%s-%s", round, r.Players[0], r.Players[1])
	return n.add(file, part, r.Players[0], r.Players[1])
}

// add records that file is the log of the game that key identifies. A second file is an error.
func (n *recordedNames) add(file string, key ...string) error {
	k := strings.Join(key, "-")
	if other := n.fileOf[k]; other != "" && other != file {
		return fmt.Errorf("%s and %s are logs of the same game", other, file)
	}
	n.fileOf[k] = file
	return nil
}

// nameGame reads the name of a log: GROUP-TEAM-TEAM, or TEAM-TEAM or TEAM_vs_TEAM in a folder
// GROUP or group-GROUP, with or without .log. It sets the teams of the result to those in the name and
// returns GROUP, a knockout round, or a duel such as round16-5. A - in a folder's name becomes _.
func nameGame(r *arena.Result, file string) (round string, err error) {
	base := engine.OneLine(strings.TrimSuffix(filepath.Base(file), ".log"), 200)
	folder := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "group-")
	folder = strings.ReplaceAll(folder, "-", "_")
	// If the name ends with the log's own teams, these remain: they may contain - themselves.
	for _, full := range []string{base, folder + "-" + base} {
		if round, ok := roundBefore(r.Players, full); ok {
			return round, nil
		}
	}
	if isOfArena(r.Players, base) {
		return "", errors.New("a log of endwise arena, which has no groups: endwise analyze reads it; a championship's log is named GROUP-TEAM-TEAM.log")
	}
	words := strings.Split(base, versus)
	if len(words) != 2 {
		words = strings.Split(base, "-")
	}
	if len(words) == 2 {
		words = append([]string{folder}, words...)
	}
	n := len(words) - 2
	if n < 1 || slices.Contains(words, "") || n > 1 && !championship.IsKnockout(words[0]) {
		return "", fmt.Errorf("%s is the log of a game between %s and %s: want it named GROUP-%s-%s.log", file,
			r.Players[0], r.Players[1], r.Players[0], r.Players[1])
	}
	r.Players = [2]string{words[n], words[n+1]}
	return strings.Join(words[:n], "-"), nil
}

// roundBefore returns what precedes the two teams in the name of a log, if the name ends with them in any
// case and order. The round may contain a - only if it is a duel of the knockout.
func roundBefore(teams [2]string, name string) (round string, ok bool) {
	for _, between := range []string{"-", versus} {
		for i := range teams {
			pair := "-" + teams[i] + between + teams[1-i]
			n := len(name) - len(pair)
			if n <= 0 || !strings.EqualFold(name[n:], pair) {
				continue
			}
			if round = name[:n]; !strings.Contains(round, "-") || championship.IsKnockout(round) {
				return round, true
			}
		}
	}
	return "", false
}

// isOfArena reports whether a log has a name of endwise arena: TEAM-TEAM-NUMBER.
func isOfArena(teams [2]string, name string) bool {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || !engine.IsNumber(name[i+1:]) {
		return false
	}
	return strings.EqualFold(name[:i], teams[0]+"-"+teams[1]) || strings.EqualFold(name[:i], teams[1]+"-"+teams[0])
}
