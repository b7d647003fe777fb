package crypto

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Failures that concern a key file.
var (
	// ErrExposed means that others than the file's owner may read or write it.
	ErrExposed = errors.New("key file is open to others")
	// ErrBusy means that another Rotate of the same file is under way, or one
	// was interrupted.
	ErrBusy = errors.New("key file is being changed")
)

// keyFileMode: its owner alone.
const keyFileMode fs.FileMode = 0o600

// maxKeyFile is far above any keyring: a key takes about 200 bytes.
const maxKeyFile = 1 << 20

// Load reads a key file. It fails with fs.ErrNotExist, with ErrExposed unless
// the file belongs to its owner alone (mode 0600 or less), or with ErrKeyring.
func Load(path string) (*Keyring, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	defer file.Close()
	// What was opened is what is checked: no other file can take its place.
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("key file %s: %w: not a regular file", path, ErrKeyring)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("key file %s: %w: its mode is %#o; chmod 600 closes it, but whoever read it has the key",
			path, ErrExposed, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if len(data) > maxKeyFile {
		return nil, fmt.Errorf("key file %s: %w: longer than %d bytes", path, ErrKeyring, maxKeyFile)
	}
	ring, err := parseKeyring(data)
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", path, err)
	}
	return ring, nil
}

// Create makes a keyring of one fresh key in a new file of mode 0600. It never
// overwrites: a path that exists is fs.ErrExist. The file appears whole or not
// at all, and is on disk when Create returns.
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
	// A link, unlike a rename, fails where something is already there.
	if err := os.Link(file.Name(), path); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return ring, syncFolder(path)
}

// LoadOrCreate reads the key file, or makes it where there is none and says
// so. Of several processes that start at once one makes it, the others read
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

// Rotate adds a fresh key to the key file, which seals from then on; the older
// keys stay and open. The file changes whole or not at all. Programs that hold
// the keyring already go on with their older keys until they load it again.
func Rotate(path string) (*Keyring, error) {
	// A link to the file stays one: what it leads to is replaced.
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	// The new content is also the lock: two rotations at once would otherwise
	// lose one of the keys, and what was sealed with it.
	next := path + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, keyFileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: if no rotation runs, one was interrupted before its key came into use: remove %s", ErrBusy, next)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	ring, err := rotateInto(file, path)
	if err != nil {
		return nil, errors.Join(err, os.Remove(next))
	}
	return ring, syncFolder(path)
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

// syncFolder makes the name of a file durable.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	return nil
}
