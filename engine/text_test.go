package engine

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A text in UTF-8 or UTF-16 is read as UTF-8.
func TestTextInAnyEncoding(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"a\r\nb":                                "a\r\nb",
		"\xef\xbb\xbfaé\n":                      "aé\n",
		"\xef\xbb":                              "\xef\xbb",
		"\xefa":                                 "\xefa",
		"\xff\xfea":                             "",
		"\xff":                                  "\xff",
		"\xffa":                                 "\xffa",
		"\xff\xfe":                              "",
		"\xff\xfea\x00\n\x00":                   "a\n",
		"\xfe\xff\x00a\x00":                     "",
		"\xfe\xff\x00a\x00\xe9\xd8\x3d\xde\x00": "aé😀",
		"\xff\xfe\x3d\xd8":                      "\ufffd",
		"\xff\xfe\x3d\xd8a\x00":                 "\ufffda",
		"\xff\xfe\x3d\xd8\x3d\xd8\x00\xde":      "\ufffd😀",
		"\xff\xfe\x00\xdea\x00":                 "\ufffda",
		"a\xef\xbb\xbfb":                        "a\ufeffb",
	} {
		odd := len(text) > 2 && text[0] >= 0xfe && text[1] >= 0xfe && len(text)%2 == 1
		got, err := io.ReadAll(Text(iotest.OneByteReader(strings.NewReader(text))))
		if odd != errors.Is(err, io.ErrUnexpectedEOF) || !odd && (err != nil || string(got) != want) {
			t.Errorf("%q is read as %q, %v, want %q", text, got, err, want)
		}
	}
	// Typed text is passed on line by line.
	in, out := io.Pipe()
	go out.Write([]byte("q"))
	if n, err := Text(in).Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("%d bytes of the first, %v", n, err)
	}
}

// Text of players contains nothing that a terminal interprets.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		" a\x1b[2Jb\n":         "a [2Jb",
		"a\u009b2Jb":           "a 2Jb",
		"left\u202egnorw":      "left gnorw",
		"two\u2028lines\ufeff": "two lines",
		"Zü\xff→\ufffd 3":      "Zü →  3",
		strings.Repeat("é", 9): "éééééééé…", // at most 17 bytes
	} {
		if got := OneLine(text, 17); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
