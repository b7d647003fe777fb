package main

import (
	"bytes"
	"database/sql"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mneme/internal/system/systemtest"
	"mneme/lexical"
	"mneme/storage/postgres/postgrestest"
)

// diagnose runs doctor and returns its findings by check.
func diagnose(t *testing.T, dir string, args ...string) (findings map[string]finding, status int) {
	t.Helper()
	if !slices.Contains(args, "--addr") {
		args = append(args, "--addr", "127.0.0.1:0")
	}
	r := mneme(t, dir, "", append([]string{"doctor", "--json"}, args...)...)
	found := decode[struct {
		OK       bool
		Findings []finding
	}](t, r.out)
	if found.OK != (r.status == exitDone) {
		t.Errorf("ok is %v, the status %d", found.OK, r.status)
	}
	findings = make(map[string]finding)
	for _, f := range found.Findings {
		findings[f.Check] = f
	}
	return findings, r.status
}

func TestDoctorFindsNothingWrongAndMakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	findings, status := diagnose(t, dir)
	if status != exitDone || len(findings) != 7 {
		t.Errorf("status %d: %+v", status, findings)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("doctor makes the data folder")
	}
	dir = filepath.Join(t.TempDir(), "data")
	must(t, dir, "", "put", "--agent", "a", "k", "v")
	must(t, dir, "", "token", "--agent", "a")
	findings, status = diagnose(t, dir)
	if status != exitDone {
		t.Errorf("status %d: %+v", status, findings)
	}
	for check, want := range map[string]string{"database": "no damage found", "vector index": "1 entry waiting", "signing key": "present", "models": "the English model reads 1 store; none has needed the multilingual one yet"} {
		if f := findings[check]; f.State != fine || !strings.Contains(f.Says, want) {
			t.Errorf("%s: %+v", check, f)
		}
	}
}

func TestDoctorSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "signing.key"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	systemtest.Expose(t, dir)
	systemtest.Expose(t, filepath.Join(dir, "signing.key"))
	if err := os.WriteFile(filepath.Join(dir, "mneme.db"), []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() { // a program other than mneme
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	t.Setenv("MNEME_STORRAGE", "sqlite")
	findings, status := diagnose(t, dir, "--addr", listener.Addr().String())
	if status != exitFailed {
		t.Errorf("status %d", status)
	}
	for check, want := range map[string]state{
		"configuration": warning, "data folder": warning, "signing key": problem, "database": problem, "address": problem,
		"embedder": fine, "clock": fine,
	} {
		if f := findings[check]; f.State != want || (want == fine) != (f.Do == "") {
			t.Errorf("%s: %+v", check, f)
		}
	}
}

func TestDoctorDistinguishesMilvusDownFromAnotherEmbedder(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "--agent", "a", "k", "v")
	setMilvusDown(t)
	findings, _ := diagnose(t, dir)
	if f := findings["vector index"]; f.State != warning || !strings.Contains(f.Says, "does not answer") || !strings.Contains(f.Do, "milvus.addr") {
		t.Errorf("%+v", f)
	}
}

// setMilvusDown configures a Milvus that is not running.
func setMilvusDown(t *testing.T) {
	t.Helper()
	t.Setenv("MNEME_VECTOR", "milvus")
	t.Setenv("MNEME_MILVUS_ADDR", "127.0.0.1:1") // a privileged port: nothing listens there
}

func TestDoctorSaysWhatToDoWithADatabaseThatIsTooOld(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "--agent", "a", "note", "a line")
	path := filepath.Join(dir, "mneme.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "UPDATE goose_db_version SET version_id = 5 WHERE version_id > 0")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	findings, _ := diagnose(t, dir)
	if f := findings["database"]; f.State != problem || !strings.Contains(f.Says, "its schema version is 5") || !strings.Contains(f.Says, "export its entries") {
		t.Errorf("%+v", f)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("doctor changes the database")
	}
	if r := mneme(t, dir, "", "list", "--agent", "a"); r.status != exitFailed || !strings.Contains(r.err, "export its entries") {
		t.Errorf("%+v", r)
	}
}

// open opens a database directly, until the test ends.
func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// one returns the single value of a query.
func one[T any](t *testing.T, db *sql.DB, query string) (value T) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// doctor leaves texts as they are that a program with another analysis has analyzed: that
// program may be using the database.
func TestDoctorLeavesTheTextsOfAnotherAnalysisAlone(t *testing.T) {
	check := func(t *testing.T, dir, driver, dsn string) {
		must(t, dir, "", "put", "--agent", "a", "note", "a line")
		db := open(t, driver, dsn)
		if _, err := db.ExecContext(t.Context(), "UPDATE meta SET value = $1 WHERE name = 'analysis'", []byte("1")); err != nil {
			t.Fatal(err)
		}
		const analysis = "SELECT value FROM meta WHERE name = 'analysis'"
		findings, status := diagnose(t, dir)
		if f := findings["database"]; status != exitDone || f.State != warning || !strings.Contains(f.Says, "analyzed") {
			t.Errorf("status %d: %+v", status, f)
		}
		if f, checked := findings["vector index"]; checked {
			t.Errorf("the index was opened: %+v", f)
		}
		if got := one[[]byte](t, db, analysis); string(got) != "1" {
			t.Errorf("doctor analyzes the texts, by %q", got)
		}
		must(t, dir, "", "list", "--agent", "a")
		if got := one[[]byte](t, db, analysis); string(got) != lexical.AnalysisVersion {
			t.Errorf("another command analyzes the texts by %q", got)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		check(t, dir, "sqlite", filepath.Join(dir, "mneme.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := postgrestest.Database(t)
		t.Setenv("MNEME_STORAGE", "postgres")
		t.Setenv("MNEME_POSTGRES_DSN", dsn)
		check(t, t.TempDir(), "pgx", dsn)
	})
}

// Only serve divides the tables of a database into partitions: this is permanent, and
// disturbs running servers.
func TestOnlyServeDividesTheTablesOfADatabase(t *testing.T) {
	dsn, dir := postgrestest.Database(t), t.TempDir()
	t.Setenv("MNEME_STORAGE", "postgres")
	t.Setenv("MNEME_POSTGRES_DSN", dsn)
	must(t, dir, "", "put", "--agent", "a", "k", "v")
	db := open(t, "pgx", dsn)
	check := func(want int, state state) {
		t.Helper()
		findings, _ := diagnose(t, dir)
		if f := findings["partitions"]; f.State != state || (state == "") != (f.Do == "") {
			t.Errorf("%+v", f)
		}
		if f := findings["database"]; f.State != fine {
			t.Errorf("%+v", f)
		}
		for _, args := range [][]string{{"export", "--full"}, {"purge", "--dry-run"}, {"list", "--agent", "a"}, {"put", "--agent", "a", "k", "w"}} {
			must(t, dir, "", args...)
		}
		if got := one[int](t, db, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'entry'::regclass"); got != want {
			t.Errorf("%d partitions, want %d", got, want)
		}
	}
	t.Setenv("MNEME_POSTGRES_PARTITIONS", "4")
	check(0, warning)
	if s := serve(t, dir); s.end(os.Interrupt) != exitDone {
		t.Errorf("%s", s.log)
	}
	check(4, "")
	t.Setenv("MNEME_POSTGRES_PARTITIONS", "8")
	check(4, problem)
}

func TestDoctorReportsAConfigurationThatIsInvalid(t *testing.T) {
	t.Setenv("MNEME_LIMITS_KEYS", "0")
	findings, status := diagnose(t, t.TempDir())
	if f := findings["configuration"]; status != exitFailed || f.State != problem || !strings.Contains(f.Says, "limits.keys") {
		t.Errorf("status %d: %+v", status, findings)
	}
}

func TestConfigShowNamesTheSourceOfValues(t *testing.T) {
	t.Setenv("MNEME_POSTGRES_DSN", "postgres://u:hush@h/d")
	t.Setenv("MNEME_SEARCH_VECTOR_BUDGET", "") // TestMain sets it
	t.Setenv("MNEME_LIMITS_WRITE_WAIT", "")
	out := must(t, t.TempDir(), "", "config", "show", "--changed", "--addr", "127.0.0.1:1")
	for _, want := range []string{"flag --data-dir", "127.0.0.1:1", "flag --addr", "[hidden]", "variable MNEME_POSTGRES_DSN"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if strings.Contains(out, "hush") || strings.Count(out, "\n") != 3 {
		t.Errorf("got\n%s", out)
	}
	all := decode[map[string]struct{ Source string }](t, must(t, "", "", "config", "show", "--json"))
	if all["limits.keys"].Source != "default" || len(all) < 80 {
		t.Errorf("got %d keys", len(all))
	}
}
