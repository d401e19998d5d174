package jetstream

import (
	"testing"

	"endwise/engine/testenv"
)

// BenchmarkJobs measures the number of jobs per second that pass through the queue: jobs
// that take no time, two worker processes, an embedded server.
func BenchmarkJobs(b *testing.B) {
	e, err := StartEmbedded(EmbeddedOptions{Dir: b.TempDir() + "/nats"})
	testenv.OK(b, err)
	defer e.Close()
	c, err := Start(b.Context(), Options{Server: e.Server, Kind: mixKind})
	testenv.OK(b, err)
	defer c.Close()
	for i := range 2 {
		startWorker(b, workerSpec{Server: Server{URL: e.Server.URL}, Name: string(rune('a' + i)), Threads: 4, Lie: -1})
	}
	testenv.OK(b, <-handIn(b.Context(), c, payloads(100, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 100} }), nil)) // both are there
	jobs := payloads(b.N, func(i int) mixJob { return mixJob{Seed: uint64(i), Size: 100} })
	b.ResetTimer()
	testenv.OK(b, <-handIn(b.Context(), c, jobs, nil))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
