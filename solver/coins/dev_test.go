package coins

import (
	"context"
	"endwise/engine/grid"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestDev(t *testing.T) {
	for _, name := range []string{"3x3", "3x4"} {
		one(t, name)
	}
	for _, a := range []string{os.Getenv("BOARD")} {
		if a != "" {
			one(t, a)
		}
	}
}
func one(t *testing.T, name string) {
	b, _ := grid.Parse(name)
	g, err := NewGraph(b, b.All())
	if err != nil {
		t.Fatal(err)
	}
	mb := int64(256)
	if s := os.Getenv("MB"); s != "" {
		x, _ := strconv.Atoi(s)
		mb = int64(x)
	}
	tab := NewTable(mb << 20)
	u, _ := strconv.Atoi(os.Getenv("USE"))
	th, _ := strconv.Atoi(os.Getenv("TH"))
	if th == 0 {
		th = 1
	}
	sv := &Solver{table: tab, threads: th, use: rules(u), graphs: map[*grid.Board]*Graph{}}
	_ = g
	start := time.Now()
	r, _ := sv.Value(context.Background(), b, b.All())
	d := time.Since(start)
	var ru syscall.Rusage
	syscall.Getrusage(0, &ru)
	fmt.Printf("%s value %v expansions %d  %v wall %.2f us/exp used %.3f user %v\n", name, r, r.Expansions, d, d.Seconds()*1e6/float64(r.Expansions), tab.Used(), time.Duration(ru.Utime.Nano()))
}
