package tt

import (
	"runtime"
	"unsafe"
)

// Make returns n zeroed values of a type without pointers, aligned to a cache line. Large
// blocks use huge pages if the system supports them, because a probe is a random access and
// small pages make it slower. The memory is released when owner is garbage collected; users
// of the values must keep owner alive.
func Make[T, O any](owner *O, n int) []T {
	var value T
	raw, release := pages(n * int(unsafe.Sizeof(value)))
	if raw == nil {
		return make([]T, n)
	}
	runtime.AddCleanup(owner, func(f func()) { f() }, release)
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), n)
}
