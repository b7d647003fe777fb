package postgres

import (
	"bytes"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/vector"
)

// protected are the tables that contain text or terms of memories, or list the memories that
// wait for their vectors.
var protected = []string{"entry", "history", "posting", "tag", "word", "queue"}

// putSamples puts two versions of a tagged entry into each of two stores at
// each of two labels, and returns the numbers of the stores.
func putSamples(t *testing.T, s *Storage) map[string]int64 {
	t.Helper()
	mustUpdate(t, s, func(tx memory.Tx) error {
		for _, store := range []string{"a", "b"} {
			for _, label := range []acl.Label{acl.Public, acl.Confidential} {
				e := newEntry(store, "k")
				e.Label, e.Tags = label, []string{"t"}
				for range 2 {
					if err := tx.Put(t.Context(), e, doc("word")); err != nil {
						return err
					}
					e.Version, e.Revision = e.Version+1, e.Revision+1
				}
			}
		}
		return nil
	})
	var numbers map[string]int64
	err := s.View(t.Context(), func(tx memory.ReadTx) (err error) {
		known, err := tx.StoreFacts(t.Context(), []string{"a", "b"})
		numbers = map[string]int64{"a": known["a"].Number, "b": known["b"].Number}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

func TestRLSRestrictsStatementsWithoutScopeConditions(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		numbers := putSamples(t, s)
		cases := map[string]struct {
			set  func(r *readTx)
			want int
		}{
			"one store":        {func(r *readTx) { r.setRLSStore("a") }, 2},
			"an unknown store": {func(r *readTx) { r.setRLSStore("none") }, 0},
			"a scope":          {func(r *readTx) { r.setRLSScope([]acl.Access{{Number: numbers["b"], Ceiling: acl.Internal}}) }, 1},
			"a scope of both stores": {func(r *readTx) {
				r.setRLSScope([]acl.Access{{Number: numbers["a"], Ceiling: acl.Public}, {Number: numbers["b"], Ceiling: acl.Restricted}})
			}, 3},
			"an empty scope": {func(r *readTx) { r.setRLSScope(nil) }, 0},
			"all rows":       {func(*readTx) {}, 4},
			"all rows again": {func(r *readTx) { r.setRLSStore("a"); r.setRLSAll() }, 4},
		}
		for name, c := range cases {
			for _, table := range protected {
				err := s.View(t.Context(), func(tx memory.ReadTx) error {
					r := tx.(*readTx)
					c.set(r)
					var n int
					_, err := r.one(t.Context(), []any{&n}, "SELECT count(*) FROM "+table)
					if n != c.want {
						t.Errorf("%s: %d rows of %s, want %d", name, n, table, c.want)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestAConnectionWithoutAScopeSeesNothing(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		putSamples(t, s)
		for _, table := range protected {
			var n int
			if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
				t.Errorf("%d rows of %s: %v", n, table, err)
			}
			if tag, err := s.pool.Exec(t.Context(), "DELETE FROM "+table); err != nil || tag.RowsAffected() != 0 {
				t.Errorf("%d rows of %s deleted: %v", tag.RowsAffected(), table, err)
			}
		}
	})
}

func TestTheReadsOfASearchSetTheirRLSScope(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		numbers := putSamples(t, s)
		facts := acltest.Facts{
			Numbers: numbers, AgentSettings: map[string]acl.Settings{"reader": {Enabled: true}},
			GrantList: []acl.Grant{{Store: "a", Grantee: "reader", Level: acl.Search, MaxLabel: acl.Internal, Label: acl.Public, Accepted: acl.Public, ByPlatform: true}},
		}
		scope := facts.Scope(t, acl.Principal{Agent: "reader", Taint: acl.Restricted}, acl.ScopeRequest{})
		for name, read := range map[string]func(r *readTx) error{
			"Lexical": func(r *readTx) error {
				_, _, err := r.Lexical(t.Context(), scope, memory.LexicalQuery{Terms: []lexical.QueryTerm{{Text: "word", Weight: 1}}, Limit: 1, Now: time.Now()})
				return err
			},
			"Siblings": func(r *readTx) error {
				_, err := r.Siblings(t.Context(), scope, []uuid.UUID{uuid.Max})
				return err
			},
			"Evidence": func(r *readTx) error {
				return r.Evidence(t.Context(), scope, memory.EvidenceQuery{Entries: []uuid.UUID{uuid.Max}}, func(memory.Evidence) error { return nil })
			},
			"ChunkCodes": func(r *readTx) error {
				_, err := r.ChunkCodes(t.Context(), scope, "model", []vector.ChunkID{{Entry: uuid.Max}})
				return err
			},
			"Lagging": func(r *readTx) error {
				_, err := r.WaitingIn(t.Context(), scope, time.Now().Add(time.Hour), time.Now())
				return err
			},
			"Matching": func(r *readTx) error {
				_, _, err := r.Matching(t.Context(), scope, memory.Filter{}, nil, 10)
				return err
			},
			"At": func(r *readTx) error {
				_, err := r.At(t.Context(), memory.Path{Store: "a", Key: "k"}.At(acl.Restricted))
				return err
			},
			"Scan": func(r *readTx) error {
				_, err := r.Scan(t.Context(), memory.ScanQuery{Store: "a", Ceiling: acl.Public, Limit: 1})
				return err
			},
			"Trash": func(r *readTx) error {
				_, err := r.Trash(t.Context(), memory.TrashQuery{Store: "a", Label: acl.Public, Limit: 1})
				return err
			},
		} {
			err := s.View(t.Context(), func(tx memory.ReadTx) error {
				r := tx.(*readTx)
				if err := read(r); err != nil {
					return err
				}
				// The scope that the method has set is still in effect, so no row of another
				// store is visible.
				var n int
				_, err := r.one(t.Context(), []any{&n}, "SELECT count(*) FROM entry WHERE store <> $1", numbers["a"])
				if n != 0 {
					t.Errorf("%s could see %d rows of another store", name, n)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestARoleExemptFromRLSIsLogged(t *testing.T) {
	dsn := postgrestest.Database(t)
	var log bytes.Buffer
	s, err := Open(t.Context(), dsn, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if log.Len() > 0 {
		t.Errorf("an ordinary role: %s", &log)
	}
	server, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := server.User.Username()
	postgrestest.Administer(t, postgrestest.DSN(t), "ALTER ROLE "+name+" BYPASSRLS")
	if s, err = Open(t.Context(), dsn, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if !strings.Contains(log.String(), "row-level security") {
		t.Error("no warning about a role that is exempt from row-level security")
	}
}
