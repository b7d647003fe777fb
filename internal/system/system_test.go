package system

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/internal/system/systemtest"
)

func TestALockIsHeldByOneCallAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, times atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				unlock, err := Lock(path)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two calls hold the lock")
				}
				times.Add(1)
				inside.Add(-1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if times.Load() != 80 {
		t.Errorf("the lock was held %d times", times.Load())
	}
	if _, err := Lock(filepath.Join(t.TempDir(), "none", "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

func TestAWaitForALockIsReportedAndCanBeEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := LockContext(t.Context(), path, func() { t.Error("a free lock is waited for") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := LockContext(ctx, path, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was ended: %v", err)
	}
	var released error
	again, err := LockContext(t.Context(), path, func() { released = unlock() })
	if err := errors.Join(err, released); err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	if _, err := LockContext(t.Context(), filepath.Join(t.TempDir(), "none", "lock"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

// check opens a file or folder and checks that it is private.
func check(t *testing.T, path string) error {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return CheckPrivate(f)
}

func TestFilesThatOthersCanAccessAreNotPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "data")
	for range 2 {
		if err := MakeFolder(dir); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "key")
	if err := WritePrivate(file, []byte("secret"), false); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file} {
		if err := check(t, path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		systemtest.Expose(t, path)
		if err := check(t, path); !errors.Is(err, ErrExposed) {
			t.Errorf("%s, which others can read: %v", path, err)
		}
	}
	if err := MakeFolder(file); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func TestAPrivateFileIsReplacedOnlyIfAsked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	write := func(text string, replace bool) error { return WritePrivate(file, []byte(text), replace) }
	if err := errors.Join(write("one", false), write("two", true)); err != nil {
		t.Fatal(err)
	}
	if err := write("three", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if _, err := CreatePrivate(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "two" {
		t.Errorf("%q, %v", text, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("temporary files are left: %v, %v", files, err)
	}
	if err := check(t, file); err != nil {
		t.Error(err)
	}
}

// On Windows a rename over an open file fails: Replace retries.
func TestAFileIsReplacedWhileItIsRead(t *testing.T) {
	dir := t.TempDir()
	file, next := filepath.Join(dir, "file"), filepath.Join(dir, "next")
	for _, path := range []string{file, next} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { closed <- reader.Close() })
	if err := errors.Join(Replace(next, file), <-closed, SyncDir(dir)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "next" {
		t.Errorf("%q, %v", text, err)
	}
	if err := Replace(next, file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsAreDistinguished(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_, inUse := net.Listen("tcp", address)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, refused := net.Dial("tcp", address)
	invalid := os.WriteFile(filepath.Join(t.TempDir(), unusableName), nil, 0o600)
	if !IsAddressInUse(inUse) || !IsConnectionRefused(refused) || !IsInvalidName(invalid) {
		t.Errorf("not told: %v; %v; %v", inUse, refused, invalid)
	}
	for _, err := range []error{nil, fs.ErrNotExist, refused} {
		if IsAddressInUse(err) || IsInvalidName(err) || IsDiskFull(err) || IsReadOnly(err) {
			t.Errorf("%v is taken for another error", err)
		}
	}
}

func TestDisks(t *testing.T) {
	dir := t.TempDir()
	if free, err := FreeBytes(dir); err != nil || free == 0 {
		t.Errorf("%d, %v", free, err)
	}
	if err := CheckWritable(dir); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("the check leaves %v, %v", files, err)
	}
	none := filepath.Join(dir, "none")
	if _, err := FreeBytes(none); err == nil {
		t.Error("a folder that does not exist has free space")
	}
	if err := CheckWritable(none); err == nil {
		t.Error("a folder that does not exist is writable")
	}
}

func TestTheProcessHasUsedTime(t *testing.T) {
	for end := time.Now().Add(time.Minute); ProcessTime() == 0; {
		if time.Now().After(end) {
			t.Fatal("none after a minute of work")
		}
	}
}
