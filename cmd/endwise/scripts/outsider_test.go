package scripts

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// outsider is an external program for the scripts that plays Circuit Wars on a server:
// outsider HOW SERVER TEAM. It always plays the first free segment. HOW is
//
//	fair     nothing special
//	inside   the server's address and the team are constants of the program
//	restart  requests a restart before it registers and during the game
//	absent   registers and never moves
//	twice    moves out of turn
//	garbage  sends an invalid move
//	silent   stops playing after its first move and ignores signals
//	crash    fails after its first move
func outsider() {
	how, server, team := os.Args[1], os.Args[2], os.Args[3]
	if how == "inside" {
		server = "http://127.0.0.1:5000"
		team = "a team id that is longer than any"
	} else if os.Getenv("ENDWISE_SERVER") != server || os.Getenv("ENDWISE_TEAM") != team {
		fmt.Fprintln(os.Stderr, "the environment says", os.Getenv("ENDWISE_SERVER"), os.Getenv("ENDWISE_TEAM"))
		os.Exit(1)
	}
	if err := outside(how, server, team); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func outside(how, server, team string) error {
	signal.Ignore(syscall.SIGTERM, os.Interrupt)
	// ask waits for an answer without a limit, like simple programs: on a busy machine the
	// first answer may take seconds.
	ask := func(path ...string) ([]byte, error) {
		time.Sleep(5 * time.Millisecond)
		resp, err := http.Get(server + "/" + strings.Join(path, "/"))
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return io.ReadAll(resp.Body)
	}
	if how == "restart" {
		if _, err := ask("restart"); err != nil {
			return err
		}
	}
	var place struct{ Player engine.Side }
	if answer, err := ask("reg", url.PathEscape(team)); err != nil {
		return err
	} else if err := json.Unmarshal(answer, &place); err != nil || place.Player == engine.None {
		return fmt.Errorf("register: %q", answer)
	}
	for moves := 0; ; {
		answer, err := ask("status")
		if err != nil {
			return err
		}
		st, err := circuitwars.ParseStatus(answer)
		if err != nil || st.Code.Over() {
			return err
		}
		if st.Code.Kind() != 200 || st.Code.Side() != place.Player && how != "twice" || how == "absent" {
			continue
		}
		text := st.Position.MoveString(engine.Move(st.Position.Free().Segments()[0]))
		if how == "garbage" {
			text = "no/move at all" + strings.Repeat("!", 200)
		}
		if _, err := ask("move", url.PathEscape(team), url.PathEscape(text)); err != nil {
			return err
		}
		switch moves++; {
		case how == "restart" && moves == 2:
			if _, err := ask("restart"); err != nil {
				return err
			}
		case how == "silent":
			time.Sleep(time.Hour) // not select {}, which the runtime reports as a deadlock
		case how == "crash":
			return fmt.Errorf("out of memory")
		}
	}
}
