package tt

import (
	"runtime"
	"unsafe"
)

// Make returns n zeroed values of a type without pointers, on a cache line
// boundary. Much memory comes in huge pages where the system has them: a probe
// is a random access, and with small pages a good part of its time goes into
// finding the page. The memory is given back when nothing refers to owner any
// more; whoever uses the values must keep it.
func Make[T, O any](owner *O, n int) []T {
	var value T
	raw, release := pages(n * int(unsafe.Sizeof(value)))
	if raw == nil {
		return make([]T, n)
	}
	runtime.AddCleanup(owner, func(f func()) { f() }, release)
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), n)
}
