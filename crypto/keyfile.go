package crypto

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mneme/internal/system"
)

// Errors of key files.
var (
	// ErrExposed means that users other than the owner may read or write the
	// file.
	ErrExposed = errors.New("key file is accessible to others")
	// ErrBusy means that another Rotate of the file is in progress or was
	// interrupted.
	ErrBusy = errors.New("key file is being rotated")
)

// maxKeyFile is the largest key file read, in bytes. A key takes about 200.
const maxKeyFile = 1 << 20

// Load reads a key file. It fails with fs.ErrNotExist, with ErrExposed if
// anyone but the owner has access (on Unix a mode beyond 0600), or with ErrKeyring.
func Load(path string) (*Keyring, error) {
	file, err := system.Open(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	defer file.Close()
	// Check the file that is open: the file at path may be replaced meanwhile.
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("key file %s: %w: not a regular file", path, ErrKeyring)
	}
	if err := system.CheckPrivate(file); errors.Is(err, system.ErrExposed) {
		return nil, fmt.Errorf("key file %s: %w: %w; %s restricts it, but whoever has read it has the key",
			path, ErrExposed, err, system.RestrictCommand("the file", false))
	} else if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if len(data) > maxKeyFile {
		return nil, fmt.Errorf("key file %s: %w: larger than %d bytes", path, ErrKeyring, maxKeyFile)
	}
	ring, err := parseKeyring(data)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return ring, nil
}

// Create writes a keyring with one new key to a new file that only its owner may access.
// It never overwrites: if path exists, it fails with fs.ErrExist. The file is created
// atomically and is on disk when Create returns.
func Create(path string) (*Keyring, error) {
	ring, err := NewKeyring()
	if err != nil {
		return nil, err
	}
	data, err := ring.marshal()
	if err == nil {
		err = system.WritePrivate(path, data, false)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return ring, nil
}

// LoadOrCreate loads the key file, or creates it if it does not exist. created reports whether
// it did. If several processes start at once, one of them creates the file and the others load
// it.
func LoadOrCreate(path string) (ring *Keyring, created bool, err error) {
	ring, err = Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return ring, false, err
	}
	ring, err = Create(path)
	if errors.Is(err, fs.ErrExist) {
		ring, err = Load(path)
		return ring, false, err
	}
	return ring, err == nil, err
}

// Rotate adds a new key to the key file. The new key seals from then on; the
// older keys still open. The file is replaced atomically. A program that has
// already loaded the keyring seals with the older key until it loads the file
// again.
func Rotate(path string) (*Keyring, error) {
	// Replace the file that a symbolic link points to, not the link.
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	// The new file, next, is also a lock. Without a lock, one of two concurrent rotations could
	// overwrite the other's key, and what was sealed with that key would be lost.
	next := path + ".new"
	file, err := system.CreatePrivate(next)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: if no rotation is running, one was interrupted before its key was used: remove %s", ErrBusy, next)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	ring, err := rotateInto(file, path)
	if err != nil {
		return nil, errors.Join(err, os.Remove(next))
	}
	if err := system.SyncDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return ring, nil
}

func rotateInto(file *os.File, path string) (*Keyring, error) {
	ring, err := Load(path)
	if err == nil {
		ring, err = ring.rotated()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	if err := ring.writeTo(file); err != nil {
		return nil, err
	}
	if err := system.Replace(file.Name(), path); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return ring, nil
}

// writeTo writes the keys to disk and closes the file.
func (k *Keyring) writeTo(file *os.File) error {
	data, err := k.marshal()
	if err == nil {
		_, err = file.Write(data)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}
