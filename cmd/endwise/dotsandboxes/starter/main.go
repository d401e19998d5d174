// Command starter draws random lines in games of Dots and Boxes:
//
//	go run . PORT
//
// README.md explains the messages. Replace chooseLine with your own idea.
package main

import (
	"log"
	"math/rand"
	"os"
)

// line is a line between two dots.
type line struct {
	orientation string // h or v
	row, column int
}

// message is a message of the protocol.
type message struct {
	Type        string `json:"type"`
	Player      int    `json:"player,omitempty"`
	NextPlayer  int    `json:"nextplayer,omitempty"`
	Grid        [2]int `json:"grid,omitzero"`
	Orientation string `json:"orientation,omitempty"`
	Location    [2]int `json:"location"`
}

// chooseLine chooses one of the free lines.
func chooseLine(free map[line]bool) line {
	n := rand.Intn(len(free))
	for l := range free {
		if n--; n < 0 {
			return l
		}
	}
	panic("no free line")
}

// play plays the games of one connection. receive returns false at the end.
func play(receive func(*message) bool, send func(message)) {
	free, me := map[line]bool{}, 0
	for {
		var m message
		if !receive(&m) {
			return
		}
		turn := 0
		switch m.Type {
		case "start":
			clear(free)
			for r := range m.Grid[0] + 1 {
				for c := range m.Grid[1] + 1 {
					if c < m.Grid[1] {
						free[line{"h", r, c}] = true
					}
					if r < m.Grid[0] {
						free[line{"v", r, c}] = true
					}
				}
			}
			me, turn = m.Player, 1
		case "action": // every line that is drawn, our own too
			delete(free, line{m.Orientation, m.Location[0], m.Location[1]})
			turn = m.NextPlayer
		}
		if turn == me && len(free) > 0 {
			l := chooseLine(free)
			send(message{Type: "action", Orientation: l.orientation, Location: [2]int{l.row, l.column}})
		}
	}
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: dotsandboxesagent PORT")
	}
	log.Fatal(serve(os.Args[1], play), "; choose another port")
}
