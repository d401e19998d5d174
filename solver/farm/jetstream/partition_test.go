package jetstream

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"endwise/solver/farm"
)

// link is the line between a worker and the server, to be cut and mended:
// while it is cut nothing passes, and neither end is told.
type link struct {
	url  string   // where the worker finds the server
	wrap []string // what the worker is started with
	cut  func(bool)
}

// droppingProxy is a link through a process that stops reading and writing.
func droppingProxy(t *testing.T, target string) link {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

// namespace is a link to a worker in a network namespace of its own; ok is
// false where the machine does not allow that.
func namespace(t *testing.T, port int) (link, bool) {
	t.Helper()
	ip, err := exec.LookPath("ip")
	if err != nil || os.Geteuid() != 0 {
		return link{}, false
	}
	id := os.Getpid() % 10000
	ns, here, there := fmt.Sprintf("endwise%d", id), fmt.Sprintf("ewa%d", id), fmt.Sprintf("ewb%d", id)
	host, guest := fmt.Sprintf("10.213.%d.1", id%250), fmt.Sprintf("10.213.%d.2", id%250)
	run := func(args ...string) error { return exec.Command(ip, args...).Run() }
	t.Cleanup(func() {
		run("link", "del", here)
		run("netns", "del", ns)
	})
	for _, line := range []string{
		"netns add " + ns, "link add " + here + " type veth peer name " + there + " netns " + ns,
		"addr add " + host + "/30 dev " + here, "link set " + here + " up",
		"-n " + ns + " addr add " + guest + "/30 dev " + there, "-n " + ns + " link set " + there + " up",
	} {
		if run(strings.Fields(line)...) != nil {
			return link{}, false
		}
	}
	// The server listens on loopback; the worker comes over the pair.
	ln, err := net.Listen("tcp", host+":0")
	if err != nil {
		return link{}, false
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	group.Go(func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				in.Close()
				continue
			}
			mu.Lock()
			conns = append(conns, in, out)
			mu.Unlock()
			for _, pair := range [2][2]net.Conn{{in, out}, {out, in}} {
				group.Go(func() {
					io.Copy(pair[0], pair[1])
					pair[0].Close()
					pair[1].Close()
				})
			}
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return link{
		url:  "nats://" + ln.Addr().String(),
		wrap: []string{ip, "netns", "exec", ns},
		cut: func(c bool) {
			state := "up"
			if c {
				state = "down"
			}
			if err := run("-n", ns, "link", "set", there, state); err != nil {
				t.Error(err)
			}
		},
	}, true
}

// TestPartition cuts a worker off in the middle of a job. Another does it, and
// the first one's result comes late, when the line is mended, and is the same.
// The long form uses a network namespace, where the machine allows that.
func TestPartition(t *testing.T) {
	t.Parallel()
	e := embedded(t, EmbeddedOptions{})
	var l link
	ok := false
	if deep {
		l, ok = namespace(t, e.port())
	}
	if !ok {
		l = droppingProxy(t, fmt.Sprintf("127.0.0.1:%d", e.port()))
	}
	c := begin(t, Options{Embedded: e, AckWait: time.Second, Attempts: 1000, Check: -1})
	startWorker(t, workerSpec{Server: Server{URL: l.url}, Name: "island", Threads: 1, Lie: -1}, l.wrap...)
	var payloads [][]byte
	for i := range 6 {
		p, _ := json.Marshal(mixJob{Seed: uint64(i), Size: 10, Millis: 400})
		payloads = append(payloads, p)
	}
	result := make(chan error, 1)
	taken := 0
	go func() {
		result <- c.Do(t.Context(), farm.Stage{Name: "cut", Kind: "mix", Payloads: payloads, Take: func(int, []byte) error {
			if taken++; taken == 1 {
				l.cut(true) // the island is at its next job, or about to claim it
			}
			return nil
		}})
	}()
	eventually(t, "a result", func() bool {
		st := c.Status()
		return st.Jobs == 6 && st.JobsLeft < 6
	})
	startWorker(t, workerSpec{Server: Server{URL: e.URL()}, Name: "mainland", Threads: 2, Lie: -1})
	if err := <-result; err != nil {
		t.Fatal(err)
	}
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
	for i := range payloads {
		payloads[i], _ = json.Marshal(mixJob{Seed: uint64(100 + i), Size: 10, Millis: 400})
	}
	eventually(t, "the island", func() bool {
		err := c.Do(t.Context(), farm.Stage{Name: "mended", Kind: "mix", Payloads: payloads, Take: func(int, []byte) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		return jobs("island") > before
	})
}
