//go:build unix

package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/size"
)

// poolers are configurations of PgBouncer. Two of them have only two connections to the server
// for each role, which the transactions of several processes then share.
var poolers = map[string][]string{
	"as its package configures it": nil,
	"transactions":                 {"pool_mode=transaction", "default_pool_size=2"},
	"transactions, with parameters ignored": {
		"pool_mode=transaction", "default_pool_size=2", "ignore_startup_parameters=mneme.direct," + strings.Join(settings, ","),
	},
}

func TestProcessesStartConcurrentlyAndWriteThroughAPooler(t *testing.T) {
	for name, configured := range poolers {
		t.Run(name, func(t *testing.T) {
			dsn := postgrestest.Database(t)
			pooled := postgrestest.Pooler(t, dsn, configured...)
			const processes, rounds = 3, 20
			var group sync.WaitGroup
			for p := range processes {
				group.Go(func() {
					s, err := Open(t.Context(), pooled, Options{MaxConns: 4})
					if err != nil {
						t.Error(err)
						return
					}
					defer func() { _ = s.Close() }()
					var calls sync.WaitGroup
					for i := range rounds {
						calls.Go(func() {
							err := s.Update(t.Context(), func(tx memory.Tx) error {
								if err := increment(t.Context(), tx, "shared"); err != nil {
									return err
								}
								return tx.Put(t.Context(), newEntry(fmt.Sprint("own", p), fmt.Sprint(i)), doc("word"))
							})
							if err == nil {
								err = s.View(t.Context(), func(tx memory.ReadTx) error { return checkScope(t, tx, fmt.Sprint("own", p)) })
							}
							if err != nil {
								t.Error(err)
							}
						})
					}
					calls.Wait()
				})
			}
			group.Wait()
			openAt(t, dsn).checkIndex(t)
			checkNothingStays(t, pooled)
		})
	}
}

func TestStorageBehindAPooler(t *testing.T) {
	if !size.Full() {
		t.Skip("the suite runs without a pooler")
	}
	runSuite(t, func(t testing.TB) string {
		return postgrestest.Pooler(t, postgrestest.Database(t), "pool_mode=transaction")
	})
}

// checkScope checks that a transaction whose scope is a store sees no row of another, and that
// the service's parameters are in effect.
func checkScope(t *testing.T, tx memory.ReadTx, store string) error {
	r := tx.(*readTx)
	var timeout, scans string
	if _, err := r.one(t.Context(), []any{&timeout, &scans}, "SELECT current_setting('statement_timeout'), current_setting('enable_seqscan')"); err != nil {
		return err
	}
	if timeout != "30s" || scans != "off" {
		t.Errorf("the statement timeout is %s, and whole tables are read: %s", timeout, scans)
	}
	r.setRLSStore(store)
	var others int
	_, err := r.one(t.Context(), []any{&others}, "SELECT count(*) FROM entry WHERE store <> (SELECT number FROM store WHERE id = $1)", store)
	if others > 0 {
		t.Errorf("a transaction of the scope %s sees %d rows of others", store, others)
	}
	return err
}

// checkNothingStays checks that a transaction's settings are not in effect for the next user of
// its connection to the server.
func checkNothingStays(t *testing.T, pooled string) {
	t.Helper()
	for range 4 {
		conn, err := pgx.Connect(t.Context(), pooled)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		var scope, scans string
		var rows, locks int
		err = conn.QueryRow(t.Context(), `SELECT coalesce(current_setting('mneme.scope', true), ''), current_setting('enable_seqscan'), (SELECT count(*) FROM entry),
			(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
			pgx.QueryExecModeExec).Scan(&scope, &scans, &rows, &locks)
		if err != nil || scope != "" || scans != "on" || rows > 0 || locks > 0 {
			t.Errorf("a connection begins with the scope %q, enable_seqscan %s, sees %d rows and %d locks stay: %v", scope, scans, rows, locks, err)
		}
	}
}

func TestAnUnsuitablePoolerIsRefusedWithAReason(t *testing.T) {
	dsn := postgrestest.Database(t)
	for name, c := range map[string]struct {
		settings         []string
		parameters, want string
	}{
		"statements":                    {[]string{"pool_mode=statement"}, "", "set its pool_mode to transaction or session"},
		"a parameter that it refuses":   {nil, "&search_path=hush", "ALTER ROLE … SET search_path"},
		"a parameter that it ignores":   {[]string{"ignore_startup_parameters=search_path"}, "&search_path=hush", "ALTER ROLE … SET search_path"},
		"a parameter that it passes on": {nil, "&datestyle=ISO", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.Context(), postgrestest.Pooler(t, dsn, c.settings...)+c.parameters, Options{})
			if err == nil {
				_ = s.Close()
			}
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush")) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A process of an older version holds the lock of migrations for its session, not for a
// transaction.
func TestAMigrationWaitsForALockOfAnySession(t *testing.T) {
	dsn := postgrestest.Database(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lockKey("migration", "")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*firstBackoff)
	defer cancel()
	if s, err := Open(ctx, dsn, Options{}); err == nil {
		_ = s.Close()
		t.Error("the database was migrated meanwhile")
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	openAt(t, dsn)
}
