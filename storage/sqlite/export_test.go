package sqlite

import (
	"context"

	"mneme/storage/storagetest"
)

var _ storagetest.RowCounter = (*Storage)(nil)

// Rows implements storagetest.RowCounter.
func (s *Storage) Rows(ctx context.Context) (map[string]int64, error) {
	rows := make(map[string]int64)
	err := s.readers.with(ctx, func(c *session) error {
		tables, err := c.conn.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table'
			AND name NOT IN ('store', 'change', 'goose_db_version') AND name NOT LIKE 'sqlite%'`)
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
		return nil
	})
	return rows, err
}
