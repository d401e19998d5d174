package tt

import (
	"syscall"
	"unsafe"
)

// pages returns n zeroed bytes in huge pages, if available, and a function that releases them. Both
// are nil if n is less than two huge pages or the system provides no memory.
func pages(n int) (mem []byte, release func()) {
	const page, advHugePage = 2 << 20, 14
	if n < 2*page {
		return nil, nil
	}
	raw, err := syscall.Mmap(-1, 0, n+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	skip := -int(uintptr(unsafe.Pointer(&raw[0]))) & (page - 1)
	aligned := raw[skip : skip+n]
	_ = syscall.Madvise(aligned, advHugePage) // optional
	return aligned, func() { _ = syscall.Munmap(raw) }
}
