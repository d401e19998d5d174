package jetstream

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"endwise/engine/testenv"
	"endwise/solver/farm/natsserver"
)

// link is the line between a worker and the server, to be cut and mended:
// while it is cut nothing passes, and neither end is told.
type link struct {
	url string // where the worker finds the server
	cut func(bool)
}

// droppingProxy is a link through a process that stops reading and writing.
func droppingProxy(t *testing.T, target string) link {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	var (
		mu     sync.Mutex
		open   = sync.NewCond(&mu)
		closed bool
		ended  bool
		conns  []net.Conn
		group  sync.WaitGroup
	)
	copyOver := func(to, from net.Conn) {
		buf := make([]byte, 32<<10)
		for {
			n, err := from.Read(buf)
			mu.Lock()
			for closed && !ended {
				open.Wait()
			}
			mu.Unlock()
			if n > 0 {
				if _, werr := to.Write(buf[:n]); werr != nil {
					err = werr
				}
			}
			if err != nil {
				to.Close()
				from.Close()
				return
			}
		}
	}
	group.Go(func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", target)
			if err != nil {
				in.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, in, out)
			mu.Unlock()
			group.Go(func() { copyOver(out, in) })
			group.Go(func() { copyOver(in, out) })
		}
	})
	cut := func(c bool) {
		mu.Lock()
		defer mu.Unlock()
		closed = c
		open.Broadcast()
	}
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		ended = true
		for _, c := range conns {
			c.Close()
		}
		open.Broadcast()
		mu.Unlock()
		group.Wait()
	})
	return link{url: "nats://" + ln.Addr().String(), cut: cut}
}

// TestPartition cuts a worker off in the middle of a job. Another does it, and
// the first one's result comes late, when the line is mended, and is the same.
func TestPartition(t *testing.T) {
	t.Parallel()
	e := embedded(t, natsserver.EmbeddedOptions{})
	l := droppingProxy(t, fmt.Sprintf("127.0.0.1:%d", portOf(t, e)))
	c := begin(t, Options{Embedded: e, AckWait: time.Second, Attempts: 1000, Check: -1})
	startWorker(t, workerSpec{Server: natsserver.Server{URL: l.url}, Name: "island", Threads: 1, Lie: -1})
	work := func(seed int) [][]byte {
		return payloads(6, func(i int) mixJob { return mixJob{Seed: uint64(seed + i), Size: 10, Millis: 400} })
	}
	taken := 0
	result := handIn(t.Context(), c, work(0), func(int, []byte) error {
		if taken++; taken == 1 {
			l.cut(true) // the island is at its next job, or about to claim it
		}
		return nil
	})
	eventually(t, "a result", func() bool {
		st := c.Status()
		return st.Jobs == 6 && st.JobsLeft < 6
	})
	startWorker(t, workerSpec{Server: natsserver.Server{URL: e.URL()}, Name: "mainland", Threads: 2, Lie: -1})
	testenv.OK(t, <-result)
	jobs := func(name string) int {
		for _, w := range c.Status().Workers {
			if w.Name == name {
				return w.Jobs
			}
		}
		return 0
	}
	before := jobs("island")
	l.cut(false)
	// Whatever it had comes now or, if it had none, it works on.
	eventually(t, "the island", func() bool {
		testenv.OK(t, <-handIn(t.Context(), c, work(100), nil))
		return jobs("island") > before
	})
}
