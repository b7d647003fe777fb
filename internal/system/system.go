// Package system wraps the differences between operating systems: locks, files that only
// their owner can read, replacing and syncing files, free space, error numbers, and text
// styles of a terminal.
package system

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrExposed reports that users other than the owner can access a file.
var ErrExposed = errors.New("others than its owner can access it")

// ServiceAccount is the account of mneme's Windows service, which Windows derives from the
// service's name.
const ServiceAccount = `NT SERVICE\mneme`

// Lock waits for the exclusive lock on a file. It creates a missing file with access for
// the owner only. Locks exclude other processes and other calls in the same process. The
// lock ends with unlock, or with the process. The file remains.
func Lock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f.Close, nil // the lock belongs to the open file
}

// lockEvery is the interval at which LockContext tries to get the lock.
const lockEvery = 20 * time.Millisecond

// LockContext is like Lock, but gives up when ctx ends. It calls held once if it has to
// wait.
func LockContext(ctx context.Context, path string, held func()) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		switch got, err := tryLock(f); {
		case err != nil:
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		case got:
			return f.Close, nil
		case first:
			held()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-tick.C:
		}
	}
}

// CreateTemp creates a file in a folder, with a name that begins with prefix, that only
// its owner can access.
func CreateTemp(dir, prefix string) (*os.File, error) {
	return CreatePrivate(filepath.Join(dir, prefix+rand.Text()))
}

// WritePrivate writes a file that only its owner can access, atomically and durably.
// Unless replace is set, the error for an existing file is fs.ErrExist.
func WritePrivate(path string, content []byte, replace bool) (err error) {
	dir := filepath.Dir(path)
	temporary, err := CreateTemp(dir, "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
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
		err = Replace(temporary.Name(), path)
	} else {
		err = moveToNew(temporary.Name(), path)
	}
	if err != nil {
		return err
	}
	return SyncDir(dir)
}
