package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
)

func TestABrokenConnectionIsUnavailableAndTheNextCallSucceeds(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		dsn := database(t)
		s, other := openAt(t, dsn), openAt(t, dsn)
		e := newEntry("a", "k")
		kill := func() {
			if _, err := other.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`); err != nil {
				t.Fatal(err)
			}
		}
		err := s.Update(t.Context(), func(tx memory.Tx) error {
			if err := tx.Put(t.Context(), e, doc("word")); err != nil {
				return err
			}
			kill()
			_, err := tx.At(t.Context(), e.Path.At(acl.Restricted))
			if !errors.Is(err, memory.ErrUnavailable) {
				t.Errorf("within the transaction: %v", err)
			}
			return err
		})
		if !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("the transaction: %v", err)
		}
		// The pool has dead connections that the driver has not noticed.
		kill()
		mustUpdate(t, s, func(tx memory.Tx) error {
			entries, err := tx.At(t.Context(), e.Path.At(acl.Restricted))
			if len(entries) > 0 {
				t.Error("a failed transaction wrote an entry")
			}
			return err
		})
	})
}

func TestAnUnreachableServerIsUnavailableAndErrorsDoNotIncludeTheDSN(t *testing.T) {
	const address = "127.0.0.1:1" // a privileged port: nothing listens there
	for dsn, want := range map[string]error{
		"postgres://someone:hush@" + address + "/somewhere?sslmode=disable": memory.ErrUnavailable,
		"postgres://someone:hush@" + address + "/somewhere?sslmode=bad":     nil,
		"host=some where password=hush =":                                   nil,
	} {
		_, err := Open(t.Context(), dsn, Options{})
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Fatalf("error %v, want %v", err, want)
		}
		for _, secret := range []string{"hush", "someone", "somewhere", address} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error includes %q: %v", secret, err)
			}
		}
	}
}

func TestSQLSTATEsMapToErrorsOfTheContract(t *testing.T) {
	for code, want := range map[string]error{
		"08006": memory.ErrUnavailable, "57P01": memory.ErrUnavailable, "57P03": memory.ErrUnavailable, "53300": memory.ErrUnavailable,
		"57014": memory.ErrUnavailable, "55P03": memory.ErrUnavailable, "25006": memory.ErrUnavailable, "28P01": memory.ErrUnavailable,
		"23505": memory.ErrExists, "40001": errConflict, "40P01": errConflict,
	} {
		err := interpret(t.Context(), "write", &pgconn.PgError{Code: code, Message: "hush", Detail: "hush", Where: "hush"})
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", code, err, want)
		}
		if strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: the error quotes the server's message: %v", code, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := interpret(ended, "write", errors.New("any")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := interpret(t.Context(), "write", &pgconn.PgError{Code: "42P01"}); errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("an undefined table is reported as an outage: %v", err)
	}
}

func TestLockTimeoutEndsAWaitForAnotherTransaction(t *testing.T) {
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	impatient, err := Open(t.Context(), dsn, Options{LockTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = impatient.Close() }()
	mustUpdate(t, s, func(tx memory.Tx) error {
		if err := tx.Put(t.Context(), newEntry("a", "k"), doc("word")); err != nil {
			return err
		}
		err := impatient.Update(t.Context(), func(tx memory.Tx) error {
			return tx.Put(t.Context(), newEntry("a", "other"), doc("word"))
		})
		if !errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("error %v", err)
		}
		// The transaction can write to another store, which is not locked.
		return impatient.Update(t.Context(), func(tx memory.Tx) error {
			_, err := tx.Get(t.Context(), []uuid.UUID{uuid.Max})
			if err != nil {
				return err
			}
			return tx.Put(t.Context(), newEntry("b", "k"), doc("word"))
		})
	})
}
