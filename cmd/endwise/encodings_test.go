package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"endwise/engine/testenv"
)

// utf16Text returns a text in UTF-16 with its mark.
func utf16Text(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

// Every text of a user is read in the encodings and with the ends of lines that editors
// and shells write.
func TestTextsInAnyEncoding(t *testing.T) {
	log := "/move/ann/0,0,top\n/move/bob/0,0,left\n/move/ann/0,0,right\n/move/bob/0,0,bottom\n----\nstatus: 302\nplayer_1: ann\nplayer_2: bob\nscore_1: 0\nscore_2: 1\n"
	plain := "game: dotsandboxes\nstart: 1x1\n\nh0,0\nh1,0\nv0,0\nv0,1\n"
	for name, c := range map[string]struct {
		text string // in FILE, or on standard input if args have no FILE or DIR
		args string
		want string
	}{
		"log":          {log, "analyze --board 1x1 --work WORK FILE", "4 moves"},
		"found log":    {log, "replay circuitwars --board 1x1 DIR", "1 agree"},
		"plain record": {plain, "analyze --work WORK FILE", "4 moves"},
		"messages":     {`{"type":"start","grid":[1,1]}` + "\n" + `{"type":"action","player":1,"nextplayer":2,"location":[0,0],"orientation":"h"}` + "\n", "analyze --work WORK FILE", "1 move"},
		"position":     {"1x1 h0,0 h1,0 v0,0\n", "query dotsandboxes -", "best move v0,1"},
		"positions":    {"1x1 h0,0 h1,0 v0,0\n\n1x1 h0,0 h1,0\n", "query dotsandboxes --stdin", `{"n":3,"move"`},
		"moves":        {"h0,0\nh1,0\nv0,0\nv0,1\n", "play dotsandboxes --board 1x1 --first human --second human", "The game is over"},
		"teams":        {"group a\none level1\ntwo level2\n", "championship dotsandboxes --teams FILE --board 1x1 --advance 0 --results RESULTS", "Group a"},
		"games":        {"h0,0 h1,0 v0,0 v0,1\n", "book grow dotsandboxes --board 1x1 --book BOOK --positions 2 FILE", ""},
	} {
		for encoding, text := range map[string]string{
			"UTF-8":         c.text,
			"a mark":        "\ufeff" + c.text,
			"CRLF":          strings.ReplaceAll(c.text, "\n", "\r\n"),
			"little endian": utf16Text(binary.LittleEndian, strings.ReplaceAll(c.text, "\n", "\r\n")),
			"big endian":    utf16Text(binary.BigEndian, c.text),
		} {
			t.Run(name+", "+encoding, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				file := filepath.Join(dir, "games", "text")
				testenv.OK(t, os.Mkdir(filepath.Dir(file), 0o755))
				testenv.OK(t, os.WriteFile(file, []byte(text), 0o644))
				args := strings.NewReplacer("FILE", file, "DIR", filepath.Dir(file), "WORK", dir, "RESULTS", filepath.Join(dir, "results"), "BOOK", filepath.Join(dir, "book")).Replace(c.args)
				var out, errs bytes.Buffer
				if code := run(t.Context(), strings.Fields(args), strings.NewReader(text), &out, &errs); code != exitOK || !strings.Contains(out.String()+errs.String(), c.want) {
					t.Errorf("%s: exit code %d\n%s", args, code, fmt.Sprint(out.String(), errs.String()))
				}
			})
		}
	}
}
