package coins
import ("testing";"endwise/engine/grid";"sync/atomic";"time";"fmt";"os";"strconv")
func TestDev(t *testing.T) {
	for _, name := range []string{"3x3","3x4"} {
	one(t,name)
	}
	for _, a := range []string{os.Getenv("BOARD")} { if a!="" { one(t,a)} }
}
func one(t *testing.T, name string) {
		b,_:=grid.Parse(name)
		g,err:=NewGraph(b,b.All())
		if err!=nil {t.Fatal(err)}
		mb:=int64(256)
		if s:=os.Getenv("MB"); s!="" { x,_:=strconv.Atoi(s); mb=int64(x) }
		tab:=NewTable(mb<<20)
		u,_:=strconv.Atoi(os.Getenv("USE"))
		w:=newWorker(g,tab,rules(u),new(atomic.Bool))
		start:=time.Now()
		k:=w.keyOf(g.all)
		lo,hi:=-g.boxes,g.boxes
		t0:=lo&1
		if t0<=lo {t0=lo+2}
		for lo<hi {
			v:=w.atLeast(0,g.all,k,g.boxes,t0)
			if v>=t0 {lo=v} else {hi=v}
			if lo>=t0 {t0=lo+2} else {t0=hi}
		}
	d:=time.Since(start)
		_ = 0; fmt.Printf("%s value %d expansions %d keys %d takes %v %.2f us/exp used %.2f\n",name,lo,w.expansions,w.keysMade,d,d.Seconds()*1e6/float64(w.expansions),tab.Used())
}
