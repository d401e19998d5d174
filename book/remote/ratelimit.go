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

// RateLimit limits the requests per second of each client, identified by its address.
type RateLimit struct {
	rate  rate.Limit
	burst int

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

const maxClients = 10000

// NewRateLimit returns a limit that allows each client the given requests per second, in bursts of at
// most burst. requests = 0 means no limit.
func NewRateLimit(requests float64, burst int) (*RateLimit, error) {
	if requests < 0 || math.IsNaN(requests) || math.IsInf(requests, 0) {
		return nil, fmt.Errorf("rate %v: want 0 or more requests a second", requests)
	}
	if burst < 1 {
		return nil, fmt.Errorf("burst %d: want 1 or more", burst)
	}
	return &RateLimit{rate: rate.Limit(requests), burst: burst, clients: map[string]*rate.Limiter{}}, nil
}

// allow counts a request of the client with the given address. If ok is false, the request does not
// count, and wait is the time until one is allowed.
func (l *RateLimit) allow(client string, now time.Time) (wait time.Duration, ok bool) {
	if l.rate == 0 {
		return 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[client]
	if c == nil {
		if len(l.clients) >= maxClients {
			l.dropClients(now)
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

// dropClients drops the clients with a full allowance, or all clients if too many others remain.
func (l *RateLimit) dropClients(now time.Time) {
	maps.DeleteFunc(l.clients, func(_ string, c *rate.Limiter) bool {
		return c.TokensAt(now) >= float64(l.burst)
	})
	if len(l.clients) >= maxClients {
		clear(l.clients)
	}
}

// Limit returns a handler that passes requests to next. It answers requests beyond a client's limit
// with status 429 and the seconds until the next allowed request in Retry-After.
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
