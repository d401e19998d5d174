package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"endwise/engine/circuitwars"
	"endwise/engine/disk"
	"endwise/engine/testenv"
)

// hostileName clears the screen and reverses the direction of the following text.
const hostileName = "\x1b[2J\u202emallory\u009b31m\U000e0041"

// Names of players and files bring neither escape sequences nor changes of direction to the
// terminal.
func TestNamesAreOnlyText(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"A-" + hostileName + "-eve", "A-eve-" + hostileName} {
		teams := strings.Split(strings.TrimPrefix(name, "A-"), "-")
		log := circuitwars.Log{Teams: [2]string(teams), Code: circuitwars.WonBy1, Score: [2]int{2, 0}, Moves: []circuitwars.LogMove{
			{Team: teams[0], Text: "0,0,top"}, {Team: teams[1], Text: "1,0,top"}, {Team: teams[0], Text: "0,0,left"}, {Team: teams[1], Text: "0,0,bottom"},
			{Team: teams[0], Text: "1,0,right"}, {Team: teams[1], Text: "0,0,top"},
		}}
		var text bytes.Buffer
		testenv.OK(t, circuitwars.WriteLog(&text, log))
		testenv.OK(t, disk.WriteFile(filepath.Join(dir, name+".log"), 0o644, disk.Bytes(text.Bytes())))
	}
	t.Setenv("ENDWISE_STORE", filepath.Join(t.TempDir(), "store"))
	html := filepath.Join(t.TempDir(), "class.html")
	for _, args := range [][]string{
		{"analyze", dir, "--board", "1x2", "--moves", "--html", html},
		{"analyze", dir, "--board", "1x2", "--json"},
		{"replay", "circuitwars", dir, "--board", "1x2"},
		{"championship", "circuitwars", dir, "--board", "1x2"},
		{"replay", "circuitwars", filepath.Join(dir, hostileName)},
		{hostileName},
	} {
		_, out, errs := endwise(t, args...)
		if text := out + errs; !strings.Contains(text, "mallory") {
			t.Errorf("%q: no one is named: %q", args, text)
		} else if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); i >= 0 {
			t.Errorf("%q: it prints %q", args, text[max(0, i-20):min(len(text), i+20)])
		}
		if args[len(args)-1] == "--json" {
			var rep struct {
				Games []struct{ Players []struct{ Name string } }
			}
			if err := json.Unmarshal([]byte(out), &rep); err != nil || rep.Games[0].Players[0].Name != hostileName {
				t.Errorf("the JSON form has lost the name: %+v, %v", rep, err)
			}
		}
	}
	page := testenv.ReadFile(t, html)
	if !bytes.Contains(page, []byte(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `)) {
		t.Error("the page that was written has no content security policy")
	}
}

// The practice servers answer to this machine's names only, and not to pages of other
// sites, except for agents.
func TestServersKeepToTheirNames(t *testing.T) {
	for _, args := range [][]string{{"--hash", "64"}, {"circuitwars"}, {"dotsandboxes"}} {
		url, _ := serve(t, append(args, "--allow-host", "teacher.example")...)
		for _, c := range []struct {
			host, origin string
			code         int
		}{
			{"", "", 200}, {"localhost", "", 200}, {"teacher.example:80", "http://teacher.example:80", 200},
			{"evil.example", "", 403}, {"", "http://evil.example", 403},
		} {
			if status, _ := testenv.Call(t, "GET", url+"/", "", "Host", c.host, "Origin", c.origin); status != c.code {
				t.Errorf("%v: to %q for %q: status %d, want %d", args, c.host, c.origin, status, c.code)
			}
		}
		if args[0] == "dotsandboxes" { // any page may connect to an agent
			if status, _ := testenv.Call(t, "GET", url+"/agent/level1", "", "Host", "evil.example", "Origin", "http://evil.example"); status != 200 {
				t.Errorf("an agent's status is %d for another page", status)
			}
		}
	}
}
