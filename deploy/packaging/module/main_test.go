package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mneme/test/size"
)

func TestThePathIsReplacedWhereItNamesAPackage(t *testing.T) {
	root := t.TempDir()
	for _, room := range []string{"memory", "clients", "cmd"} {
		if err := os.Mkdir(filepath.Join(root, room), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r, err := newRules(root, "mneme", "example.com/o.w/mneme")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, text, want string }{
		{"a.go", `import "mneme/memory"`, `import "example.com/o.w/mneme/memory"`},
		{"a.go", `import client "mneme/clients/go"`, `import client "example.com/o.w/mneme/clients/go"`},
		{"a.go", `"go", "build", "mneme/cmd/mneme"`, `"go", "build", "example.com/o.w/mneme/cmd/mneme"`},
		{"a.go", `"cmd/mneme/memory", "mneme/memories", "/etc/mneme/cmd", "mneme"`, ""},
		{"a.md", "go get mneme/clients/go, of mneme", "go get example.com/o.w/mneme/clients/go, of mneme"},
		{"a.md", "module mneme", ""},
		{"go.mod", "module mneme\n\nreplace mneme/clients/go => ./clients/go", "module example.com/o.w/mneme\n\nreplace example.com/o.w/mneme/clients/go => ./clients/go"},
		{"go.mod", "module mneme/chart", "module example.com/o.w/mneme/chart"},
		{".golangci.yml", "{pkg: mneme, desc: mneme}", "{pkg: example.com/o.w/mneme, desc: mneme}"},
		{".golangci.yml", "local-prefixes: [mneme]", "local-prefixes: [example.com/o.w/mneme]"},
		{".golangci.yml", "path: (access|mneme)test/ '^(mneme/memory)'", "path: (access|mneme)test/ '^(example.com/o.w/mneme/memory)'"},
	} {
		if c.want == "" {
			c.want = c.text
		}
		if got := string(r.text(c.file, []byte(c.text))); got != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.file, c.text, got, c.want)
		}
	}
}

func TestPathsOfOtherThingsAreRefused(t *testing.T) {
	for _, path := range []string{"", "/usr/bin:/bin", "example.com/", "/mneme", "example.com/../mneme", "a b", `a"b`} {
		if _, err := rename(t.TempDir(), path); err == nil || !strings.Contains(err.Error(), "path of a module") {
			t.Errorf("%q: got %v", path, err)
		}
	}
}

// A copy of this repository gets another module path, and then its own again. The CI step
// module-path builds such a copy, too.
func TestThisRepositoryIsRenamedAndBack(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	path := string(moduleLine.FindSubmatch(mod)[1])
	root := t.TempDir()
	files := copyRepository(t, root)
	const other = "example.org/someone/memories"
	if changed, err := rename(root, other); err != nil || changed < 100 {
		t.Fatalf("%d files changed, %v", changed, err)
	}
	for name := range files {
		if filepath.Ext(name) == ".go" {
			checkImports(t, filepath.Join(root, name), path)
		}
	}
	if _, err := rename(root, path); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what it was: %v", name, err)
		}
	}
}

// checkImports fails if a file imports a package of the module.
func checkImports(t *testing.T, name, module string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, imported := range file.Imports {
		if path, _ := strconv.Unquote(imported.Path.Value); strings.HasPrefix(path, module+"/") {
			t.Errorf("%s imports %s", name, path)
		}
	}
}

// copyRepository copies the repository's files up to a megabyte each, and in a small run
// one file in four, but all folders. It returns the contents.
func copyRepository(t *testing.T, to string) map[string][]byte {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-coz", "--exclude-standard")
	list.Dir = "../../.."
	names, err := list.Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	files := make(map[string][]byte)
	for n, name := range strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 }) {
		from := filepath.Join("../../..", name)
		info, err := os.Lstat(from)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue // deleted, a link, or weights
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if n%size.Of(4, 1) > 0 && name != "go.mod" {
			continue
		}
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), content, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		files[name] = content
	}
	return files
}
