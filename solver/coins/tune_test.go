package coins
import ("testing";"endwise/engine/grid";"sync/atomic";"fmt";"math/rand/v2";"math")
func cost(name string, drawn []int, limit uint64) uint64 {
	b,_:=grid.Parse(name)
	free:=b.All()
	for _, i := range drawn { free.Remove(i) }
	g,_:=NewGraph(b,free)
	tab:=NewTable(32<<20)
	w:=newWorker(g,tab,0,new(atomic.Bool))
	w.limit = limit
	w.exact(g.all)
	return w.expansions
}
func TestTune(t *testing.T) {
	type job struct { name string; drawn []int }
	jobs := []job{{"3x4",nil}}
	rr := rand.New(rand.NewPCG(5,5))
	for _, x := range []struct{n string; k int}{{"4x4",8},{"4x4",7},{"4x4",8},{"3x5",6},{"3x5",6}} {
		b,_ := grid.Parse(x.n)
		deg := make([]int, b.Squares())
		for i := range deg { deg[i] = 4 }
		var d []int
		free := b.All()
		for len(d) < x.k {
			s := rr.IntN(b.Segments())
			ok := free.Has(s)
			for _, q := range b.Sides(s) { if q != grid.Outside && deg[q] <= 2 { ok = false } }
			if !ok { continue }
			free.Remove(s)
			for _, q := range b.Sides(s) { if q != grid.Outside { deg[q]-- } }
			d = append(d, s)
		}
		jobs = append(jobs, job{x.n, d})
	}
	best := make([]uint64, len(jobs))
	var bestW []float64
	bestScore := math.Inf(1)
	base := []float64{1,0,0,0.01,0,0,0,0,0,100}
	eval := func(w []float64) float64 {
		WTS = w
		s := 0.0
		var cs []uint64
		for i, j := range jobs {
			lim := uint64(3_000_000)
			if best[i] > 0 { lim = best[i]*2 }
			c := cost(j.name, j.drawn, lim)
			cs = append(cs, c)
			s += math.Log(float64(c))
			if bestW != nil && s > bestScore - rest(best, i+1) + 0.7 { return 1e9 }
		}
		if s < bestScore { bestScore = s; bestW = w; copy(best, cs); fmt.Printf("%.3f %v %.2f\n", s, cs, w) }
		return s
	}
	eval(base)
	r := rand.New(rand.NewPCG(1,2))
	for n := 0; ; n++ {
		w := append([]float64(nil), bestW...)
		if n%3==0 {
			for i := range 9 { w[i] = r.NormFloat64() * float64(r.IntN(2)) }
			w[2] *= 0.3; w[3] *= 0.3
		} else {
			for i := range w[:9] { if r.IntN(3)==0 { w[i] += 0.4*r.NormFloat64() } ; if r.IntN(10)==0 {w[i]=0} }
		}
		if r.IntN(10)==0 { w[9] = 3*r.Float64() } else if r.IntN(2)==0 { w[9]=100 }
		eval(w)
	}
}
func rest(b []uint64, i int) float64 { s := 0.0; for _, x := range b[i:] { s += math.Log(float64(x)) }; return s }
