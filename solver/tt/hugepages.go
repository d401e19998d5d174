package tt

import (
	"runtime"
	"unsafe"
)

// Make returns a slice of n zero values of a type without pointers. A slice of a kilobyte or more
// is aligned to a cache line. A large slice uses huge pages, if the system supports them. The slice
// must not be used longer than owner: its memory is released with owner.
func Make[T, O any](owner *O, n int) []T {
	var value T
	raw, release := pages(n * int(unsafe.Sizeof(value)))
	if raw == nil {
		return make([]T, n)
	}
	runtime.AddCleanup(owner, func(f func()) { f() }, release)
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), n)
}
