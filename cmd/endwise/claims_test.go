package main

import (
	"os"
	"path/filepath"
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
		{good + " --deep", exitBadInput, "--claims is not for tables"},
		{good + " dotsandboxes-board-3x3", exitBadInput, "--claims is not for tables"},
		{"claims_test.go", exitBadInput, "not a claims file: gzip: invalid header"},
		{"nothing", exitBadInput, "--claims: open nothing: "},
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
