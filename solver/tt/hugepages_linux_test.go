package tt

import (
	"bytes"
	"os"
	"testing"
	"unsafe"
)

// Large memory begins at a huge page, and the system is advised to use huge pages.
func TestPages(t *testing.T) {
	const page = 2 << 20
	for _, n := range []int{0, page, 2*page - 1} {
		if mem, _ := pages(n); mem != nil {
			t.Errorf("%d bytes have pages of their own", n)
		}
	}
	for range 4 { // one may be aligned by chance
		mem, release := pages(2*page + 100)
		if mem == nil {
			t.Skip("the system refuses")
		}
		defer release()
		if at := uintptr(unsafe.Pointer(&mem[0])); len(mem) != 2*page+100 || at%page != 0 {
			t.Errorf("%d bytes at %x", len(mem), at)
		}
		mem[len(mem)-1] = 1
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no huge pages")
	}
	if maps, err := os.ReadFile("/proc/self/smaps"); err == nil && !bytes.Contains(maps, []byte(" hg")) {
		t.Error("the system is not advised to use huge pages")
	}
}
