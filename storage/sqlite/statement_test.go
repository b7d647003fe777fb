package sqlite

import "testing"

// Texts of package sqlcommon are PostgreSQL's, and mean the same in SQLite.
func TestTranslate(t *testing.T) {
	for _, test := range []struct{ from, to string }{
		{"WHERE a = $1 AND b = $12", "WHERE a = ?1 AND b = ?12"},
		{"x = ANY($2)", "x IN (SELECT value FROM json_each(?2))"},
		{"x = ANY ($2::bigint[])", "x IN (SELECT value FROM json_each(?2))"},
		{"x = ANY($2::uuid[])", "x IN (SELECT unhex(value) FROM json_each(?2))"},
		{"sum(c.amount)::bigint, $1::text", "sum(c.amount), ?1"},
		{"sum(cardinality(c.entries))", "sum(length(c.entries) / 16)"},
		{"date_trunc('day', c.at, 'UTC')", "c.at / 86400000000 * 86400000000"},
		{"SELECT 1 FROM a WHERE b = $1 FOR UPDATE", "SELECT 1 FROM a WHERE b = ?1"},
		{"FROM charge c /*sqlite INDEXED BY charge_store*/ WHERE", "FROM charge c  INDEXED BY charge_store WHERE"},
	} {
		if got := translate(test.from); got != test.to {
			t.Errorf("translate(%q) = %q, want %q", test.from, got, test.to)
		}
	}
}
