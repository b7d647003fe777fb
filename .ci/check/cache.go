package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// stampAge is the time without a use after which a stamp is removed.
const stampAge = 60 * 24 * time.Hour

// A cache is the folder that persists between runs: installed tools, the stamps of
// passed steps, and the logs of the last run.
type cache struct{ dir string }

// openCache opens the folder, and locks it until the process ends: two runs would
// install over each other.
func openCache(dir string) (*cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &cache{dir}
	for _, folder := range []string{c.stamps(), c.tools(), c.logs()} {
		if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // the database's user reads tools
			return nil, err
		}
	}
	return c, c.lock()
}

func (c *cache) stamps() string { return filepath.Join(c.dir, "stamps") }
func (c *cache) tools() string  { return filepath.Join(c.dir, "tools") }
func (c *cache) logs() string   { return filepath.Join(c.dir, "logs") }

func (c *cache) lock() error {
	file, err := os.OpenFile(filepath.Join(c.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	lock := func(how int) error { return syscall.Flock(int(file.Fd()), how) }
	if err := lock(syscall.LOCK_EX | syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		fmt.Println("waiting for another run that uses", c.dir)
		return lock(syscall.LOCK_EX)
	} else if err != nil {
		return err
	}
	return nil
}

func (c *cache) stamp(s *step, digest string) string {
	return filepath.Join(c.stamps(), s.name+"-"+digest[:32])
}

// passed reports whether a step passed with this digest, and the output of a set-up
// still exists.
func (c *cache) passed(s *step, digest string) bool {
	if s.isSetUp() {
		made, err := os.ReadFile(c.madeStamp(s))
		_, gone := os.Stat(filepath.Join(c.tools(), s.made))
		return err == nil && gone == nil && string(made) == digest
	}
	now := time.Now()
	return os.Chtimes(c.stamp(s, digest), now, now) == nil
}

// madeStamp is the file that records the inputs of a set-up's last run. There is one
// file, since each run overwrites the previous output.
func (c *cache) madeStamp(s *step) string { return filepath.Join(c.stamps(), s.name+"-made") }

// pass writes a stamp.
func (c *cache) pass(s *step, digest string) error {
	if s.isSetUp() {
		return os.WriteFile(c.madeStamp(s), []byte(digest), 0o600)
	}
	return os.WriteFile(c.stamp(s, digest), nil, 0o600)
}

// forget removes the stamp of a step that begins or fails.
func (c *cache) forget(s *step, digest string) error {
	path := c.stamp(s, digest)
	if s.isSetUp() {
		path = c.madeStamp(s)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep removes old stamps.
func (c *cache) sweep() error {
	entries, err := os.ReadDir(c.stamps())
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < stampAge {
			continue
		}
		if err := os.Remove(filepath.Join(c.stamps(), entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
