package e5

import (
	"os"
	"syscall"
	"unsafe"
)

// release drops the pages of an embedded file from the process's resident memory. They are
// a view of the program's file: a later read maps them again.
func release(file []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(file))) //nolint:gosec // its place within a page
	skip := -start & (page - 1)
	if size := uintptr(len(file)); size > skip+page {
		_ = syscall.Madvise(file[skip:skip+(size-skip)&^(page-1)], syscall.MADV_DONTNEED) // it is only a hint
	}
}
