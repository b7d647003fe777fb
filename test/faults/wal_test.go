//go:build unix

package faults

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"mneme/test/faults/oracle"
	"mneme/test/size"
)

// faultSeed is the fixed seed of the single-fault tests.
const faultSeed = 24

// startAll starts all servers and prepares the trial.
func (r *trial) startAll() {
	for i := range r.servers {
		if !r.start(i) {
			r.t.FailNow()
		}
	}
	r.prepare()
}

// end shuts a server down gracefully.
func (r *trial) end(s *server) {
	if status := s.End(r.t, syscall.SIGTERM); status != 0 {
		r.t.Errorf("exit status %d: %s", status, s.Log.Last(20))
	}
	s.proxy.Disable()
}

// pickUp starts all servers again, runs the load for a while, and checks everything.
func (r *trial) pickUp() {
	for i := range r.servers {
		r.start(i)
	}
	r.loadUntil(r.stats.more(acknowledged, 20))
	r.check()
}

// run executes a statement directly on the database.
func (r *trial) run(statement string) {
	db, err := r.open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(r.t.Context(), statement); err != nil {
		r.t.Fatal(err)
	}
}

// sound reports whether SQLite's integrity check finds no damage in the file.
func (r *trial) sound() bool {
	db, err := r.open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	var found string
	err = db.QueryRowContext(r.t.Context(), "PRAGMA integrity_check").Scan(&found)
	return err == nil && found == "ok"
}

// fails runs a command that must fail with status 1, and returns its output.
func (r *trial) fails(command string, flags ...string) (said string, ok bool) {
	var stderr bytes.Buffer
	cmd := r.command("mneme-command", command)
	cmd.Args = append(cmd.Args, flags...)
	if command == "serve" {
		cmd.Args = append(cmd.Args, "--addr", "127.0.0.1:0")
	}
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	ok = errors.As(cmd.Run(), &exit) && exit.ExitCode() == 1
	return stderr.String(), ok
}

// A disk that loses the end of the write-ahead log, or part of it, loses acknowledged
// writes. SQLite cannot detect it, because the earlier frames are intact. All tables
// must then have the state after the same earlier commit.
func TestTruncatedLogLeavesAnEarlierState(t *testing.T) {
	need(t, build)
	t.Parallel()
	before := logTrial(t, 4)
	before.startAll()
	before.run("PRAGMA wal_checkpoint(TRUNCATE)") // so that the grants and entries of startAll stay
	before.loadUntil(before.stats.more(acknowledged, size.Of(30, 50)))
	before.kill(before.servers[0])
	log, err := os.ReadFile(filepath.Join(before.dir, "mneme.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if len(log) < 10*4120 {
		t.Fatalf("a log of %d bytes is too short for this test", len(log))
	}
	for name, harm := range map[string]func(log []byte) []byte{
		"truncated at a frame":      func(log []byte) []byte { return log[:32+len(log)/2/4120*4120] },
		"truncated within a frame":  func(log []byte) []byte { return log[:len(log)/2+1000] },
		"truncated to its header":   func(log []byte) []byte { return log[:32] },
		"emptied":                   func([]byte) []byte { return nil },
		"overwritten in the middle": func(log []byte) []byte { copy(log[len(log)/2:], make([]byte, 5000)); return log },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := logTrial(t, 7)
			r.goOn(before)
			path := filepath.Join(r.dir, "mneme.db-wal")
			if err := os.WriteFile(path, harm(bytes.Clone(log)), 0o600); err != nil {
				t.Fatal(err)
			}
			if !r.start(0) {
				return
			}
			r.forget()
			r.awaitEmptyQueue()
			r.checkRows()
			for _, c := range r.clients {
				c.checkVectors()
			}
			r.loadUntil(r.stats.more(acknowledged, size.Of(10, 20)))
			r.check()
		})
	}
}

// logTrial returns a trial of one process whose log is damaged.
func logTrial(t *testing.T, number uint64) *trial {
	t.Helper()
	r := newTrial(t, sqliteFlat, faultSeed, number, &stats{counts: make(map[string]int)})
	r.calm()
	r.servers = r.servers[:1]
	return r
}

// goOn gives a new trial a copy of the data of another trial with the same clients, whose
// process was killed, and the words that its clients wrote. The clients must forget
// everything else.
func (r *trial) goOn(from *trial) {
	r.t.Helper()
	files, err := os.ReadDir(from.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(from.dir, file.Name()))
		if err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.dir, file.Name()), content, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	r.environment, r.realModel = from.environment, from.realModel
	r.counter.Store(from.counter.Load())
	for i, c := range from.clients {
		for path, values := range c.values {
			r.clients[i].values[path] = slices.Clone(values)
		}
	}
}

// forget makes the clients accept the visible state: they continue with the entries,
// histories and trash that they have just read.
func (r *trial) forget() {
	for _, c := range r.clients {
		var views []oracle.View
		err := poll(r.t.Context(), func() (err error) {
			views, err = c.views(false)
			if err == nil && slices.ContainsFunc(views, func(v oracle.View) bool { return v.Listed > 0 && slices.Contains(c.fleeting, v.Path) }) {
				err = errors.New("a fleeting entry has not expired yet")
			}
			if err == nil && slices.ContainsFunc(views, func(v oracle.View) bool { return v.Found && len(v.Versions) == 0 }) {
				err = errors.New("an entry expired while it was read")
			}
			return err
		})
		if err != nil {
			c.violation("%s: %v", c.name, err)
			return
		}
		c.latest, c.pending = nil, nil
		c.candidates = oracle.Candidates{oracle.Believe(views)}
		if _, err := c.candidates.See(views, c.purges.all()); err != nil {
			c.violation("%s: the visible state contradicts itself: %v", c.name, err)
		}
	}
}
