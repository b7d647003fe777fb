package sqlite

import (
	"context"
	"time"

	"mneme/storage/storagetest"
)

var (
	_ storagetest.RowCounter  = (*Storage)(nil)
	_ storagetest.ChangeDater = (*Storage)(nil)
)

// DateChange implements storagetest.ChangeDater.
func (s *Storage) DateChange(ctx context.Context, position int64, at time.Time) error {
	return s.update(ctx, func(w *writeTx) error {
		_, err := w.exec(ctx, "UPDATE change SET at = ? WHERE position = ?", micros(at), position)
		return err
	})
}

// Rows implements storagetest.RowCounter.
func (s *Storage) Rows(ctx context.Context) (map[string]int64, error) {
	rows := make(map[string]int64)
	err := s.readers.with(ctx, func(c *session) error {
		tables, err := c.conn.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table'
			AND name NOT IN ('store', 'change', 'feed', 'feed_head', 'goose_db_version', 'word') AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'word\_%' ESCAPE '\'`)
		if err != nil {
			return err
		}
		defer tables.Close()
		var names []string
		for tables.Next() {
			var name string
			if err := tables.Scan(&name); err != nil {
				return err
			}
			names = append(names, name)
		}
		if err := tables.Err(); err != nil {
			return err
		}
		for _, name := range names {
			var n int64
			if err := c.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+name).Scan(&n); err != nil {
				return err
			}
			rows[name] = n
		}
		var terms int64 // left in the full-text index
		if _, err := c.conn.ExecContext(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_term USING fts5vocab(main, word, row)"); err != nil {
			return err
		}
		if err := c.conn.QueryRowContext(ctx, "SELECT count(*) FROM temp.word_term").Scan(&terms); err != nil {
			return err
		}
		rows["word"] = terms
		return nil
	})
	return rows, err
}
