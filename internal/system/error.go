package system

import (
	"errors"
	"slices"
	"syscall"
)

// IsAddressInUse reports whether an error says that something else listens on an address.
func IsAddressInUse(err error) bool { return isOneOf(err, inUse) }

// IsConnectionRefused reports whether an error says that nothing listens on an address.
func IsConnectionRefused(err error) bool { return isOneOf(err, refused) }

// IsReadOnly reports whether an error says that a file system cannot be written to.
func IsReadOnly(err error) bool { return isOneOf(err, readOnly) }

// IsDiskFull reports whether an error says that a disk or a quota is full.
func IsDiskFull(err error) bool { return isOneOf(err, diskFull) }

// IsInvalidName reports whether an error says that a file system cannot have a name.
func IsInvalidName(err error) bool { return isOneOf(err, invalidName) }

func isOneOf(err error, numbers []syscall.Errno) bool {
	var number syscall.Errno
	return errors.As(err, &number) && slices.Contains(numbers, number)
}
