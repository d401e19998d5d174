package jetstream

import (
	"encoding/json"
	"testing"
	"time"

	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// BenchmarkJobs measures how many jobs a second go through the queue: jobs that
// take no time, two worker processes, an embedded server.
func BenchmarkJobs(b *testing.B) {
	e, err := StartEmbedded(EmbeddedOptions{Dir: b.TempDir() + "/nats"})
	testenv.OK(b, err)
	defer e.Close()
	c, err := Start(b.Context(), Options{Embedded: e, Kinds: farm.NewKinds(mixKind), Check: -1})
	testenv.OK(b, err)
	defer c.Close()
	for i := range 2 {
		startWorker(b, workerSpec{Server: Server{URL: e.URL()}, Name: string(rune('a' + i)), Threads: 4, Lie: -1})
	}
	for deadline := time.Now().Add(time.Minute); len(c.Status().Workers) < 2 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	var payloads [][]byte
	for i := range b.N {
		p, _ := json.Marshal(mixJob{Seed: uint64(i), Size: 100})
		payloads = append(payloads, p)
	}
	b.ResetTimer()
	err = c.Do(b.Context(), farm.Stage{Name: "rate", Kind: "mix", Payloads: payloads, Take: func(int, []byte) error { return nil }})
	testenv.OK(b, err)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
