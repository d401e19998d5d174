package jetstream

import (
	"errors"
	"fmt"
	"sync"

	"endwise/solver/farm"
)

// handlers opens the handlers of a run as they are needed.
type handlers struct {
	kinds farm.Kinds
	env   farm.Env

	mu   sync.Mutex
	open map[string]func() (farm.Handler, error)
}

func newHandlers(kinds farm.Kinds, env farm.Env) *handlers {
	return &handlers{kinds: kinds, env: env, open: map[string]func() (farm.Handler, error){}}
}

// get is the handler of a kind; the first call opens it.
func (h *handlers) get(kind string) (farm.Handler, error) {
	k, ok := h.kinds[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of job %q; known are %s", kind, h.kinds.Names())
	}
	h.mu.Lock()
	open := h.open[kind]
	if open == nil {
		open = sync.OnceValues(func() (farm.Handler, error) { return k.Open(h.env) })
		h.open[kind] = open
	}
	h.mu.Unlock()
	return open()
}

// close closes what was opened. No job may be under way.
func (h *handlers) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, open := range h.open {
		if x, err := open(); err == nil {
			errs = append(errs, x.Close())
		}
	}
	h.open = map[string]func() (farm.Handler, error){}
	return errors.Join(errs...)
}
