package engine

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns a reader that converts the text of r: UTF-16 with a byte order mark becomes
// UTF-8, and a byte order mark is removed. Other text is unchanged.
func Text(r io.Reader) io.Reader { return &text{in: bufio.NewReader(r)} }

type text struct {
	in    *bufio.Reader
	begun bool
	order binary.ByteOrder // of UTF-16; nil for UTF-8
	rest  []byte           // remaining bytes of a converted rune
}

// Read implements [io.Reader].
func (t *text) Read(p []byte) (n int, err error) {
	if !t.begun {
		t.readMark()
	}
	if t.order == nil || len(p) == 0 {
		return t.in.Read(p)
	}
	if len(t.rest) == 0 {
		r, err := t.readUnit()
		if err != nil {
			return 0, err
		}
		if r >= 0xd800 && r < 0xdc00 { // the first unit of a pair
			if next, _ := t.in.Peek(2); len(next) == 2 {
				if pair := utf16.DecodeRune(r, rune(t.order.Uint16(next))); pair != utf8.RuneError {
					r = pair
					t.in.Discard(2)
				}
			}
		}
		t.rest = utf8.AppendRune(nil, r) // U+FFFD for half of a pair
	}
	n = copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// byteOrderMarks contains the byte order after each mark, nil for UTF-8.
var byteOrderMarks = map[string]binary.ByteOrder{
	"\xef\xbb\xbf": nil, "\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian,
}

// readMark reads the byte order mark, if there is one, and sets order. It waits for a second byte only if
// the first one is the beginning of a mark.
func (t *text) readMark() {
	t.begun = true
	for mark, order := range byteOrderMarks {
		if first, _ := t.in.Peek(1); string(first) != mark[:1] {
			continue
		}
		if begin, _ := t.in.Peek(len(mark)); string(begin) == mark {
			t.in.Discard(len(mark))
			t.order = order
			return
		}
	}
}

// readUnit reads one UTF-16 unit.
func (t *text) readUnit() (rune, error) {
	var b [2]byte
	_, err := io.ReadFull(t.in, b[:])
	return rune(t.order.Uint16(b[:])), err
}

// Printable returns text for a terminal: every character that is not printable and every byte that is
// not UTF-8 becomes a space, except line feeds.
func Printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && (c == utf8.RuneError || !unicode.IsPrint(c)) {
			return ' '
		}
		return c
	}, s)
}

// OneLine is like [Printable], but line feeds become spaces, and spaces at the ends are removed. A text
// of more than n bytes is shortened to at most n bytes and "…".
func OneLine(s string, n int) string {
	s = strings.TrimSpace(strings.ReplaceAll(Printable(s), "\n", " "))
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// Width returns the number of columns of a text in a terminal: 0 for a combining mark, 2 for a wide
// character of East Asia, and 1 for another one.
func Width(s string) (n int) {
	for _, c := range s {
		switch {
		case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		case 0x1100 <= c && c <= 0x115f, 0x2e80 <= c && c <= 0xa4cf, 0xac00 <= c && c <= 0xd7a3, 0xf900 <= c && c <= 0xfaff,
			0xfe30 <= c && c <= 0xfe6f, 0xff00 <= c && c <= 0xff60, 0x20000 <= c && c <= 0x3fffd:
			n += 2
		default:
			n++
		}
	}
	return n
}

// Digits formats a number. From 10,000 on, commas separate groups of three digits.
func Digits[T int | uint64 | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && n >= 10_000; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
