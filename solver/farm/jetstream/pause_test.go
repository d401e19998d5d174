//go:build unix

package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/testenv"
	"endwise/solver/farm"
	"endwise/solver/farm/natsserver"
	"endwise/solver/watchyourback/retrograde"
	"endwise/solver/watchyourback/tables"
)

// planesKind is a kind of real work, in which jobs follow from what others gave
// and a process keeps what it knows: parts of the planes of Watch Your Back.
var planesKind = farm.Kind{Name: "planes", Version: "1", Open: func(env farm.Env) (farm.Handler, error) { return &planes{env: env}, nil }}

func init() { moreKinds = append(moreKinds, planesKind) }

const planePieces, planeCut = 5, 3

// planeJob asks for a part of the plane after those with the given digests.
type planeJob struct {
	Part   int
	Planes []farm.Digest
}

type planes struct {
	env farm.Env

	mu    sync.Mutex
	s     *retrograde.PlaneSolver
	taken int
}

func (p *planes) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j planeJob
	if err := json.Unmarshal(payload, &j); err != nil {
		return nil, err
	}
	if err := p.prepare(ctx, j); err != nil {
		return nil, err
	}
	return p.s.Solve(ctx, len(j.Planes)+1, j.Part)
}

func (p *planes) prepare(ctx context.Context, j planeJob) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.s == nil {
		parts, err := retrograde.NewParts(planePieces, planeCut)
		if err != nil {
			return err
		}
		if p.s, err = retrograde.NewPlaneSolver(ctx, parts, tables.NewFinal()); err != nil {
			return err
		}
	}
	for ; p.taken < len(j.Planes); p.taken++ {
		file, err := p.env.Blob(ctx, j.Planes[p.taken])
		if err == nil {
			err = p.s.Take(file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (*planes) Close() error { return nil }

// solvePlanes solves so many planes on a farm and returns the digest of their
// files.
func solvePlanes(ctx context.Context, f farm.Farm, dir string, count int, solved func(r int)) (farm.Digest, error) {
	parts, err := retrograde.NewParts(planePieces, planeCut)
	if err != nil {
		return farm.Digest{}, err
	}
	var all []byte
	var known []farm.Digest
	for r := 1; r <= count; r++ {
		payloads := make([][]byte, parts.Len())
		for i := range payloads {
			payloads[i], _ = json.Marshal(planeJob{i, known})
		}
		out := make([][]byte, len(payloads))
		err := f.Do(ctx, farm.Stage{Name: fmt.Sprint("plane ", r), Kind: planesKind.Name, Payloads: payloads, Take: func(i int, result []byte) error {
			out[i] = result
			return nil
		}})
		if err == nil {
			err = parts.Write(dir, r, out)
		}
		if err != nil {
			return farm.Digest{}, err
		}
		share := func() ([]byte, error) { return retrograde.PlaneFile(dir, r) }
		file, err := share()
		if err != nil {
			return farm.Digest{}, err
		}
		d, err := f.Share(ctx, share)
		if err != nil {
			return d, err
		}
		known, all = append(known, d), append(all, file...)
		solved(r)
	}
	return farm.DigestOf(all), nil
}

// TestPausedWorkersAreTrusted stops and continues workers, each for longer than
// AckWait, during a whole small solve: their jobs go to others and, when they
// come back, to themselves once more. The planes are the same, and nobody is
// accused of anything. ENDWISE_DEEP=1 stops workers 50 times.
func TestPausedWorkersAreTrusted(t *testing.T) {
	t.Parallel()
	const ackWait = 300 * time.Millisecond
	count, pauses := 12, 3
	if deep {
		count, pauses = 60, 50
	}
	alone := farm.NewInProcess(farm.NewKinds(planesKind), 2)
	defer alone.Close()
	want, err := solvePlanes(t.Context(), alone, t.TempDir(), count, func(int) {})
	testenv.OK(t, err)
	e := embedded(t, natsserver.EmbeddedOptions{})
	c := begin(t, Options{Embedded: e, Kinds: farm.NewKinds(planesKind), AckWait: ackWait, Attempts: 1000, Check: 0.5})
	var crew []*process
	for i := range 2 {
		crew = append(crew, startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: fmt.Sprint("w", i), Threads: 2, Lie: -1}))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	stop := make(chan bool)
	group.Go(func() {
		rng := rand.New(rand.NewPCG(uint64(pauses), 1))
		for range stop {
			p := crew[rng.IntN(len(crew))]
			_ = engine.Pause(ctx, time.Duration(rng.IntN(20))*time.Millisecond) // anywhere in a job
			p.suspend(t)
			_ = engine.Pause(ctx, ackWait+time.Duration(rng.IntN(300))*time.Millisecond)
			p.resume(t)
		}
	})
	got, err := solvePlanes(t.Context(), c, t.TempDir(), count, func(r int) {
		for n := (r - 1) * pauses / count; n < r*pauses/count; n++ {
			stop <- true // once the pause before is over
		}
	})
	close(stop)
	cancel()
	group.Wait()
	if err != nil || got != want {
		t.Errorf("digest %s, %v; want %s", got, err, want)
	}
}
