package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"endwise/data"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/certificate"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// games contains for each game a function that makes certificates and one that computes,
// by plain minimax, the value for the side to move of every set of free lines.
var games = map[string]struct {
	prove func(context.Context, *grid.Board, certificate.Options) (*certificate.Certificate, error)
	plain func(context.Context, string, func(done, sets uint64)) ([]int8, error)
}{
	"dotsandboxes": {certificate.DotsAndBoxes, plain.DotsAndBoxesBoard},
	"circuitwars":  {certificate.CircuitWars, plain.CircuitWarsBoard},
}

// proved makes the certificate of a board.
func proved(t *testing.T, game, size string) *certificate.Certificate {
	t.Helper()
	b := enginetest.Board(t, size)
	c, err := games[game].prove(t.Context(), b, certificate.Options{Threads: 2, HashBytes: 4 << 20})
	testenv.OK(t, err)
	return c
}

// encoded returns the file of a certificate; its digest is correct.
func encoded(t *testing.T, c *certificate.Certificate) []byte {
	t.Helper()
	var b bytes.Buffer
	testenv.OK(t, c.Encode(&b))
	return b.Bytes()
}

// python runs the second checker and returns its output lines, one per file.
func python(t *testing.T, files ...[]byte) []string {
	t.Helper()
	program := testenv.Program(t, "python3")
	args, dir := []string{"checkproof.py"}, t.TempDir()
	for i, file := range files {
		name := filepath.Join(dir, fmt.Sprint(i))
		testenv.OK(t, os.WriteFile(name, file, 0o600))
		args = append(args, name)
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(files) {
		t.Fatalf("%d lines for %d files: %v\n%s", len(lines), len(files), err, out)
	}
	return lines
}

// Both checkers print the same for certificates of small boards and for the embedded
// ones, and accept them.
func TestBothCheckersAcceptValidCertificates(t *testing.T) {
	t.Parallel()
	var files [][]byte
	for game, sizes := range map[string][]string{
		"dotsandboxes": {"1x1", "1x2", "1x4", "2x2", "2x3", "3x2"},
		"circuitwars":  {"1x1", "1x2", "1x4", "2x2", "2x3", "3x2"},
	} {
		if os.Getenv("ENDWISE_DEEP") != "" {
			sizes = append(sizes, "1x9", "9x1") // a minute in Python
		}
		for _, size := range sizes {
			files = append(files, encoded(t, proved(t, game, size)))
		}
	}
	embedded, err := filepath.Glob(filepath.Join("..", "..", "data", "certificates", "*.gz"))
	if err != nil || len(embedded) != 4 {
		t.Fatal(embedded, err)
	}
	for _, name := range embedded {
		file := testenv.ReadFile(t, name)
		if os.Getenv("ENDWISE_DEEP") == "" && !strings.HasSuffix(name, "3x3.gz") {
			continue // minutes in Python; see TestEmbeddedCertificatesAreValid
		}
		files = append(files, file)
	}
	answers := python(t, files...)
	for i, file := range files {
		what, err := checkFile(file)
		if err != nil {
			t.Errorf("file %d: %v", i, err)
		}
		if answers[i] != "accepted: "+what {
			t.Errorf("%q is accepted here, in Python %q", what, answers[i])
		}
	}
}

// The embedded certificates are accepted and agree with the list in package data.
func TestEmbeddedCertificatesAreValid(t *testing.T) {
	t.Parallel()
	files := 0
	for _, c := range data.Certificates() {
		if c.File == "" {
			continue
		}
		files++
		file := testenv.ReadFile(t, filepath.Join("..", "..", c.File))
		what, err := checkFile(file)
		value := fmt.Sprintf("value %d for the first player", c.Value)
		if c.Game == "watchyourback" {
			value = fmt.Sprintf("longest win %d turns", c.Value)
		}
		if want := fmt.Sprintf("%s %s, %s, digest %s", c.Game, c.Board, value, c.SHA256); err != nil || what != want {
			t.Errorf("%s: %s, %v; want %s", c.File, what, err, want)
		}
	}
	if files != 4 {
		t.Errorf("%d embedded files, want 4", files)
	}
}

// The value of the published claims file follows from its claims.
func TestPublishedClaimsGiveTheValue(t *testing.T) {
	t.Parallel()
	what, err := checkFile(testenv.ReadFile(t, "../../data/results/dotsandboxes-4x5.claims.gz"))
	if want := "dotsandboxes 4x5, value 0 for the first player if the claims without a proof are true (5669519, with at most 41 free lines), digest 91a863ff7d7c8b61a9455cadd96ef5da779808171a1b6388ea8653ffdb852793"; err != nil || what != want {
		t.Errorf("%s, %v; want %s", what, err, want)
	}
}

// mutant is a modified certificate.
type mutant struct {
	what string
	cert *certificate.Certificate
	// move is the index of the only changed move, or -1 for other changes.
	move int
}

// mutants returns all modifications of a certificate at n random moves and of its header.
func mutants(c *certificate.Certificate, lines, n int) []mutant {
	var out []mutant
	add := func(move int, what string, change func(c *certificate.Certificate)) {
		other := *c
		other.Body = bytes.Clone(c.Body)
		change(&other)
		out = append(out, mutant{what, &other, move})
	}
	for _, d := range []int{-4, -2, -1, 1, 2, 4} {
		add(-1, fmt.Sprintf("value %+d", c.Value+d), func(c *certificate.Certificate) { c.Value += d })
	}
	for _, size := range [][2]int{{1, 1}, {1, 2}, {c.Rows + 1, c.Cols}, {c.Rows, c.Cols + 1}, {3, 3}, {0, 4}, {9, 9}} {
		if size != [2]int{c.Rows, c.Cols} {
			add(-1, fmt.Sprint("board ", size), func(c *certificate.Certificate) { c.Rows, c.Cols = size[0], size[1] })
		}
	}
	for _, game := range []string{"dotsandboxes", "circuitwars", "watchyourback", "chess"} {
		if game != c.Game {
			add(-1, "game "+game, func(c *certificate.Certificate) { c.Game = game })
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(len(c.Body))))
	for range n {
		i := r.IntN(len(c.Body))
		for line := range lines {
			if byte(line) != c.Body[i] {
				add(i, fmt.Sprintf("move %d is %d", i, line), func(c *certificate.Certificate) { c.Body[i] = byte(line) })
			}
		}
		add(-1, fmt.Sprintf("move %d is no line", i), func(c *certificate.Certificate) { c.Body[i] ^= 64 })
		add(-1, fmt.Sprintf("move %d is dropped", i), func(c *certificate.Certificate) { c.Body = append(c.Body[:i], c.Body[i+1:]...) })
		add(-1, fmt.Sprintf("move %d is doubled", i), func(c *certificate.Certificate) { c.Body = append(c.Body[:i+1], c.Body[i:]...) })
		add(-1, fmt.Sprintf("the moves end with %d", i), func(c *certificate.Certificate) { c.Body = c.Body[:i] })
	}
	return out
}

// goodMoves returns, for every move of a certificate, the set of lines that achieve the
// claim according to plain minimax.
func goodMoves(t *testing.T, c *certificate.Certificate) []uint64 {
	t.Helper()
	values, err := games[c.Game].plain(t.Context(), c.Board(), nil)
	testenv.OK(t, err)
	b := newBoard(c.Rows, c.Cols, c.Game == "circuitwars", false)
	worth := func(position uint64, line int) int {
		after, won, passes := b.play(position, line)
		return won + [2]int{1, -1}[passes]*int(values[after])
	}
	testenv.OK(t, b.claim(claimant, 1<<b.lines-1, c.Value))
	var good []uint64
	if c.Pairing {
		good = make([]uint64, b.lines) // no other partner of a single line is right
	} else {
		testenv.OK(t, b.claim(opponent, 1<<b.lines-1, -c.Value))
	}
	for free := b.lines; free > 0; free-- {
		for _, claim := range b.claims[opponent][free] {
			position, least := claim>>8, int(claim&255)-128
			for line := range b.lines {
				if position>>line&1 == 0 {
					continue
				}
				after, won, passes := b.play(position, line)
				testenv.OK(t, b.claim(passes, after, least+won))
			}
		}
		claims := b.claims[claimant][free]
		slices.Sort(claims)
		for i, claim := range claims {
			position, least, lines := claim>>8, int(claim&255)-128, uint64(0)
			if i+1 < len(claims) && claims[i+1]>>8 == position {
				continue
			}
			for line := range b.lines {
				if position>>line&1 == 1 && worth(position, line) >= least {
					lines |= 1 << line
				}
			}
			after, won, passes := b.play(position, int(c.Body[len(good)]))
			testenv.OK(t, b.claim(1-passes, after, least-won))
			good = append(good, lines)
		}
	}
	return good
}

// Modified certificates with a correct digest are refused: another value, board or game; a
// move dropped, doubled or cut off; a number that is no line. If one move is replaced by
// another, acceptance is correct if that move is good according to plain minimax. The
// second checker returns the same for a sample.
func TestModifiedCertificatesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		game, size    string
		places, shown int // number of moves modified, number of mutants for Python
	}{
		{"dotsandboxes", "1x4", 60, 100}, {"dotsandboxes", "2x2", 103, 100}, {"dotsandboxes", "2x3", 30, 20},
		{"circuitwars", "1x4", 60, 100}, {"circuitwars", "2x2", 72, 100}, {"circuitwars", "2x3", 30, 20},
	} {
		t.Run(c.game+" "+c.size, func(t *testing.T) {
			t.Parallel()
			cert := proved(t, c.game, c.size)
			good := goodMoves(t, cert)
			board := enginetest.Board(t, c.size)
			all := mutants(cert, board.Segments(), c.places)
			results := make([]string, len(all))
			accepted := 0
			for i, m := range all {
				what, err := checkFile(encoded(t, m.cert))
				results[i] = "refused: "
				if err != nil {
					continue
				}
				results[i] = "accepted: " + what
				if accepted++; m.move < 0 || good[m.move]>>m.cert.Body[m.move]&1 == 0 {
					t.Errorf("%s: accepted", m.what)
				}
			}
			t.Logf("%d mutants, %d refused, %d with another good move", len(all), len(all)-accepted, accepted)
			if accepted > len(all)/4 {
				t.Errorf("%d of %d accepted, want at most a quarter", accepted, len(all))
			}
			var files [][]byte
			var want []string
			for _, i := range rand.New(rand.NewPCG(2, 3)).Perm(len(all))[:min(c.shown, len(all))] {
				files, want = append(files, encoded(t, all[i].cert)), append(want, results[i])
			}
			for i, answer := range python(t, files...) {
				if !strings.HasPrefix(answer, want[i]) {
					t.Errorf("Go %q, Python %q", want[i], answer)
				}
			}
		})
	}
}

// Changing a value, dropping or doubling one, or changing the longest win makes a Watch
// Your Back certificate inconsistent.
func TestModifiedStageCertificatesAreRefused(t *testing.T) {
	t.Parallel()
	cert, err := certificate.WatchYourBack(t.Context())
	testenv.OK(t, err)
	n := 6
	if os.Getenv("ENDWISE_DEEP") != "" {
		n = 300
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		m := *cert
		m.Body = bytes.Clone(cert.Body)
		at := r.IntN(len(m.Body))
		switch i % 6 {
		case 0:
			m.Body[at]++
		case 1:
			m.Body[at]--
		case 2:
			m.Body[at] = byte(r.IntN(255)+1) + m.Body[at]
		case 3:
			m.Body = append(m.Body[:at], m.Body[at+1:]...)
		case 4:
			m.Body = append(m.Body[:at+1], m.Body[at:]...)
		case 5:
			m.Value += 1 - 2*r.IntN(2)
		}
		if what, err := checkFile(encoded(t, &m)); err == nil {
			t.Errorf("mutant %d, value %d: %s", i, at, what)
		}
	}
}

// A file with a flipped bit or an end cut off is refused or proves the same as before:
// some bits of the gzip header have no effect.
func TestFlippedBitsAreDetected(t *testing.T) {
	t.Parallel()
	file := encoded(t, proved(t, "dotsandboxes", "2x2"))
	before, err := checkFile(file)
	testenv.OK(t, err)
	var files [][]byte
	same := 0
	for bit := range 8 * len(file) {
		flipped := bytes.Clone(file)
		flipped[bit/8] ^= 1 << (bit % 8)
		files = append(files, flipped)
	}
	for n := range file {
		files = append(files, file[:n])
	}
	for i, file := range files {
		if what, err := checkFile(file); err == nil {
			if same++; what != before {
				t.Errorf("file %d: %s", i, what)
			}
		}
	}
	if same > 8*10 { // the gzip header has ten bytes
		t.Errorf("%d of %d modified files are accepted", same, len(files))
	}
	for i, answer := range python(t, files[:400]...) {
		if strings.HasPrefix(answer, "accepted") && answer != "accepted: "+before {
			t.Errorf("file %d: Python: %s", i, answer)
		}
	}
	// The digest detects bits flipped before compression.
	z, err := gzip.NewReader(bytes.NewReader(file))
	testenv.OK(t, err)
	text, err := io.ReadAll(z)
	testenv.OK(t, err)
	for bit := range 8 * len(text) {
		flipped := bytes.Clone(text)
		flipped[bit/8] ^= 1 << (bit % 8)
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(flipped)
		w.Close()
		if what, err := checkFile(b.Bytes()); err == nil {
			t.Errorf("bit %d: %s", bit, what)
		}
	}
}

// packed returns text as a gzip stream.
func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	testenv.OK(t, err)
	testenv.OK(t, z.Close())
	return b.Bytes()
}

// signed returns a certificate file with the given header and a correct digest.
func signed(t *testing.T, head string, body []byte) []byte {
	t.Helper()
	line := head + " sha256 "
	sum := sha256.Sum256(append([]byte(line+"\n"), body...))
	return packed(t, append(fmt.Appendf(nil, "%s%x\n", line, sum), body...))
}

// forgedHeaders returns n headers of the 2x2 board of Dots and Boxes in which some words
// are replaced by numbers at limits of types, other spellings, other games, or noise.
func forgedHeaders(count, n int) []string {
	r := rand.New(rand.NewPCG(7, 8))
	words := []string{
		"0", "-0", "+0", "00", "1", "-1", "2", "-2", "3", "-3", "4", "-4", "5", "-5", "127", "-128", "999", "-999", "1000",
		"2147483648", "-2147483648", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616",
		"1e3", "0x4", "1_0", "٣", "4.0", "", " ", "2x2", "1x1", "9x1", "1x9", "9x9", "0x2", "2x0", "02x2", "2x2x2", "2 2", "2X2",
		"dotsandboxes", "circuitwars", "watchyourback", "chess", "DotsAndBoxes", "\x00", "\n", "\r", "\t", "é", "value", "count",
		fmt.Sprint(count), fmt.Sprint(count - 1), fmt.Sprint(count + 1), "0" + fmt.Sprint(count),
	}
	out := []string{
		"endwise certificate 1 game dotsandboxes board 2x2 rules 1 value -9223372036854775808 count 0",
		"endwise certificate 1 game circuitwars board 7x7 rules 1 value -9223372036854775808 count 0",
		"endwise certificate 1 game circuitwars board 4x4 rules 1 value 9223372036854775807 count 0",
		"endwise certificate 1 game dotsandboxes board 4x4 rules 1 value -18446744073709551616 count 0",
		"endwise certificate 1 game dotsandboxes board 2x2 rules 1 value 128 count 0",
		"endwise certificate 1 game dotsandboxes board 2x2 rules 1 value -128 count 0",
		"endwise certificate 1 game dotsandboxes board 2x2 rules 1 value 256 count 0",
	}
	for len(out) < n {
		head := strings.Split(fmt.Sprintf("endwise certificate 1 game dotsandboxes board 2x2 rules 1 value -2 count %d", count), " ")
		for range 1 + r.IntN(2) {
			i := r.IntN(len(head))
			if r.IntN(3) > 0 {
				i = []int{4, 6, 10, 12}[r.IntN(4)]
			}
			head[i] = words[r.IntN(len(words))]
		}
		out = append(out, strings.Join(head, " "))
	}
	return out
}

// Both checkers return the same for headers with a correct digest, over the moves of a
// proof or over none. They accept only the header of that proof.
func TestForgedHeadersAreRefused(t *testing.T) {
	t.Parallel()
	cert := proved(t, "dotsandboxes", "2x2")
	right := fmt.Sprintf("endwise certificate 1 game dotsandboxes board 2x2 rules 1 value %d count %d", cert.Value, len(cert.Body))
	var files [][]byte
	var heads []string
	for _, head := range append(forgedHeaders(len(cert.Body), 1500), right) {
		files = append(files, signed(t, head, cert.Body), signed(t, head, nil))
		heads = append(heads, head, head+" without moves")
	}
	accepted := 0
	answers := python(t, files...)
	for i, file := range files {
		what, err := checkFile(file)
		if got := strings.HasPrefix(answers[i], "accepted: "); got != (err == nil) || got && answers[i] != "accepted: "+what {
			t.Errorf("%q: Go %q, %v; Python %q", heads[i], what, err, answers[i])
		}
		if err == nil {
			if accepted++; heads[i] != right {
				t.Errorf("%q is accepted", heads[i])
			}
		}
	}
	if accepted == 0 {
		t.Error("the right header is refused")
	}
}

// Both checkers refuse bytes after the gzip member, a second member, optional gzip fields
// except the name, and a header line without its newline.
func TestOtherStreamFormsAreRefused(t *testing.T) {
	t.Parallel()
	cert := proved(t, "dotsandboxes", "1x2")
	file := encoded(t, cert)
	z, err := gzip.NewReader(bytes.NewReader(file))
	testenv.OK(t, err)
	text, err := io.ReadAll(z)
	testenv.OK(t, err)
	var named bytes.Buffer
	w := gzip.NewWriter(&named)
	w.Name = "certificate"
	w.Write(text)
	testenv.OK(t, w.Close())
	w = gzip.NewWriter(new(bytes.Buffer))
	var comment bytes.Buffer
	w.Reset(&comment)
	w.Comment = "x"
	w.Write(text)
	testenv.OK(t, w.Close())
	reserved := bytes.Clone(file)
	reserved[3] |= 0x20
	newline := bytes.IndexByte(text, '\n')
	half := len(text) / 2
	for _, c := range []struct {
		what     string
		file     []byte
		accepted bool
	}{
		{"as it is", file, true},
		{"with a name", named.Bytes(), true},
		{"with a comment", comment.Bytes(), false},
		{"a reserved flag", reserved, false},
		{"NUL bytes after it", append(bytes.Clone(file), 0, 0, 0, 0), false},
		{"a word after it", append(bytes.Clone(file), "more"...), false},
		{"an empty member after it", append(bytes.Clone(file), packed(t, nil)...), false},
		{"twice", append(bytes.Clone(file), file...), false},
		{"two members", append(packed(t, text[:half]), packed(t, text[half:])...), false},
		{"header alone", packed(t, text[:newline+1]), false},
		{"header without newline", packed(t, text[:newline]), false},
		{"an empty stream", packed(t, nil), false},
		{"an empty file", nil, false},
		{"a newline", packed(t, []byte("\n")), false},
		{"CRLF", packed(t, bytes.Replace(text, []byte("\n"), []byte("\r\n"), 1)), false},
		{"a header that never ends", packed(t, bytes.Repeat([]byte("endwise "), 1<<16)), false},
	} {
		what, err := checkFile(c.file)
		answer := python(t, c.file)[0]
		if accepted := err == nil; accepted != c.accepted || strings.HasPrefix(answer, "accepted") != c.accepted {
			t.Errorf("%s: %q, %v; Python %q", c.what, what, err, answer)
		}
	}
}

// A file that unpacks to 256 MB needs little memory: it is refused at its first wrong move.
func TestLargeBodyIsNotHeldInMemory(t *testing.T) {
	body := make([]byte, 256<<20)
	file := signed(t, fmt.Sprintf("endwise certificate 1 game dotsandboxes board 4x4 rules 1 value 0 count %d", len(body)), body)
	body = nil
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	what, err := checkFile(file)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Errorf("%s is accepted", what)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("a file of %d bytes used %d MB", len(file), used>>20)
	}
}

// claimed makes a claims file of a board.
func claimed(t *testing.T, game, size string, leaf int) *certificate.Certificate {
	t.Helper()
	c, err := games[game].prove(t.Context(), enginetest.Board(t, size), certificate.Options{HashBytes: 4 << 20, Leaf: leaf})
	testenv.OK(t, err)
	return c
}

// agree reports whether both checkers accept each file. It fails if they differ.
func agree(t *testing.T, files [][]byte) (accepted []bool) {
	t.Helper()
	for i, answer := range python(t, files...) {
		what, err := checkFile(files[i])
		got := strings.HasPrefix(answer, "accepted: ")
		if got != (err == nil) || got && answer != "accepted: "+what {
			t.Errorf("file %d: Go %q, %v; Python %q", i, what, err, answer)
		}
		accepted = append(accepted, err == nil)
	}
	return accepted
}

// Claims files are accepted by both checkers. If a changed one is accepted as well, then one of
// its leaves is false or its value is right, by plain minimax: whatever is wrong is in the leaves.
func TestChangedClaimsFilesHaveFalseLeaves(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		game, size string
		leaf       int
	}{
		{"dotsandboxes", "2x2", 8}, {"dotsandboxes", "2x3", 12}, {"circuitwars", "2x2", 8}, {"circuitwars", "1x5", 11},
	} {
		cert := claimed(t, c.game, c.size, c.leaf)
		values, err := games[c.game].plain(t.Context(), c.size, nil)
		testenv.OK(t, err)
		files, certs := [][]byte{encoded(t, cert)}, []*certificate.Certificate{cert}
		for range 40 {
			m := *cert
			m.Body = bytes.Clone(cert.Body)
			for range 1 + r.IntN(2) {
				i := r.IntN(len(m.Body))
				switch r.IntN(8) {
				case 0:
					m.Value += 2 - 4*r.IntN(2)
				case 1:
					m.Body = append(m.Body[:i], m.Body[i+1:]...)
				case 2:
					m.Claims = false
				case 3:
					m.Pairing = !m.Pairing
				case 4:
					m.Body[i] = byte(r.IntN(256))
				default:
					m.Body[i] = byte(64 + r.IntN(68))
				}
			}
			files, certs = append(files, encoded(t, &m)), append(certs, &m)
		}
		n := 0
		for i, ok := range agree(t, files) {
			if i == 0 && !ok {
				t.Errorf("%s %s is refused", c.game, c.size)
			}
			if !ok || !certs[i].Claims {
				continue
			}
			n++
			read, err := certificate.ReadClaims(t.Context(), bytes.NewReader(files[i]))
			if err != nil {
				t.Errorf("file %d is accepted, but reading it returns %v", i, err)
				continue
			}
			wrong := int(values[len(values)-1]) != certs[i].Value
			for _, l := range read.Leaves {
				wrong = wrong && int(values[l.Position]) >= l.Least
			}
			if wrong {
				t.Errorf("%s %s: value %d is accepted, and all leaves are true", c.game, c.size, certs[i].Value)
			}
		}
		if n < 5 {
			t.Errorf("%s %s: only %d changed files are accepted", c.game, c.size, n)
		}
	}
}

// The certificate of a leaf is accepted, with a larger number it is not.
func TestLeavesHaveCertificates(t *testing.T) {
	t.Parallel()
	for game, leaf := range map[string]int{"dotsandboxes": 11, "circuitwars": 14} {
		c, err := certificate.ReadClaims(t.Context(), bytes.NewReader(encoded(t, claimed(t, game, "2x3", leaf))))
		testenv.OK(t, err)
		var files [][]byte
		for i := 0; i < len(c.Leaves); i += max(1, len(c.Leaves)/10) {
			proof, err := c.Prove(t.Context(), c.Leaves[i], certificate.Options{HashBytes: 1 << 20})
			testenv.OK(t, err)
			more := *proof
			more.Value += 12
			files = append(files, encoded(t, proof), encoded(t, &more))
		}
		for i, ok := range agree(t, files) {
			if ok != (i%2 == 0) {
				t.Errorf("%s: file %d is accepted: %v", game, i, ok)
			}
		}
	}
}

// Both checkers refuse headers and pairings that no program writes.
func TestHostileClaimsFilesAreRefused(t *testing.T) {
	t.Parallel()
	const pairing2x2 = "\x06\x09\x07\x0a\x08\x0b\x00\x02\x04\x01\x03\x05"
	const half2x2 = "\x05\x04\x03\x02\x01\x00\x0b\x0a\x09\x08\x07\x06"
	leaves := strings.Repeat("@", 400)
	var files [][]byte
	var want []bool
	for _, c := range []struct {
		kind, head, body string
		count            int // if it is not the length of body
		accepted         bool
	}{
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 4", body: "@", accepted: true}, // the second claim needs no proof
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 4", body: "@"},
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 4", body: "\x80"},
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 4", body: "@@"},
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 4"},
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 5", body: "@"},
		{kind: "claims", head: "dotsandboxes board 8x8 rules 1 value 0", body: "@"},
		{kind: "claims", head: "watchyourback board 4x4 rules 1 value 26", body: "@"},
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 4", body: "@", count: maxClaims + 1},
		{kind: "claims", head: "dotsandboxes board 5x5 rules 1 value 0", body: leaves},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 0 from 1", body: ""},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 1 from 1", body: "\x00", accepted: true},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 1 from 1000", body: "\x0c"},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 1 from ffffffffffffff", body: "\x00"},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 1 from fffffffffffffff", body: "\x00"},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 1 from 0", body: "\x00"},
		{kind: "certificate", head: "dotsandboxes board 2x2 rules 1 value 1 from 01", body: "\x00"},
		{kind: "certificate", head: "circuitwars board 3x3 rules 1 value 1 from 8", body: "\x03"}, // an inner line
		{kind: "certificate", head: "circuitwars board 3x3 rules 1 value 1 from 1", body: "\x00", accepted: true},
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value -2 pairing", body: pairing2x2 + "@", accepted: true},
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value -4 pairing", body: pairing2x2},
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value -2 pairing", body: half2x2 + "@"}, // proves 0
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value 0 pairing", body: half2x2 + "@", accepted: true},
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value 0 pairing", body: half2x2[:11]},
		{kind: "certificate", head: "circuitwars board 1x1 rules 1 value -1 pairing", body: "\x03\x02\x01"}, // the last partner is missing
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value 0 pairing", body: "\x00" + half2x2[1:] + "@"},
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value 0 pairing", body: "\x01\x00\x03\x02\x05\x04\x07\x06\x09\x08\x0b\x0a@"},
		{kind: "claims", head: "circuitwars board 2x2 rules 1 value 0 pairing", body: strings.Repeat("\xff", 13)},
		{kind: "claims", head: "dotsandboxes board 2x2 rules 1 value 0 pairing", body: half2x2 + "@"},
		{kind: "certificate", head: "watchyourback board 4x4 rules 1 value 26 pairing", body: half2x2},
		{kind: "certificate", head: "circuitwars board 2x2 rules 1 value 0 from 1 pairing", body: half2x2},
		{kind: "claim", head: "dotsandboxes board 2x2 rules 1 value 4", body: "@"},
	} {
		if c.count == 0 {
			c.count = len(c.body)
		}
		files = append(files, signed(t, fmt.Sprintf("endwise %s 1 game %s count %d", c.kind, c.head, c.count), []byte(c.body)))
		want = append(want, c.accepted)
	}
	for i, ok := range agree(t, files) {
		if ok != want[i] {
			t.Errorf("file %d: accepted %v, want %v", i, ok, want[i])
		}
	}
}

// The first checker has one file of at most 320 lines for the two games with certificates of
// boards and a small one for Watch Your Back, and imports only the standard library; the second
// has at most 300 lines.
func TestCheckersAreSmallAndIndependent(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for name, most := range map[string]int{"main.go": 320, "stage.go": 120, "checkproof.py": 300} {
		text := testenv.ReadFile(t, name)
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, want at most %d", name, n, most)
		}
	}
	for _, name := range []string{"main.go", "stage.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		testenv.OK(t, err)
		for _, i := range f.Imports {
			if first, _, _ := strings.Cut(strings.Trim(i.Path.Value, `"`), "/"); first == "endwise" || strings.Contains(first, ".") {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}

// The program checks files in order up to the first it refuses.
func TestProgramStopsAtFirstRefusedFile(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "checkproof")
	if out, err := exec.CommandContext(t.Context(), testenv.Program(t, "go"), "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	small, stage := "../../data/certificates/dotsandboxes-3x3.gz", "../../data/certificates/watchyourback-4x4.gz"
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{small, stage}, "accepted: dotsandboxes 3x3, accepted: watchyourback 4x4, exit status 0"},
		{[]string{small, "main.go", stage}, "accepted: dotsandboxes 3x3, refused: gzip: invalid header exit status 1"},
		{nil, "usage: checkproof FILE… Checks certificates and claims files and prints what they prove. exit status 2"},
		{[]string{"--help"}, "usage: checkproof FILE… Checks certificates and claims files and prints what they prove. exit status 0"},
	} {
		cmd := exec.CommandContext(t.Context(), program, c.files...)
		out, _ := cmd.CombinedOutput()
		got := regexp.MustCompile(` (value|longest) .*\n`).ReplaceAllString(string(out), " ")
		got = strings.ReplaceAll(got, "\n", " ") + cmd.ProcessState.String()
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.files, got, c.want)
		}
	}
}
