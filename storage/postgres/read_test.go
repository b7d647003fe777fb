package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/wait"
	"mneme/vector"
)

// The planner has no statistics for a table that was just filled, and after a few executions of
// a statement it uses a generic plan. It must not scan all rows of a store in either case.
func TestCandidatesAreReadByIndexWithoutStatistics(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		const rows, named, rounds = 3000, 200, 8
		s := openAt(t, database(t))
		var ids []uuid.UUID
		var chunks []vector.ChunkID
		mustUpdate(t, s, func(tx memory.Tx) error {
			ids, chunks = nil, nil
			for i := range rows {
				e := newEntry("s", fmt.Sprint("k", i))
				if i%(rows/named) == 0 {
					ids = append(ids, e.ID)
					chunks = append(chunks, vector.ChunkID{Entry: e.ID, Chunk: 1})
				}
				if err := tx.Put(t.Context(), e, doc("word")); err != nil {
					return err
				}
				records := []vector.Record{{Chunk: 0, Vector: vector.Half{1}}, {Chunk: 1, Vector: vector.Half{1}, Codes: []byte{1}}}
				if _, err := tx.(*writeTx).SaveVectors(t.Context(), e.ID, 1, "model", records); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			name            string
			entries, vector int64 // rows of the tables that are read for each candidate
			read            func(r *readTx, scope acl.Scope) (int, error)
		}{
			{"Siblings", 2, 0, func(r *readTx, scope acl.Scope) (int, error) { // twice: by ID and at its path
				entries, err := r.Siblings(t.Context(), scope, ids)
				return len(entries), err
			}},
			{"Evidence", 1, 2, func(r *readTx, scope acl.Scope) (n int, err error) {
				query := memory.EvidenceQuery{Fingerprints: [2]string{"model"}, Entries: ids}
				err = r.Evidence(t.Context(), scope, query, func(memory.Evidence) error { n++; return nil })
				return n / 2, err
			}},
			{"ChunkCodes", 1, 1, func(r *readTx, scope acl.Scope) (int, error) {
				codes, err := r.ChunkCodes(t.Context(), scope, "model", chunks)
				return len(slices.DeleteFunc(codes, func(c []byte) bool { return len(c) == 0 })), err
			}},
		} {
			t.Run(c.name, func(t *testing.T) {
				for round := range rounds {
					err := s.View(t.Context(), func(tx memory.ReadTx) error {
						scope, err := acl.NewScope(t.Context(), tx, acl.Principal{Agent: "s", Taint: acl.Public}, acl.ScopeRequest{}, time.Now())
						if err != nil {
							return err
						}
						entriesBefore, vectorsBefore := rowsRead(t, tx, "entry"), rowsRead(t, tx, "vector")
						if n, err := c.read(tx.(*readTx), scope); err != nil || n != named {
							return fmt.Errorf("%d candidates: %w", n, err)
						}
						if n := rowsRead(t, tx, "entry") - entriesBefore; n > c.entries*named {
							t.Errorf("round %d: %d entries were read for %d", round, n, named)
						}
						if n := rowsRead(t, tx, "vector") - vectorsBefore; n > c.vector*named {
							t.Errorf("round %d: %d vectors were read for %d", round, n, named)
						}
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	})
}

// Nearly all of a store's trash may belong to other owners. When PostgreSQL collected its
// statistics, all of it may have.
func TestTheTrashOfAnOwnerIsReadByItsIndex(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		const own = 3
		s := openAt(t, database(t))
		trash := func(owner string, rows int) {
			mustUpdate(t, s, func(tx memory.Tx) error {
				for i := range rows {
					e := newEntry("s", fmt.Sprint("k", i))
					e.Owner, e.DeletedAt, e.DeletedBy = owner, e.UpdatedAt, owner
					if err := tx.Put(t.Context(), e, lexical.Document{}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		check := func(statistics string) {
			t.Helper()
			err := s.View(t.Context(), func(tx memory.ReadTx) error {
				before := rowsRead(t, tx, "entry")
				found, err := tx.Trash(t.Context(), memory.TrashQuery{Store: "s", Label: acl.Public, Owner: "me", Limit: 100})
				if read := rowsRead(t, tx, "entry") - before; len(found) != own || read > own {
					t.Errorf("%s: %d entries were read for %d", statistics, read, len(found))
				}
				return err
			})
			must(t, err)
		}
		trash(strings.Repeat("another ", 20), 2000) // so that the index by owner is the larger one
		_, err := s.pool.Exec(t.Context(), "ANALYZE entry")
		must(t, err)
		trash("me", own)
		check("statistics of one owner")
		_, err = s.pool.Exec(t.Context(), "ANALYZE entry")
		must(t, err)
		check("statistics of both")
	})
}

// rowsRead returns the number of rows of a table and its partitions that a transaction has read
// so far.
func rowsRead(t *testing.T, tx memory.ReadTx, table string) (n int64) {
	t.Helper()
	err := tx.(*readTx).tx.(transaction).QueryRow(t.Context(),
		`SELECT coalesce(sum(idx_tup_fetch), 0)::bigint + coalesce(sum(seq_tup_read), 0)::bigint FROM pg_stat_xact_user_tables
		WHERE relid = $1::text::regclass OR relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::text::regclass)`, table).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A reader that does not fetch the rows of a statement keeps it running on the server, up to
// its timeout, unless the connection has buffer space for them.
func TestAReaderOfADumpMayPauseAtAnyFact(t *testing.T) {
	const rows = 60_000
	dsn := postgrestest.Database(t)
	observer, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer func() { _ = observer.Close(context.Background()) }()
	s := openAt(t, dsn)
	for table, values := range map[string]string{
		"name": "id, 'caller'", "setting": "id, TRUE, TRUE, TRUE, TRUE, 0, 0", "participant": "id, 'a'", "session": "id, 'a'",
		"permit": "id, 'a', 1, 1, NULL, 'a', FALSE, NULL, 0, 0, '', '', 1", "reading": "id, 1, TRUE, 0",
	} {
		_, err := s.pool.Exec(t.Context(), "INSERT INTO "+table+" SELECT "+values+" FROM (SELECT repeat('x', 100) || i FROM generate_series(1, $1) i) r (id)", rows)
		must(t, err)
	}
	kinds := make(map[string]int)
	must(t, s.View(t.Context(), func(tx memory.ReadTx) error {
		clear(kinds)
		return tx.Dump(t.Context(), func(r memory.DumpRecord) error {
			kind := factKind(r)
			if kinds[kind]++; kinds[kind] > 1 {
				return nil
			}
			wait.Until(t, "no statement runs while the reader pauses at a "+kind, func() error {
				var query string
				err := observer.QueryRow(t.Context(), `SELECT coalesce(max(query), '') FROM pg_stat_activity
					WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'`).Scan(&query)
				if err == nil && query != "" {
					err = errors.New(query)
				}
				return err
			})
			return nil
		})
	}))
	for kind, n := range kinds {
		if n != rows || len(kinds) != 6 {
			t.Errorf("%d records of %s, of %d kinds", n, kind, len(kinds))
		}
	}
}

func factKind(r memory.DumpRecord) string {
	switch {
	case r.Name != nil:
		return "name"
	case r.Settings != nil:
		return "setting"
	case r.Participant != nil:
		return "participant"
	case r.Session != nil:
		return "session"
	case r.Grant != nil:
		return "grant"
	case r.Reading != nil:
		return "reading"
	}
	return "record of another kind"
}
