//go:build unix

package faults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"modernc.org/sqlite"

	"mneme/storage/postgres/postgrestest"
)

// replacedText is logged by a process whose database was replaced. In these tests, an
// operator restores a backup while mneme serves, instead of stopping it first. Writes and
// grants made after the backup are gone: mneme must not answer from its caches of them, nor
// acknowledge a write that is not stored.

const replacedText = "the database was replaced while mneme served it"

// restoring is a trial whose database is restored.
type restoring struct {
	*trial
	before, after remote // ada, who writes, and guest, to whom she granted her store after the backup
}

// newRestoring starts a trial of one process, makes a backup, and then makes further writes
// and a grant.
func newRestoring(t *testing.T, r *trial, backup func()) *restoring {
	t.Helper()
	r.calm()
	r.servers = r.servers[:1]
	r.startAll()
	r.loadUntil(r.stats.more(acknowledged, 30))
	s := &restoring{trial: r, before: r.caller(r.servers[0], "ada", "PUBLIC"), after: r.caller(r.servers[0], "guest", "PUBLIC")}
	s.put("before", http.StatusCreated)
	r.awaitEmptyQueue()
	backup()
	for i := range 5 {
		s.put(fmt.Sprint("after-", i), http.StatusCreated)
	}
	if got := s.before.call(http.MethodPut, "/v1/stores/ada/grants/guest", map[string]any{"level": "read"}); got.status != http.StatusOK {
		t.Fatalf("share: %v", got)
	}
	r.awaitEmptyQueue()
	s.reads(http.StatusOK)
	return s
}

func (s *restoring) put(key string, want int) {
	s.t.Helper()
	if got := s.before.call(http.MethodPut, "/v1/stores/ada/memories/"+key, map[string]any{"value": "written " + key + " the backup"}); got.status != want {
		s.t.Fatalf("put: %v", got)
	}
}

// reads checks that ada and guest get the status want for an entry written after the
// backup.
func (s *restoring) reads(want int) {
	s.t.Helper()
	for _, c := range []remote{s.before, s.after} {
		if got := c.call(http.MethodGet, "/v1/stores/ada/memories/after-1", nil); got.status != want {
			s.t.Errorf("get: %v", got)
		}
	}
}

// refused returns an error unless every kind of call is refused.
func (s *restoring) refused() error {
	search := map[string]any{"query": "written after the backup", "stores": []string{"ada"}}
	for _, c := range []remote{s.before, s.after} {
		for _, got := range []reply{
			c.call(http.MethodGet, "/v1/stores/ada/memories/after-1", nil),
			c.call(http.MethodGet, "/v1/stores/ada/memories", nil),
			c.call(http.MethodGet, "/v1/stores/ada/changes", nil),
			c.call(http.MethodPost, "/v1/search", search),
			c.call(http.MethodPut, "/v1/stores/self/memories/refused", map[string]any{"value": "nobody reads this"}),
		} {
			if err := got.refused(); err != nil {
				return err
			}
		}
	}
	return nil
}

// unready is like refused, but also checks that the process is not ready. The readiness
// check may be a second old.
func (s *restoring) unready() error {
	if _, err := ready(s.servers[0].Address); err == nil {
		return errors.New("it is ready")
	}
	return s.refused()
}

// goOn starts the process again, and checks that it serves the state of the backup and
// accepts further writes.
func (s *restoring) goOn() {
	s.t.Helper()
	if !s.start(0) {
		s.t.FailNow()
	}
	s.before, s.after = s.caller(s.servers[0], "ada", "PUBLIC"), s.caller(s.servers[0], "guest", "PUBLIC")
	s.put("before", http.StatusOK)
	if got := s.before.call(http.MethodGet, "/v1/stores/ada/memories/after-1", nil); got.status != http.StatusNotFound {
		s.t.Errorf("an entry that is not in the backup: %v", got)
	}
	if got := s.after.call(http.MethodGet, "/v1/stores/ada/memories/before", nil); got.status == http.StatusOK {
		s.t.Errorf("a grant that is not in the backup: %v", got)
	}
	s.forget()
	s.loadUntil(s.stats.more(acknowledged, 20))
	s.check()
}

func TestARestoreUnderARunningProcessOnAFile(t *testing.T) {
	need(t, build)
	for name, restore := range map[string]func(s *restoring, backup string){
		"another file": func(s *restoring, backup string) {
			if err := os.Rename(backup, filepath.Join(s.dir, "mneme.db")); err != nil {
				s.t.Fatal(err)
			}
			if err := s.refused(); err != nil { // at once
				s.t.Error(err)
			}
		},
		// The process detects that the file no longer continues the last state that it saw.
		// In such a quick test, the backup may have that state too, so the test restores
		// until the process detects it.
		"the same file": func(s *restoring, backup string) {
			err := poll(s.t.Context(), func() error {
				s.restoreInto(backup)
				return s.refused()
			})
			if err != nil {
				s.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backup := filepath.Join(t.TempDir(), "backup.db")
			r := newTrial(t, sqliteFlat, faultSeed, 9, &stats{counts: make(map[string]int)})
			s := newRestoring(t, r, func() { r.run("VACUUM INTO '" + backup + "'") })
			restore(s, backup)
			if err := poll(t.Context(), s.unready); err != nil {
				t.Error(err)
			}
			s.servers[0].Kill()
			if said := s.servers[0].Log.String(); !strings.Contains(said, replacedText) {
				t.Errorf("the log says %s", s.servers[0].Log.Last(5))
			}
			if name == "another file" {
				for _, of := range []string{"-wal", "-shm"} {
					if err := os.Remove(filepath.Join(s.dir, "mneme.db"+of)); err != nil && !errors.Is(err, os.ErrNotExist) {
						t.Fatal(err)
					}
				}
			}
			s.goOn()
		})
	}
}

// restoreInto writes another state into the file in a transaction, like .restore of SQLite's
// shell.
func (s *restoring) restoreInto(backup string) {
	s.t.Helper()
	err := poll(s.t.Context(), func() error { // fails while the process writes
		db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.Join(s.dir, "mneme.db")}).String())
		if err != nil {
			return err
		}
		defer db.Close()
		conn, err := db.Conn(s.t.Context())
		if err != nil {
			return err
		}
		defer conn.Close()
		return conn.Raw(func(c any) error {
			b, err := c.(interface {
				NewRestore(source string) (*sqlite.Backup, error)
			}).NewRestore(backup)
			if err != nil {
				return err
			}
			_, err = b.Step(-1)
			return errors.Join(err, b.Finish())
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestARestoreUnderARunningProcessOnPostgres(t *testing.T) {
	need(t, build, startPostgres)
	for name, on := range map[string]stack{
		"another database": postgresFlat, "the same database": postgresFlat, "another database, Milvus": postgresMilvus,
	} {
		t.Run(name, func(t *testing.T) {
			on.need(t)
			t.Parallel()
			r := newTrial(t, on, faultSeed, 10, &stats{counts: make(map[string]int)})
			backup := filepath.Join(t.TempDir(), "backup.pgdump")
			s := newRestoring(t, r, func() { r.postgresProgram("pg_dump", "-Fc", "-f", backup) })
			s.faulty.Store(true)
			if name == "the same database" {
				s.postgresProgram("pg_restore", "--clean", "--if-exists", "--exit-on-error", "--single-transaction", backup)
			} else {
				own := s.name()
				postgrestest.Administer(t, s.server.DSN(), "DROP DATABASE "+own+" WITH (FORCE)")
				if err := s.refused(); err != nil {
					t.Error(err)
				}
				postgrestest.Administer(t, s.server.DSN(), "CREATE DATABASE "+own+" OWNER "+own+" TEMPLATE template0")
				if err := s.refused(); err != nil { // and the process creates no tables
					t.Error(err)
				}
				s.postgresProgram("pg_restore", "--exit-on-error", "--single-transaction", backup)
			}
			s.faulty.Store(false)
			s.endsItself()
			s.goOn()
		})
	}
}

// A PostgreSQL server that continues from an older copy of its files has lost commits,
// which the running process must detect.
func TestARestoreOfTheServerUnderARunningProcess(t *testing.T) {
	need(t, build, startPostgres)
	t.Parallel()
	server := ownPostgres(t)
	dir := server.Dir()
	r := newTrial(t, postgresFlat, faultSeed, 11, &stats{counts: make(map[string]int)})
	r.on(server)
	command := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	// awaitCheck waits until the process has read the last change.
	awaitCheck := func() {
		t.Helper()
		lines := func() int {
			said, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "postgres.log"))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Count(string(said), "SELECT entry, at FROM change WHERE position = $1")
		}
		before := lines()
		err := poll(t.Context(), func() error {
			if n := lines() - before; n < 5 {
				return fmt.Errorf("the process has read the last change %d times", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	restart := func(meanwhile func()) {
		t.Helper()
		if err := server.Stop(); err != nil {
			t.Fatal(err)
		}
		meanwhile()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := server.Start(ctx, "log_statement=all"); err != nil {
			t.Fatal(err)
		}
	}
	s := newRestoring(t, r, func() {
		restart(func() { command("cp", "-a", dir, dir+".copy") })
		if err := poll(t.Context(), func() error { _, err := ready(r.servers[0].Address); return err }); err != nil {
			t.Fatal(err) // mneme must not take a restart for a restore
		}
	})
	awaitCheck()
	restart(func() {
		if err := s.refused(); err != nil {
			t.Error(err)
		}
		command("rm", "-r", dir)
		command("mv", dir+".copy", dir)
	})
	s.endsItself()
	s.goOn()
}

// endsItself waits until the process ends on its own, and checks its output.
func (s *restoring) endsItself() {
	s.t.Helper()
	const none = syscall.Signal(0) // so that End only waits
	if status := s.servers[0].End(s.t, none); status != 1 {
		s.t.Errorf("exit status %d", status)
	}
	if said := s.servers[0].Log.String(); !strings.Contains(said, replacedText) {
		s.t.Errorf("the log says %s", s.servers[0].Log.Last(5))
	}
}

// name returns the name of the database, and of its owner.
func (d *database) name() string {
	dsn, err := url.Parse(d.dsn)
	if err != nil {
		d.t.Fatal("the DSN is not a URL") // the error quotes it
	}
	return strings.TrimPrefix(dsn.Path, "/")
}

// postgresProgram runs a program of PostgreSQL on the database, as the server's superuser.
func (d *database) postgresProgram(program string, args ...string) {
	d.t.Helper()
	dsn, err := url.Parse(d.server.DSN())
	if err != nil {
		d.t.Fatal("the DSN is not a URL") // the error quotes it
	}
	dsn.Path = "/" + d.name()
	cmd := exec.CommandContext(d.t.Context(), d.server.Program(program), append([]string{"-d", dsn.String()}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v: %s", program, err, out)
	}
}
