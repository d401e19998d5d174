package main

import (
	"context"
	"errors"
	"fmt"

	"endwise/book/store"
	"endwise/solver/farm"
)

// solve makes a table and prints what it is. A table that is there already is no
// failure.
func (a *app) solve(ctx context.Context, nats *natsFlags, o coordination, build func(farm.Farm, *farm.Progress) (*store.Header, error)) error {
	var h *store.Header
	err := a.offline(ctx, nats, o, func(f farm.Farm, p *farm.Progress) (err error) {
		h, err = build(f, p)
		return err
	})
	switch {
	case errors.Is(err, store.ErrExists):
		_, err = fmt.Fprintln(a.stdout, err)
		return err
	case err != nil:
		return err
	}
	return printTable(a.stdout, h)
}

// offline does the work of a solve with its progress on standard error, on
// machines with --nats, else on o.threads goroutines. What is done is kept,
// however it ends.
func (a *app) offline(ctx context.Context, nats *natsFlags, o coordination, work func(farm.Farm, *farm.Progress) error) error {
	var p farm.Progress
	f, end, err := a.coordinate(ctx, nats, o, &p)
	if err != nil {
		return err
	}
	if f == nil {
		here := farm.NewInProcess(jobKinds(), o.threads)
		f, end = here, here.Close
	}
	stop := a.showProgress(&p)
	err = work(f, &p)
	stop(err)
	if endErr := end(); err == nil {
		err = endErr
	}
	if err == nil || errors.Is(err, store.ErrExists) || errors.Is(err, context.Canceled) {
		return keepsOn(err)
	}
	return fmt.Errorf("solve: %w", err)
}
