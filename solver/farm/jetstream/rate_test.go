package jetstream

import (
	"testing"
	"time"

	"endwise/engine/testenv"
	"endwise/solver/farm"
	"endwise/solver/farm/natsserver"
)

// BenchmarkJobs measures how many jobs a second go through the queue: jobs that
// take no time, two worker processes, an embedded server.
func BenchmarkJobs(b *testing.B) {
	e, err := natsserver.StartEmbedded(natsserver.EmbeddedOptions{Dir: b.TempDir() + "/nats"})
	testenv.OK(b, err)
	defer e.Close()
	c, err := Start(b.Context(), Options{Embedded: e, Kinds: farm.NewKinds(mixKind), Check: -1})
	testenv.OK(b, err)
	defer c.Close()
	for i := range 2 {
		startWorker(b, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: string(rune('a' + i)), Threads: 4, Lie: -1})
	}
	for deadline := time.Now().Add(time.Minute); len(c.Status().Workers) < 2 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	jobs := payloads(b.N, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 100} })
	b.ResetTimer()
	testenv.OK(b, <-handIn(b.Context(), c, jobs, nil))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
