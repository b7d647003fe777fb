//go:build unix

package system

import "syscall"

// Error numbers, by meaning.
var (
	inUse       = []syscall.Errno{syscall.EADDRINUSE}
	refused     = []syscall.Errno{syscall.ECONNREFUSED}
	readOnly    = []syscall.Errno{syscall.EROFS}
	diskFull    = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	invalidName = []syscall.Errno{syscall.ENAMETOOLONG, syscall.EILSEQ, syscall.EINVAL}
)
