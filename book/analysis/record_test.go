package analysis

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

// All recorded games are read, and writing one in the plain format and reading it gives the
// same game.
func TestRecordedGamesAreRead(t *testing.T) {
	dir := enginetest.Recorded(t, "circuitwars", "games")
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	testenv.OK(t, err)
	readers := []Reader{ReadWatchYourBack, CircuitWarsReader(7, 7), PlainReader(circuitwars.Game{}), PlainReader(watchyourback.Game{})}
	games, moves, faults := 0, 0, 0
	for _, file := range files {
		data := testenv.ReadFile(t, file)
		r, err := ReadRecord(filepath.Base(file), data, readers...)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		games++
		moves += len(r.Moves)
		if r.Fault != "" {
			faults++
		}
		checkPlain(t, r, readers)
	}
	if games != 168 || faults != 32 {
		t.Errorf("%d games, %d moves, %d faults; want 168 games, 32 of them not played to their end", games, moves, faults)
	}
}

func checkPlain(t *testing.T, r Record, readers []Reader) {
	t.Helper()
	var b bytes.Buffer
	testenv.OK(t, WritePlain(&b, r))
	again, err := ReadRecord(r.Name, b.Bytes(), readers...)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	same := again.Players == r.Players && again.Fault == r.Fault && again.Score == r.Score && again.Winner == r.Winner && slices.Equal(again.Moves, r.Moves)
	if !same || again.Final().String() != r.Final().String() {
		t.Errorf("%s: read back as another game", r.Name)
	}
}

// A long name is cut between two characters.
var longName, cutName = "x" + strings.Repeat("ü", 30), "x" + strings.Repeat("ü", 29) + "…"

// The referee's output is read as a game.
func TestRefereeOutputIsRead(t *testing.T) {
	data := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "watchyourback-referee.txt"))
	readers := []Reader{CircuitWarsReader(7, 7), ReadWatchYourBack, PlainReader(watchyourback.Game{})}
	r, err := ReadRecord("referee", data, readers...)
	testenv.OK(t, err)
	if len(r.Moves) != 24+134 || r.Winner != engine.Second || !r.Final().Over() || r.Score != [2]int{1, 5} {
		t.Errorf("%d moves, winner %s, score %v, end %s", len(r.Moves), r.Winner, r.Score, r.Final())
	}
	checkPlain(t, r, readers)

	// The real output contains no names; logs of the arena do.
	named, err := ReadRecord("named", append([]byte("White (O): ann\nBlack (@): "+longName+"\n\n"), data...), readers...)
	if want := [2]string{"ann", cutName}; err != nil || named.Players != want || r.Players != [2]string{"White", "Black"} {
		t.Errorf("%v: players %q, want %q, and %q without names", err, named.Players, want, r.Players)
	}

	// Without its end it is an unfinished game; with a changed board it is an error.
	cut := bytes.Index(data, []byte("game over!"))
	if r, err = ReadRecord("cut", data[:cut], readers...); err != nil || r.Fault == "" || r.Winner != engine.None {
		t.Errorf("a game cut off: %v, fault %q, winner %s", err, r.Fault, r.Winner)
	}
	bad := strings.Replace(string(data), "O - - - - - - -", "- O - - - - - -", 3)
	bad = strings.Replace(bad, "- O - - - - - -", "O - - - - - - -", 1)
	if _, err = ReadRecord("bad", []byte(bad), readers...); err == nil || !strings.Contains(err.Error(), "no move leads") {
		t.Errorf("a changed board: %v", err)
	}
}

// Messages of the agents' protocol are read as a game; the copies for both players count
// once.
func TestProtocolMessagesAreRead(t *testing.T) {
	text := `{"type":"start","player":1,"timelimit":0.5,"grid":[1,1],"game":"g"}
{"type":"start","player":2,"timelimit":0.5,"grid":[1,1],"game":"g"}
{"type":"action","location":[0,0],"orientation":"h"}
{"type":"action","game":"g","player":1,"nextplayer":2,"score":[0,0],"location":[0,0],"orientation":"h"}
{"type":"action","game":"g","player":1,"nextplayer":2,"score":[0,0],"location":[0,0],"orientation":"h"}
{"type":"action","game":"g","player":2,"nextplayer":1,"score":[0,0],"location":[0,0],"orientation":"v"}
{"type":"action","game":"g","player":1,"nextplayer":2,"score":[0,0],"location":[0,1],"orientation":"v"}
`
	end := `{"type":"end","game":"g","player":2,"nextplayer":0,"score":[0,1],"location":[1,0],"orientation":"h","winner":2}`
	r, err := ReadRecord("x", []byte(text+end), ReadDotsAndBoxes)
	testenv.OK(t, err)
	if len(r.Moves) != 4 || r.Winner != engine.Second || r.Score != [2]int{0, 1} || r.Fault != "" {
		t.Errorf("%d moves, winner %s, score %v, fault %q", len(r.Moves), r.Winner, r.Score, r.Fault)
	}
	checkPlain(t, r, []Reader{ReadDotsAndBoxes, PlainReader(dotsandboxes.Game{})})
	named, err := ReadRecord("named", []byte(strings.Replace(text, `"player":2,"timelimit":0.5`, `"player":2,"name":"`+longName+`","timelimit":0.5`, 1)+end), ReadDotsAndBoxes)
	if want := [2]string{"player 1", cutName}; err != nil || named.Players != want || r.Players != [2]string{"player 1", "player 2"} {
		t.Errorf("%v: players %q, want %q, and %q without names", err, named.Players, want, r.Players)
	}
	if r, err = ReadRecord("x", []byte(text), ReadDotsAndBoxes); err != nil || r.Fault == "" {
		t.Errorf("without the end: %v, fault %q", err, r.Fault)
	}
	lost := `{"type":"end","game":"g","player":1,"nextplayer":0,"score":[0,0],"winner":2,"reason":"ann (player 1) lost by timeout at move 4"}`
	if r, err = ReadRecord("x", []byte(text+lost), ReadDotsAndBoxes); err != nil || r.Fault != "ann (player 1) lost by timeout at move 4" || r.Winner != engine.Second || len(r.Moves) != 3 {
		t.Errorf("forfeited: %v, fault %q, winner %s, %d moves", err, r.Fault, r.Winner, len(r.Moves))
	}
	if _, err = ReadRecord("x", []byte(text+"{"), ReadDotsAndBoxes); err == nil {
		t.Error("broken JSON: no error")
	}
}

func TestBadRecordsAreRefusedInOneLine(t *testing.T) {
	wybMoves := MovesReader(watchyourback.Game{}, watchyourback.Game{}.ReadGame)
	readers := []Reader{CircuitWarsReader(7, 7), ReadWatchYourBack, ReadDotsAndBoxes, PlainReader(circuitwars.Game{}), wybMoves}
	for text, want := range map[string]string{
		"a page: a/b:c:3":                     "not a game record",
		"hello\x00{":                          "not a text file",
		"":                                    "not a game record",
		"hello":                               "not a game record",
		"game: chess\nstart: x":               "not a game record",
		"game: circuitwars\nstart: 9x9x9\n\n": "start:",
		"game: circuitwars\nstart: 2x2\n\n0,0,up":                                        "line 4",
		"game: circuitwars\nstart: 2x2\n\n0,0,top\n0,0,top":                              "line 5",
		"game: circuitwars\ngame: circuitwars":                                           "line 2: a second game",
		"game: circuitwars\nwho: me":                                                     "line 2",
		"game: circuitwars\nstart: 2x2\nwinner: 3\n\n":                                   "winner",
		"game: circuitwars\nstart: 2x2\nscore: x\n\n":                                    "score",
		"game: circuitwars\nstart: 2x2\nscore: 1001-0\n\n":                               "score",
		"game: circuitwars\nstart: 2x2\nscore: 0-1001\n\n":                               "score",
		"game: circuitwars\nstart: 2x2\nwinner: 1\nscore: 1000-1000\nfault: timeout\n\n": "",
		"/move/a/0,0,top\n":                                                              "stops in the middle",
		strings.Repeat("x", MaxRecordBytes+1):                                            "longer than",
		"0 turns into the placing phase":                                                 "no move",
		"a\nb\nc\nd\ne\nf\ng\nh\n5 turns into the placing phase":                         "no move",
		`{"type":"start","grid":[1,1]}`:                                                  "no move",
		"game: circuitwars\nstart: 2x2\n\n":                                              "no move",
		"game: circuitwars\nstart: 2x2\nwinner: 2\nfault: timeout\n\n":                   "",
		strings.Repeat("-\n", 8) + "0 turns into the placing phase\n":                    "line 1",
		"game: circuitwars\nstart: 2x2\nend: illegal\n\n0,0,top\n0,0,top":                "",
		"game: circuitwars\r\nstart: 2x2\r\n\r\n0,0,top\r\n0,0,left\r\n":                 "",
		"\ufeffgame: circuitwars\nstart: 2x2\nplayer_1: a\nplayer_2: a\n\n0,0,top":       "",
	} {
		_, err := ReadRecord("x", []byte(text), readers...)
		switch {
		case want == "" && err != nil:
			t.Errorf("%.60q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%.60q: error %v, want one with %q", text, err, want)
		}
	}
}

// A record is refused in one line, or read as a game that is the same after writing it in
// the plain format and reading it.
func FuzzRead(f *testing.F) {
	f.Add([]byte("game: circuitwars\nstart: 2x2\n\n0,0,top\n"))
	f.Add([]byte("/move/a/0,0,top\n----\nstatus: 301\n"))
	f.Add([]byte("0 turns into the placing phase\n"))
	f.Add([]byte(`{"type":"start","grid":[1,1]}{"type":"action","nextplayer":2,"score":[0,0],"location":[0,0],"orientation":"h"}`))
	f.Add([]byte(`{"type":"start","grid":[1,1]}{"type":"end","winner":1}`))
	readers := []Reader{CircuitWarsReader(2, 2), ReadWatchYourBack, ReadDotsAndBoxes, PlainReader(circuitwars.Game{}), PlainReader(watchyourback.Game{}), PlainReader(dotsandboxes.Game{})}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadRecord("x", data, readers...)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		if len(r.Positions) != len(r.Moves)+1 {
			t.Fatalf("%d positions, %d moves", len(r.Positions), len(r.Moves))
		}
		checkPlain(t, r, readers)
	})
}

// Games are read in every notation of moves, and an illegal move is named in the error.
func TestListsOfMovesAreRead(t *testing.T) {
	var readers []Reader
	for _, g := range []engine.Game{circuitwars.Game{}, watchyourback.Game{}, dotsandboxes.Game{}} {
		readers = append(readers, PlainReader(g), MovesReader(g, g.ReadGame))
	}
	for _, c := range []struct {
		text  string
		moves int
		want  string // of the last position, or the error
	}{
		{"http://www.trmph.com/dnb/board#5,f3h9k8", 3, "5x5 "},
		{"1. b5-c5 2. c4-c5 3. b4-c4 4. b4-b5, d3-e3 5. f1-f2", 6, "5x5 "},
		{"User action: player=1 - r=1 - c=2 - o=v\n", 1, "2x2 "},
		{"2x2 A1 B\nA2 T\n", 2, "2x2 "},
		{"2x2 1. 0,0,top 2. 1,1,left", 2, "2x2:"},
		{"5,b1b1", 0, "drawn already"},
		{"User action: player=2 - r=1 - c=2 - o=v\n", 0, "it is player 1's turn"},
		{"2x2 0,0,top 0,0,top", 0, "drawn already"},
		{"2x2 h1,1 h1,1", 0, "drawn already"},
		{"(1,2,3)(1,3,3)", 0, "do not give the direction"},
		{"3x3", 0, "not a game record"},
		{"chess", 0, "not a game record"},
		{"", 0, "not a game record"},
		{"{", 0, "not a game record"},
	} {
		r, err := ReadRecord("x", []byte(c.text), readers...)
		if err != nil {
			if c.moves > 0 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
		} else if len(r.Moves) != c.moves || !strings.HasPrefix(r.Final().String(), c.want) || r.Fault == "" {
			t.Errorf("%q: %d moves, fault %q, %s", c.text, len(r.Moves), r.Fault, r.Final())
		}
	}
}
