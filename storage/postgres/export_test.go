package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// tables are all tables except those of change records, of the feed and of store numbers.
var tables = []string{"history", "entry", "tag", "word", "usage", "posting", "total", "model", "vector", "queue",
	"past", "permit", "permit_count", "participant", "session", "setting", "name", "meta", "replay", "reading",
	"offer", "account", "ledger", "charge", "bought", "metered_count", "claim"}

// DateChange implements storagetest.ChangeDater.
func (s *Storage) DateChange(ctx context.Context, position int64, at time.Time) error {
	_, err := s.pool.Exec(ctx, "UPDATE change SET at = $1 WHERE position = $2", at, position)
	return err
}

// Rows implements storagetest.RowCounter.
func (s *Storage) Rows(ctx context.Context) (map[string]int64, error) {
	counts := make(map[string]int64)
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: beginView})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	for _, table := range tables {
		var n int64
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()).Scan(&n); err != nil {
			return nil, err
		}
		counts[table] = n
	}
	return counts, nil
}
