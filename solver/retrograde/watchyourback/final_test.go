package watchyourback

import "testing"

// finalTable is solved once for all tests.
var finalTable = NewFinal()

func TestFinalCounts(t *testing.T) {
	got := finalTable.Counts()
	want := FinalCounts{Wins: 51614, Ties: 3744, Losses: 37732, Longest: 26}
	if got != want {
		t.Errorf("4x4 stage: %+v, two independent programs have %+v", got, want)
	}
}

func BenchmarkNewFinal(b *testing.B) {
	for b.Loop() {
		NewFinal()
	}
}
