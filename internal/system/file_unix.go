//go:build unix

package system

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// tryLock is lock, but does not wait.
func tryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return err == nil, err
		}
	}
}

// CreatePrivate creates a file that only its owner can access, open for reading and
// writing. If the file exists, the error is fs.ErrExist.
func CreatePrivate(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// Open opens a file or folder that may be replaced concurrently, for reading.
func Open(path string) (*os.File, error) { return os.Open(path) }

// MakeFolder creates a folder that only its owner can access, and its missing parents.
func MakeFolder(path string) error { return os.MkdirAll(path, 0o700) }

// CheckPrivate returns an error that wraps ErrExposed if users other than the owner can
// access an open file or folder.
func CheckPrivate(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%w: its mode is %#o", ErrExposed, mode)
	}
	return nil
}

// CheckWritable returns an error if this process cannot create files in a folder.
func CheckWritable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// RestrictCommand returns the command that restricts a file or folder to its owner. path
// is quoted for a shell.
func RestrictCommand(path string, folder bool) string {
	if folder {
		return "chmod 700 " + path
	}
	return "chmod 600 " + path
}

// Replace renames a file, and replaces the file with the new name.
func Replace(from, to string) error { return os.Rename(from, to) }

// moveToNew renames a file to a name that must be free. Unlike a rename, a link never
// replaces a file.
func moveToNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}

// SyncDir makes the names of a folder's files durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// FreeBytes returns the free space on the disk of a folder that this process can use.
func FreeBytes(dir string) (uint64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	return uint64(max(0, disk.Bavail)) * uint64(disk.Bsize), nil //nolint:unconvert // signed on some systems
}

// ProcessTime returns the processor time of this process, a better measure than the clock
// on a shared machine.
func ProcessTime() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return 0 // it cannot fail for the own process
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
