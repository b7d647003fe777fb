package postgres

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/storage/postgres/postgrestest"
)

// The conditions on single rows ({scope.is_within}) restrict them to the scope without row-level
// security, too.
func TestRowsWithinScope(t *testing.T) {
	s := openAt(t, postgrestest.Database(t))
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		ceilings := make(map[int64]acl.Label)
		var stores []acl.Access
		for range 1 + r.IntN(1+round) {
			number := 1 + r.Int64N(100)
			if _, known := ceilings[number]; !known {
				ceilings[number] = acl.Label(1 + r.IntN(int(acl.Restricted)))
				stores = append(stores, acl.Access{Number: number, Ceiling: ceilings[number]}) // in any order
			}
		}
		numbers, limits := scopeLists(stores)
		rows, err := s.pool.Query(t.Context(), `SELECT f.store, f.label, `+texts.Fill("{scope.ceiling}, coalesce({scope.is_within}")+`, false)
			FROM (SELECT n::bigint AS store, l::smallint AS label FROM generate_series(0, 102) n, generate_series(1, 4) l) f`, numbers, limits)
		must(t, err)
		var store int64
		var label int16
		var ceiling pgtype.Int2
		var within bool
		read, err := pgx.ForEachRow(rows, []any{&store, &label, &ceiling, &within}, func() error {
			want, known := ceilings[store]
			if ceiling.Valid != known || acl.Label(ceiling.Int16) != want || within != (acl.Label(label) <= want) {
				return fmt.Errorf("store %d, label %d: ceiling %v, within: %v; want %v", store, label, ceiling, within, want)
			}
			return nil
		})
		if must(t, err); read.RowsAffected() != 4*103 {
			t.Fatalf("%d rows", read.RowsAffected())
		}
	}
}
