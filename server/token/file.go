package token

import (
	"errors"
	"fmt"
	"io"
	"os"

	"mneme/internal/system"
)

// ErrReadable reports that users other than its owner can read a secret file.
var ErrReadable = errors.New("the file must be readable by its owner alone")

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
	f, err := system.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = system.CheckPrivate(f)
	if errors.Is(err, system.ErrExposed) {
		return nil, fmt.Errorf("%s: %w (%s)", path, ErrReadable, system.RestrictCommand("the file", false))
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// locked calls do under an exclusive lock file, shared by all processes.
func locked(path string, do func() error) (err error) {
	unlock, err := system.Lock(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return do()
}
