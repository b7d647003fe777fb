package postgres

import (
	"testing"

	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqltext"
)

func TestEachStatementIsPrepared(t *testing.T) {
	s := openAt(t, postgrestest.Database(t))
	conn, err := s.pool.Acquire(t.Context())
	must(t, err)
	defer conn.Release()
	for name, statement := range texts.Statements {
		prepared, err := conn.Conn().Prepare(t.Context(), name, statement.Text)
		if err != nil {
			t.Errorf("%s: %s: %v", statement.File, name, err)
			continue
		}
		if got, want := len(prepared.ParamOIDs), len(sqltext.Parameters(statement.Text)); got != want {
			t.Errorf("%s: %s: %d parameters, want %d", statement.File, name, got, want)
		}
	}
}
