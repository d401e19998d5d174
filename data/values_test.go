package data

import (
	"encoding/csv"
	"strings"
	"testing"
)

// Values reads the file as package encoding/csv does: no value is quoted.
func TestValues(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(values)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSpace(values), "\n"); len(got) != len(rows) {
		t.Fatalf("%d lines, want %d", len(got), len(rows))
	}
	for i, v := range Values() {
		if row := rows[i+1]; v.Game != row[0] || v.Board != row[1] || v.Start != row[2] || v.Known != row[10] {
			t.Errorf("%+v, want %q", v, row)
		}
	}
}
