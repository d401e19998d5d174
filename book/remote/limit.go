package remote

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"sync"
	"time"
)

// RateLimit lets every client, told apart by its address, make so many
// requests a second, and a burst of them at once.
type RateLimit struct {
	rate, burst float64

	mu      sync.Mutex
	clients map[string]*bucket
}

// bucket is what a client may still do.
type bucket struct {
	left float64
	at   time.Time
}

// maxClients bounds the memory for clients; beyond it those that have nothing
// held against them are forgotten.
const maxClients = 10000

// NewRateLimit allows rate requests a second and burst at once. A rate of 0
// sets no limit.
func NewRateLimit(rate float64, burst int) (*RateLimit, error) {
	if rate < 0 || math.IsNaN(rate) || math.IsInf(rate, 0) {
		return nil, fmt.Errorf("rate %v: want 0 or more requests a second", rate)
	}
	if burst < 1 {
		return nil, fmt.Errorf("burst %d: want 1 or more", burst)
	}
	return &RateLimit{rate: rate, burst: float64(burst), clients: map[string]*bucket{}}, nil
}

// allow takes one request from a client's bucket; wait says when the next is
// free where there is none.
func (l *RateLimit) allow(client string, now time.Time) (wait time.Duration, ok bool) {
	if l.rate == 0 {
		return 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.clients[client]
	if b == nil {
		if len(l.clients) >= maxClients {
			l.sweep(now)
		}
		b = &bucket{left: l.burst, at: now}
		l.clients[client] = b
	}
	b.left = min(l.burst, b.left+now.Sub(b.at).Seconds()*l.rate)
	b.at = now
	if b.left < 1 {
		return time.Duration((1 - b.left) / l.rate * float64(time.Second)), false
	}
	b.left--
	return 0, true
}

// sweep forgets clients whose buckets are full again, and all of them when
// there are none of those.
func (l *RateLimit) sweep(now time.Time) {
	for c, b := range l.clients {
		if b.left+now.Sub(b.at).Seconds()*l.rate >= l.burst {
			delete(l.clients, c)
		}
	}
	if len(l.clients) >= maxClients {
		clear(l.clients)
	}
}

// Limit passes on the requests that a client may make and answers the others
// with 429.
func (l *RateLimit) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			client = r.RemoteAddr
		}
		wait, ok := l.allow(client, time.Now())
		if !ok {
			metrics.Add("limited", 1)
			w.Header().Set("Retry-After", fmt.Sprint(int(math.Ceil(wait.Seconds()))))
			WriteError(w, http.StatusTooManyRequests, errors.New("too many requests from this address; slow down"))
			return
		}
		next.ServeHTTP(w, r)
	})
}
