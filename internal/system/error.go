package system

import (
	"errors"
	"slices"
	"syscall"
)

// IsAddressInUse reports whether err means that another process listens on an address.
func IsAddressInUse(err error) bool { return isOneOf(err, inUse) }

// IsConnectionRefused reports whether err means that nothing listens on an address.
func IsConnectionRefused(err error) bool { return isOneOf(err, refused) }

// IsReadOnly reports whether err means that a file system is read-only.
func IsReadOnly(err error) bool { return isOneOf(err, readOnly) }

// IsDiskFull reports whether err means that a disk or a quota is full.
func IsDiskFull(err error) bool { return isOneOf(err, diskFull) }

// IsInvalidName reports whether err means that a file system does not allow a name.
func IsInvalidName(err error) bool { return isOneOf(err, invalidName) }

func isOneOf(err error, numbers []syscall.Errno) bool {
	var number syscall.Errno
	return errors.As(err, &number) && slices.Contains(numbers, number)
}
