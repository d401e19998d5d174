package remote

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// RateLimit lets every client, told apart by its address, make so many
// requests a second, and a burst of them at once.
type RateLimit struct {
	rate  rate.Limit
	burst int

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

// maxClients bounds the memory for clients; beyond it those that have nothing
// held against them are forgotten.
const maxClients = 10000

// NewRateLimit allows so many requests a second, and burst at once; 0 requests
// set no limit.
func NewRateLimit(requests float64, burst int) (*RateLimit, error) {
	if requests < 0 || math.IsNaN(requests) || math.IsInf(requests, 0) {
		return nil, fmt.Errorf("rate %v: want 0 or more requests a second", requests)
	}
	if burst < 1 {
		return nil, fmt.Errorf("burst %d: want 1 or more", burst)
	}
	return &RateLimit{rate: rate.Limit(requests), burst: burst, clients: map[string]*rate.Limiter{}}, nil
}

// allow takes note of a client's request; where it is one too many, wait says
// when the next is free.
func (l *RateLimit) allow(client string, now time.Time) (wait time.Duration, ok bool) {
	if l.rate == 0 {
		return 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[client]
	if c == nil {
		if len(l.clients) >= maxClients {
			l.forget(now)
		}
		c = rate.NewLimiter(l.rate, l.burst)
		l.clients[client] = c
	}
	r := c.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait, wait == 0
}

// forget forgets clients that may make a whole burst again, and all of them
// when there are none of those.
func (l *RateLimit) forget(now time.Time) {
	maps.DeleteFunc(l.clients, func(_ string, c *rate.Limiter) bool { return c.TokensAt(now) >= float64(l.burst) })
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
