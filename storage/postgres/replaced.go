package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// ErrReplaced means that another database now has the name of the one that was opened, that its
// tables were recreated, or that it lost commits.
var ErrReplaced = sqlcommon.ErrReplaced

// Continues returns ErrReplaced if the database was replaced. Call it regularly, and not
// concurrently, to detect that another state was restored into the database.
func (s *Storage) Continues(ctx context.Context) error {
	if s.past.Replaced() {
		return ErrReplaced
	}
	return s.view(ctx, func(r *readTx) error { return s.past.Follow(ctx, r.Reads, r.name) })
}

// admit refuses a new connection if its database does not continue the one that was opened.
// Checking new connections is enough: a restore ends all others.
func (s *Storage) admit(ctx context.Context, conn *pgx.Conn) error {
	if s.past.Replaced() {
		return ErrReplaced
	}
	tx, err := conn.BeginTx(ctx, s.viewQuery())
	if err != nil {
		return err
	}
	r := newReadTx(transaction{tx})
	err = s.past.Check(ctx, r.Reads, r.name)
	r.end()
	if ended := tx.Rollback(ctx); err == nil {
		err = ended
	}
	return err
}

// name returns the name of the database, which no other database has.
func (d *driver) name(ctx context.Context) (string, error) {
	var name *string
	if _, err := sqlcommon.One(ctx, d, []any{&name}, "server.database"); err != nil {
		return "", err
	}
	if name == nil {
		return "", fmt.Errorf("%w: postgres: the database has no tables, as while it is restored", memory.ErrUnavailable)
	}
	return *name, nil
}
