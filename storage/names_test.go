package storage_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mneme/storage/sqltext"
)

// shared is the folder of the statements that both storages run.
const shared = "sqlcommon"

// statementsOf loads the statements of a storage, by its folder.
func statementsOf(t *testing.T, folder string) sqltext.Set {
	t.Helper()
	set, err := sqltext.Load(sqltext.Folder{Path: shared, Files: os.DirFS(shared)}, sqltext.Folder{Path: folder, Files: os.DirFS(folder)})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The first part of a name has at least three letters, unlike that of a column, such as s.id.
var (
	statementName = regexp.MustCompile(`^[a-z]{3,}\.[a-z_]+$`)
	fragmentName  = regexp.MustCompile(`\{[a-z]{3,}\.[a-z_]+\}`)
)

// namesIn returns the names of statements, and of fragments in braces, in the Go files of a
// folder, with their positions.
func namesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	names := make(map[string]string)
	for text, place := range stringsIn(t, folder) {
		// Names that begin with mneme are those of PostgreSQL settings, and with excluded, of
		// columns.
		if statementName.MatchString(text) && !strings.HasPrefix(text, "mneme.") && !strings.HasPrefix(text, "excluded.") {
			names[text] = place
		}
		for _, name := range fragmentName.FindAllString(text, -1) {
			names[name] = place
		}
	}
	return names
}

// stringsIn returns the strings in the Go files of a folder, with their positions.
func stringsIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found, positions := make(map[string]string), token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(positions, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					found[text] = positions.Position(literal.Pos()).String()
				}
			}
			return true
		})
	}
	return found
}

func TestNamesAreThoseOfStatements(t *testing.T) {
	common := namesIn(t, shared)
	for _, folder := range []string{"sqlite", "postgres"} {
		set, own := statementsOf(t, folder), namesIn(t, folder)
		for _, names := range []map[string]string{common, own} {
			for name, place := range names {
				if set.Statements[name] == nil && !strings.HasPrefix(name, "{") { // Fill panics if it lacks a fragment
					t.Errorf("%s: %s has no statement %s", place, folder, name)
				}
			}
		}
		for name, s := range set.Statements {
			if common[name] == "" && own[name] == "" {
				t.Errorf("%s: nobody runs %s in %s", s.File, name, folder)
			}
		}
		for name, f := range set.Fragments {
			if !f.Included && own["{"+name+"}"] == "" {
				t.Errorf("%s: nobody includes %s in %s", f.File, name, folder)
			}
		}
	}
}

var (
	numbered = regexp.MustCompile(`[$?][0-9]`)
	listed   = regexp.MustCompile(`\$([0-9]+) … \$([0-9]+)`)
)

func TestStatementCommentsNameTheirParameters(t *testing.T) {
	for _, folder := range []string{"sqlite", "postgres"} {
		for name, s := range statementsOf(t, folder).Statements {
			if !strings.HasPrefix(s.Head, "-- ") {
				t.Errorf("%s does not say what it is about", s.File)
			}
			if strings.Contains(s.Text, "?") && (!strings.HasPrefix(s.File, "sqlite/") || numbered.MatchString(s.Text)) {
				t.Errorf("%s: %s has ? beside numbers, or for PostgreSQL", s.File, name)
			}
			numbers := sqltext.Parameters(s.Text)
			comment := strings.ReplaceAll(s.Head+"\n"+s.Comment, "\n-- ", " ")
			explained := sqltext.Parameters(comment)
			for _, list := range listed.FindAllStringSubmatch(comment, -1) {
				first, _ := strconv.Atoi(list[1]) // of digits
				last, _ := strconv.Atoi(list[2])
				for n := first; n <= last; n++ {
					explained = append(explained, n)
				}
			}
			for i, n := range numbers {
				if n != i+1 {
					t.Errorf("%s: %s has no $%d", s.File, name, i+1)
					break
				}
				if !slices.Contains(explained, n) {
					t.Errorf("%s: %s does not say what $%d is", s.File, name, n)
				}
			}
		}
	}
}

func TestSharedStatementsAreWrittenOnce(t *testing.T) {
	postgres := statementsOf(t, "postgres")
	for name, s := range statementsOf(t, "sqlite").Statements {
		if p := postgres.Statements[name]; p != nil && p.File != s.File && p.Text == s.Text {
			t.Errorf("%s and %s have the same %s", s.File, p.File, name)
		}
	}
}

// The storages do not translate SQL: each text in Go is in the SQL of the database that runs it.
func TestTextsInGoAreOfTheirDatabase(t *testing.T) {
	for folder, foreign := range map[string]*regexp.Regexp{
		shared:   regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH) `), // both databases run it, so it belongs in a file
		"sqlite": regexp.MustCompile(`::[a-z]|\bANY ?\(|\bFOR UPDATE\b|/\*sqlite`),
	} {
		texts := stringsIn(t, folder)
		if len(texts) == 0 {
			t.Errorf("%s has no strings", folder)
		}
		for text, place := range texts {
			if found := foreign.FindString(text); found != "" {
				t.Errorf("%s: a text in Go has %q", place, found)
			}
		}
	}
}
