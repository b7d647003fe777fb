package postgres

import (
	"testing"

	"mneme/storage/postgres/postgrestest"
)

func TestSchemasAreReadWithoutMakingThem(t *testing.T) {
	dsn := postgrestest.Database(t)
	for range 2 {
		if version, newest, err := ReadSchema(t.Context(), dsn); err != nil || version != 0 || newest < 2 {
			t.Errorf("before: %d of %d, %v", version, newest, err)
		}
	}
	s := openAt(t, dsn)
	defer func() { _ = s.Close() }()
	for _, dsn := range []string{dsn, dsn + "&pool_max_conns=8"} { // for the pool, not the server
		if version, newest, err := ReadSchema(t.Context(), dsn); err != nil || version != newest {
			t.Errorf("after: %d of %d, %v", version, newest, err)
		}
	}
}
