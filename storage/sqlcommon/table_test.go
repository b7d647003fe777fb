package sqlcommon

import "testing"

func TestTableStatements(t *testing.T) {
	table := NewTable("t", "a, b", "a, b, ab, n")
	for _, test := range []struct{ got, want string }{
		{table.Select, "SELECT a, b, ab, n FROM t "},
		{table.Insert, "INSERT INTO t (a, b, ab, n) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"},
		{table.Upsert, "INSERT INTO t (a, b, ab, n) VALUES ($1, $2, $3, $4) ON CONFLICT (a, b) DO UPDATE SET ab = excluded.ab, n = excluded.n"},
		{table.Add, "INSERT INTO t (a, b, ab, n) VALUES ($1, $2, $3, $4) ON CONFLICT (a, b) DO UPDATE SET ab = t.ab + excluded.ab, n = t.n + excluded.n"},
	} {
		if test.got != test.want {
			t.Errorf("%s\nwant %s", test.got, test.want)
		}
	}
}
