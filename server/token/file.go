package token

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrReadable reports that others than its owner can read a secret file.
var ErrReadable = errors.New("the file must be readable by its owner alone (chmod 600)")

// readSecret reads a secret file of the data directory. The error is
// fs.ErrNotExist if there is none, and ErrReadable if others can read it.
func readSecret(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrReadable)
	}
	return os.ReadFile(path)
}

// writeSecret writes a file atomically, with mode 0600. Unless replace is set,
// an existing file is fs.ErrExist.
func writeSecret(path string, content []byte, replace bool) (err error) {
	dir := filepath.Dir(path)
	temporary, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.Remove(temporary.Name()); err == nil && !errors.Is(removed, fs.ErrNotExist) {
			err = removed
		}
	}()
	if _, err = temporary.Write(content); err == nil {
		err = temporary.Sync()
	}
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if replace {
		err = os.Rename(temporary.Name(), path)
	} else {
		err = os.Link(temporary.Name(), path) // unlike Rename, it never replaces
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closed := d.Close(); err == nil {
		err = closed
	}
	return err
}

// locked runs do while no other process runs one under the same lock file.
func locked(path string, do func() error) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { // Close releases the lock
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return do()
}
