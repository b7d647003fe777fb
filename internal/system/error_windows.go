package system

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// Error numbers, by meaning.
var (
	inUse       = []syscall.Errno{windows.WSAEADDRINUSE}
	refused     = []syscall.Errno{windows.WSAECONNREFUSED, windows.ERROR_CONNECTION_REFUSED}
	readOnly    = []syscall.Errno{windows.ERROR_WRITE_PROTECT}
	diskFull    = []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
	invalidName = []syscall.Errno{windows.ERROR_INVALID_NAME, windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_BAD_PATHNAME, windows.ERROR_NO_UNICODE_TRANSLATION}
)
