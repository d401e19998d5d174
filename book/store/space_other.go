//go:build !linux

package store

func checkSpace(string, int64) error { return nil }
