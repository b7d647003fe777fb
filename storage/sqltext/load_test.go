package sqltext_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mneme/storage/sqltext"
)

// load loads files by name, from two folders: those whose names begin with a/ and b/.
func load(files map[string]string) (sqltext.Set, error) {
	folders := map[string]fstest.MapFS{"a": {}, "b": {}}
	for path, text := range files {
		folder, name, _ := strings.Cut(path, "/")
		folders[folder]["sql/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return sqltext.Load(sqltext.Folder{Path: "storage/a", Files: folders["a"]}, sqltext.Folder{Path: "storage/b", Files: folders["b"]})
}

func TestLoad(t *testing.T) {
	set, err := load(map[string]string{
		"a/queue.sql": `-- The queue.

-- queue.renew moves the end of entry $2 to $1,
-- if it is leased.
UPDATE queue SET until = $1
	-- Unless it was queued again.
	WHERE {queue.leased};

-- queue.all selects all rows.
SELECT {entry.columns} FROM queue;
`,
		"b/queue.sql": "-- Conditions.\n\n-- {queue.leased} is that a row is leased.\n{queue.of} AND until > 0\n\n-- {queue.of} is that it is of $2.\nentry = $2\n",
		"b/entry.sql": "-- Entries.\n\n-- {entry.columns} are those of an entry.\nid, key\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	renew := *set.Statements["queue.renew"]
	want := sqltext.Statement{
		Name: "queue.renew", File: "storage/a/sql/queue.sql", Head: "-- The queue.",
		Comment: "-- queue.renew moves the end of entry $2 to $1,\n-- if it is leased.\n", Text: "UPDATE queue SET until = $1\n\tWHERE entry = $2 AND until > 0",
	}
	if renew != want {
		t.Errorf("got %+v\nwant %+v", renew, want)
	}
	for name, want := range map[string]string{"queue.all": "SELECT id, key FROM queue", "SELECT 1": "SELECT 1"} {
		if got := set.Text(name); got != want {
			t.Errorf("the text of %s is %q, want %q", name, got, want)
		}
	}
	if got, want := set.Fill("({queue.of})"), "(entry = $2)"; got != want {
		t.Errorf("the fragment is %q, want %q", got, want)
	}
	if len(set.Statements) != 2 {
		t.Errorf("%d statements, want 2", len(set.Statements))
	}
}

func TestTextRefusesUnknownNames(t *testing.T) {
	set, err := load(map[string]string{"a/queue.sql": "-- The queue.\n\n-- queue.all selects all rows.\nSELECT 1 FROM queue;\n"})
	if err != nil {
		t.Fatal(err)
	}
	for query, refused := range map[string]bool{
		"queue.missing": true, "queue.all": false, "COMMIT": false, "SELECT q.id FROM queue q": false,
	} {
		func() {
			defer func() {
				if got := recover() != nil; got != refused {
					t.Errorf("%q is refused: %v, want %v", query, got, refused)
				}
			}()
			set.Text(query)
		}()
	}
}

func TestLoadRefuses(t *testing.T) {
	const head, good = "-- A.\n\n", "-- a.b is good.\nSELECT 1;\n"
	for want, files := range map[string]map[string]string{
		"storage/b/sql/a.sql: a.b is also in storage/a/sql/a.sql":                      {"a/a.sql": head + good, "b/a.sql": head + good},
		"storage/a/sql/a.sql: a.b is also in storage/a/sql/a.sql":                      {"a/a.sql": head + good + "\n" + good},
		`storage/a/sql/b.sql: the name "a.b" does not begin with the name of its file`: {"a/b.sql": head + good},
		`storage/a/sql/a.sql: the name "" does not begin with the name of its file`:    {"a/a.sql": head + good + "\nSELECT 2;\n"},
		`storage/a/sql/c.sql: the name "" does not begin with the name of its file`:    {"a/c.sql": head},
		"storage/a/sql/a.sql: a.b is not one statement that ends with a semicolon":     {"a/a.sql": head + "-- a.b has none.\nSELECT 1\n"},
		"storage/a/sql/a.sql: a.c is not one statement that ends with a semicolon":     {"a/a.sql": head + "-- a.c is two.\nSELECT 1; SELECT 2;\n"},
		"storage/a/sql/a.sql: a.b: {a.c} is not a fragment, or includes itself":        {"a/a.sql": head + "-- a.b is open.\nSELECT {a.c};\n"},
		"storage/a/sql/a.sql: a.d: {a.e} is not a fragment, or includes itself":        {"a/a.sql": head + "-- a.d turns.\nSELECT {a.e};\n\n-- {a.e} is a circle.\n{a.e}\n"},
	} {
		if _, err := load(files); err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestParameters(t *testing.T) {
	got := sqltext.Parameters("SELECT $2, $1, '$', $12 FROM a WHERE b = $2")
	if want := []int{1, 2, 12}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := sqltext.Parameters("SELECT ?, ?"), []int{1, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
