// Command starter plays one game of Circuit Wars with random moves: go run . [SERVER [TEAM]]
//
// README.md explains the protocol. Replace chooseMove with your own idea.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"strings"
	"time"
)

// answer is what the server sends: the answer to /reg or a status.
type answer struct {
	Player   int     `json:"player"`
	Code     int     `json:"status_code"`
	Score1   int     `json:"score_1"`
	Score2   int     `json:"score_2"`
	LastMove string  `json:"last_move"`
	Board    [][]int `json:"board"`
	Error    int     `json:"error_code"`
	Missing  string  `json:"-"` // the reason if the fields are missing
}

// borders are those of a square: the bit, the step to the square on the other side, the bit
// there.
var borders = map[string]struct{ bit, dx, dy, other int }{
	"top": {1, 0, -1, 4}, "right": {2, 1, 0, 8}, "bottom": {4, 0, 1, 1}, "left": {8, -1, 0, 2},
}

const owned = 16 | 32 // one of these bits is set in a captured square

var client = http.Client{Timeout: 2 * time.Second}

// get returns the server's answer, or one with the reason if there is none.
func get(url string) (a answer) {
	resp, err := client.Get(url)
	if err != nil {
		return answer{Missing: "no answer; is the server running?"}
	}
	defer resp.Body.Close()
	a.Missing = "this is not a game server" // unless the fields are in the answer
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return a // a websocket: its body does not end
	}
	json.NewDecoder(resp.Body).Decode(&a)
	return a
}

// freeMoves returns all legal moves. A segment inside of a captured area is gone, but its
// bits are not set.
func freeMoves(board [][]int) (moves []string) {
	for y, row := range board {
		for x, here := range row {
			for border, b := range borders {
				there, nx, ny := 0, x+b.dx, y+b.dy
				if ny >= 0 && ny < len(board) && nx >= 0 && nx < len(row) {
					there = board[ny][nx]
				}
				if here&(b.bit|owned) == 0 && there&(b.other|owned) == 0 {
					moves = append(moves, fmt.Sprintf("%d,%d,%s", x, y, border))
				}
			}
		}
	}
	return moves
}

// chooseMove returns a random free move.
func chooseMove(board [][]int) string {
	moves := freeMoves(board)
	return moves[rand.Intn(len(moves))]
}

func main() {
	args := append(os.Args[1:], []string{"http://127.0.0.1:5000", "my-team"}[min(2, len(os.Args)-1):]...)
	server, team := args[0], args[1]
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	reg := get(server + "/reg/" + team)
	me := reg.Player
	if me == 0 {
		hint := [...]string{reg.Missing, "choose a team of letters, digits, - and _", "choose another team",
			"the game has begun or is over: restart the server's game"}[min(max(reg.Error, 0), 3)]
		fmt.Fprintln(os.Stderr, server, "did not register team", team+":", hint)
		os.Exit(1)
	}
	fmt.Println("I am player", me)
	var st answer
	misses := 0
	for sent := ""; st.Code < 300; time.Sleep(200 * time.Millisecond) { // the first code from 300 on is the result
		st = get(server + "/status")
		if misses++; st.Code != 0 {
			misses = 0
		} else if misses == 20 {
			fmt.Fprintln(os.Stderr, "The server does not answer any more:", st.Missing)
			os.Exit(1)
		}
		if sent != "" && st.Code >= 100 && st.Code < 200 { // the server waits for teams again
			fmt.Fprintln(os.Stderr, "The server was restarted: start this program again.")
			os.Exit(1)
		}
		// Never move twice: the opponent must have answered our last move.
		if st.Code == 200+me && (sent == "" || st.LastMove != sent) {
			sent = chooseMove(st.Board)
			get(server + "/move/" + team + "/" + sent)
		}
	}
	mine, theirs, result, loser := st.Score1, st.Score2, "lost", "My opponent"
	if me == 2 {
		mine, theirs = theirs, mine
	}
	if mine == theirs {
		result = "tied"
	} else if st.Code%100 == me {
		result = "won"
	}
	if st.Code%100 == me {
		loser = "I"
	}
	switch {
	case st.Code < 400:
		fmt.Printf("I %s %d-%d\n", result, mine, theirs)
	case st.Code < 500:
		fmt.Println(loser, "lost by an illegal move")
	default:
		fmt.Println(loser, "lost by time-out")
	}
}
