package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"endwise/engine/testenv"
	"endwise/solver/certificate"
)

// writeClaims writes a claims file.
func writeClaims(t *testing.T, c *certificate.Certificate) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "claims.gz")
	f, err := os.Create(name)
	testenv.OK(t, err)
	testenv.OK(t, c.Encode(f))
	testenv.OK(t, f.Close())
	return name
}

// verify solves claims anew, has their certificates checked, finds a false claim and refuses
// files whose value does not follow from the claims.
func TestVerifyClaims(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "good.gz")
	if code, _, errs := endwise(t, "prove", "dotsandboxes", "--board", "2x3", "--leaves", "12", "--out", good); code != exitOK {
		t.Fatal(errs)
	}
	boxes := func(value int, body string) string {
		return writeClaims(t, &certificate.Certificate{Game: "dotsandboxes", Rows: 1, Cols: 2, Value: value, Claims: true, Body: []byte(body)})
	}
	checker := filepath.Join("..", "checkproof", "checkproof.py")
	for _, c := range []struct {
		line string
		code int
		want string // in the output
	}{
		{good + " --sample 5", exitOK, "\n5 random claims solved anew, none is wrong: at most 45 % of all are wrong, with 95 % confidence\n"},
		{good + " --sample 3 --checker " + "python3\x00" + checker, exitOK, "\n3 random claims solved anew, none is wrong, 3 of them by a certificate that the checker accepts: "},
		{good + " --sample 3 --checker false", exitFailure, "false does not accept the certificate of position "},
		{boxes(2, "@"), exitFailure, "at least +2: WRONG, the value is at most 0; "},
		{boxes(2, "@@"), exitBadInput, "recorded moves do not fit: 2 moves recorded, 1 needed"},
		{boxes(-2, "@"), exitBadInput, "recorded moves do not fit"},
		{boxes(2, "\x07"), exitBadInput, "recorded moves do not fit: line 7 is not free"},
		{boxes(3, "@"), exitBadInput, "the claim is wrong"},
		{good + " --sample 0", exitBadInput, "--sample 0: want 1 or more"},
		{good + " --deep", exitBadInput, "cannot be combined with a table, --deep or --json"},
		{good + " dotsandboxes-board-3x3", exitBadInput, "cannot be combined with a table, --deep or --json"},
		{"claims_test.go", exitBadInput, "not a claims file: gzip: invalid header"},
		{"nothing", exitBadInput, "--claims: nothing: no such file"},
	} {
		if strings.Contains(c.line, "python3") {
			testenv.Program(t, "python3")
		}
		args := strings.Fields("verify --claims " + c.line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", " ")
		}
		code, out, errs := endwise(t, args...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", c.line, code, c.code, c.want, out, errs)
		}
	}
}

// Query reads the positions that verify prints, in both games, and proves the claims about
// them.
func TestVerifyPrintsPositions(t *testing.T) {
	t.Parallel()
	printed := regexp.MustCompile(`(?m)^claim \d+, position "(.+)", at least (\S+): true;`)
	for game, board := range map[string]string{"dotsandboxes": "2x3", "circuitwars": "3x3"} {
		file := filepath.Join(t.TempDir(), "claims.gz")
		if code, _, errs := endwise(t, "prove", game, "--board", board, "--leaves", "8", "--out", file); code != exitOK {
			t.Fatal(errs)
		}
		code, out, errs := endwise(t, "verify", "--claims", file, "--sample", "4")
		claims := printed.FindAllStringSubmatch(out, -1)
		if code != exitOK || len(claims) != 4 {
			t.Fatalf("%s: exit code %d with %d claims, want 4\n%s%s", game, code, len(claims), out, errs)
		}
		for _, c := range claims {
			code, out, errs := endwise(t, "query", game, c[1], "--json")
			var got struct{ Score int }
			if err := json.Unmarshal([]byte(out), &got); code != exitOK || err != nil {
				t.Errorf("%s: %v\n%s%s", c[0], err, out, errs)
			}
			least, err := strconv.Atoi(c[2])
			testenv.OK(t, err)
			if got.Score < least {
				t.Errorf("%s: query has the value %d", c[0], got.Score)
			}
		}
	}
}
