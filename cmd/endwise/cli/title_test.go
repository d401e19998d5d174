package cli

import (
	"testing"
	"time"
)

// The date follows a title that contains none.
func TestWithDate(t *testing.T) {
	today := time.Now().Format("2 January 2006")
	for title, dated := range map[string]bool{
		"Class 3b": false, "Round 2 of 10": false, "Class 1234567": false,
		"Class 3b, 2026-11-28": true, "Cup 2025": true, "Cup of 3.12.": true, "11/28 class": true,
	} {
		want := title + ", " + today
		if dated {
			want = title
		}
		if got := WithDate(title); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
}
