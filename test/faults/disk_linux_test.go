package faults

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mneme/test/size"
)

// mountDisk mounts a file system of the given size in memory. Only root can mount: for
// other users, mountDisk skips the test, or fails it if CI is set.
func mountDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("mneme-faults", dir, "tmpfs", 0, "size="+size+",mode=0700"); err != nil {
		if os.Getenv("CI") == "" && errors.Is(err, syscall.EPERM) {
			t.Skip("only root may mount a file system")
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill uses all free space of a disk until free is called.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err = file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// onDisk returns a running trial whose data folder is on a small disk.
func onDisk(t *testing.T, number uint64) *trial {
	t.Helper()
	r := newTrial(t, sqliteFlat, faultSeed, number, &stats{counts: make(map[string]int)})
	r.dir = mountDisk(t, "48m")
	r.calm()
	r.startAll()
	return r
}

// On a full disk, the service refuses whole writes and answers reads. It recovers
// without a restart, and also if it was killed and started on the full disk.
func TestFullDiskRefusesWholeWrites(t *testing.T) {
	need(t, build)
	t.Parallel()
	r := onDisk(t, 1)
	r.loadUntil(r.stats.more(acknowledged, size.Of(20, 60)))
	free := fill(t, r.dir)
	r.faulty.Store(true)
	r.loadUntil(r.stats.more(refusals, size.Of(10, 30)))
	reader := r.caller(r.servers[0], "ada", "PUBLIC")
	for _, got := range []reply{
		reader.call(http.MethodGet, "/v1/stores/ada/memories/anchor", nil),
		reader.call(http.MethodGet, "/v1/stores/ada/memories", nil),
		reader.call(http.MethodPost, "/v1/search", map[string]any{"query": "anchor of all readers"}),
	} {
		if got.status != http.StatusOK {
			t.Errorf("a read on a full disk: %v", got)
		}
	}
	for _, s := range r.servers {
		r.kill(s)
	}
	for i := range r.servers {
		r.start(i)
	}
	r.loadUntil(r.stats.more(refusals, 10))
	free()
	r.loadUntil(r.stats.more(acknowledged, size.Of(20, 60)))
	r.faulty.Store(false)
	r.check()
	t.Logf("\n%s", r.stats)
}

// A command with a read-only data folder fails at the start, with advice.
func TestReadOnlyDiskIsRefusedWithAdvice(t *testing.T) {
	need(t, build)
	t.Parallel()
	r := onDisk(t, 2)
	r.loadUntil(r.stats.more(acknowledged, 10))
	for _, s := range r.servers {
		r.kill(s)
	}
	remount := func(flags uintptr) {
		t.Helper()
		if err := syscall.Mount("mneme-faults", r.dir, "tmpfs", syscall.MS_REMOUNT|flags, "size=48m"); err != nil {
			t.Fatal(err)
		}
	}
	remount(syscall.MS_RDONLY)
	for _, command := range [][]string{{"serve"}, {"purge", "--yes"}, {"reconcile"}} {
		said, ok := r.fails(command[0], command[1:]...)
		if !ok || !strings.Contains(said, "mneme must be able to write to the data folder") {
			t.Errorf("mneme %s on a read-only disk: %s", command, said)
		}
	}
	remount(0)
	r.pickUp()
}

// A server detects damaged pages at the start or by the check that follows it. It
// then refuses all calls, and its log contains advice. Restoring a backup repairs
// the file. SQLite cannot detect damage to the bytes of a long value, because pages
// have no checksums.
func TestDamagedFileIsDetectedAndNotServed(t *testing.T) {
	need(t, build)
	t.Parallel()
	r := newTrial(t, sqliteFlat, faultSeed, 3, &stats{counts: make(map[string]int)})
	r.calm()
	r.startAll()
	r.loadUntil(r.stats.more(acknowledged, 60))
	for _, s := range r.servers {
		r.end(s)
	}
	token := r.caller(r.servers[0], "ada", "PUBLIC").token
	path := filepath.Join(r.dir, "mneme.db")
	r.run("VACUUM") // so that no page is free: damage to a free page has no effect
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	atStart, later, undetectable := 0, 0, 0
	for first := 1; first < len(sound)/page; first += size.Of(10, 6) {
		damaged := bytes.Clone(sound)
		copy(damaged[first*page:], bytes.Repeat([]byte{0xaa}, 100))
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if r.sound() {
			undetectable++
			continue
		}
		s := r.launch(0)
		if s.AwaitListening() != nil {
			atStart++
		} else {
			later++
			err := poll(t.Context(), func() error {
				if _, err := ready(s.Address); err == nil {
					return errors.New("it is ready")
				}
				return nil
			})
			if err != nil {
				t.Errorf("page %d of the file is damaged, and the damage is not detected: %v", first, err)
			}
			for _, call := range []string{"/v1/stores/self/memories", "/v1/stores/self/memories/anchor"} {
				if err := exchange(t.Context(), http.MethodGet, s.Address+call, token, nil).refused(); err != nil {
					t.Errorf("page %d is damaged: %v", first, err)
				}
			}
		}
		s.Kill()
		if said := s.Log.String(); !strings.Contains(said, "the database file is damaged: stop mneme and restore a backup") {
			t.Errorf("page %d is damaged, but the log says %s", first, s.Log.Last(5))
		}
	}
	t.Logf("%d damaged pages were detected at the start, %d by the check; SQLite cannot detect %d", atStart, later, undetectable)
	if atStart == 0 || later == 0 || undetectable > atStart+later {
		t.Error("too few damaged pages were detectable in each way")
	}
	for _, name := range []string{path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	r.pickUp()
}
