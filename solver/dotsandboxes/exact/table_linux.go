package exact

import (
	"syscall"
	"unsafe"
)

// words returns n zeroed words on a cache line boundary, and what gives them
// back, nil where the garbage collector does. Large tables ask for huge pages:
// a probe is a random access, and with small pages much of its time goes into
// finding the page.
func words(n int) (mem []uint64, release func()) {
	const page, advHugePage = 2 << 20, 14
	if n*8 < 2*page {
		return make([]uint64, n), nil
	}
	raw, err := syscall.Mmap(-1, 0, n*8+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]uint64, n), nil
	}
	skip := -int(uintptr(unsafe.Pointer(&raw[0]))) & (page - 1)
	aligned := raw[skip : skip+n*8]
	_ = syscall.Madvise(aligned, advHugePage) // a wish, not a need
	return unsafe.Slice((*uint64)(unsafe.Pointer(&aligned[0])), n), func() { _ = syscall.Munmap(raw) }
}
