package crypto

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// keyFileMode gives access to the owner alone.
const keyFileMode fs.FileMode = 0o600

// maxKeyFile is the largest key file read, in bytes. A key takes about 200.
const maxKeyFile = 1 << 20

// Load reads a key file. It fails with fs.ErrNotExist, with ErrExposed if
// anyone but the owner has access (a mode beyond 0600), or with ErrKeyring.
func Load(path string) (*Keyring, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	defer file.Close()
	// Check the open file, which cannot be swapped for another.
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("key file %s: %w: not a regular file", path, ErrKeyring)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("key file %s: %w: its mode is %#o; chmod 600 restricts it, but whoever has read it has the key",
			path, ErrExposed, info.Mode().Perm())
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

// Create writes a keyring with one new key to a new file of mode 0600. It
// never overwrites: if path exists, it fails with fs.ErrExist. The file is
// created atomically and is on disk when Create returns.
func Create(path string) (*Keyring, error) {
	ring, err := NewKeyring()
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".keyring-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	defer os.Remove(file.Name())
	if err := ring.writeTo(file); err != nil {
		return nil, err
	}
	// Unlike a rename, a link fails if path exists.
	if err := os.Link(file.Name(), path); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return ring, syncDir(path)
}

// LoadOrCreate reads the key file, or creates it if it does not exist, and
// reports whether it did. Of several processes that start at once, one creates
// the file and the others read it.
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
	// The new file is also the lock. Without it, concurrent rotations could
	// lose a key, and with it what was sealed with that key.
	next := path + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, keyFileMode)
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
	return ring, syncDir(path)
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
	if err := os.Rename(file.Name(), path); err != nil {
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

// syncDir makes the file's directory entry durable.
func syncDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}
