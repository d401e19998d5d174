package farm

import (
	"errors"
	"sync"
)

// Handlers opens the handlers of a run as they are needed, one a kind.
type Handlers struct {
	kinds Kinds
	env   Env

	mu   sync.Mutex
	open map[string]func() (Handler, error)
}

// NewHandlers returns handlers of some kinds, which find env.
func NewHandlers(kinds Kinds, env Env) *Handlers {
	return &Handlers{kinds: kinds, env: env, open: map[string]func() (Handler, error){}}
}

// Get is the handler of a kind. The first call opens it; its error is that of
// all others too.
func (h *Handlers) Get(kind string) (Handler, error) {
	k, err := h.kinds.Find(kind)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	open := h.open[kind]
	if open == nil {
		open = sync.OnceValues(func() (Handler, error) { return k.Open(h.env) })
		h.open[kind] = open
	}
	h.mu.Unlock()
	return open() // not under the lock: it may take long, and ask env
}

// Close closes what was opened. No job may be under way.
func (h *Handlers) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, open := range h.open {
		if x, err := open(); err == nil {
			errs = append(errs, x.Close())
		}
	}
	h.open = map[string]func() (Handler, error){}
	return errors.Join(errs...)
}
