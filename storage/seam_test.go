package storage_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of the seam to docs/architecture.md")

// maxMethods is the maximum number of methods of each interface of which the storages'
// transactions consist: see docs/decisions/0094-seam-by-names.md.
const maxMethods = 12

// users are the packages that use the storages' transactions.
var users = []string{"memory", "search", "indexer", "meter"}

// seam holds the interfaces of which the storages' transactions consist.
type seam struct {
	interfaces []*seamInterface
	byName     map[string]*seamInterface
}

type seamInterface struct {
	name    string // with its package
	file    string // path from the root
	methods int    // including embedded interfaces
	own     []string
	usedBy  map[string]bool
	called  map[string]bool // of own
}

// add adds the interfaces embedded in an interface, recursively.
func (s *seam) add(of *types.Interface, place func(token.Pos) string) {
	for embedded := range of.EmbeddedTypes() {
		named, ok := embedded.(*types.Named)
		if !ok {
			continue
		}
		under := named.Underlying().(*types.Interface)
		obj := named.Obj()
		name := obj.Pkg().Name() + "." + obj.Name()
		if s.byName[name] != nil || obj.Name() == "ReadTx" || obj.Name() == "Tx" {
			continue
		}
		i := &seamInterface{name: name, file: place(obj.Pos()), methods: under.NumMethods(), usedBy: make(map[string]bool), called: make(map[string]bool)}
		for m := range under.ExplicitMethods() {
			i.own = append(i.own, m.Name())
		}
		s.interfaces, s.byName[name] = append(s.interfaces, i), i
		s.add(under, place)
	}
}

// loader type-checks the packages in users.
type loader struct {
	root     string
	fset     *token.FileSet
	exports  map[string]string // files with the types of packages, by path
	packages map[string]*types.Package
	parsed   map[string][]*ast.File
	calls    map[string][]*types.Selection // by package
}

func newLoader(t *testing.T) *loader {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	l := &loader{root, token.NewFileSet(), make(map[string]string),
		make(map[string]*types.Package), make(map[string][]*ast.File), make(map[string][]*types.Selection)}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles", "./memory", "./search", "./indexer", "./meter")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(l.exports[path]) })
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return l
		} else if err != nil {
			t.Fatal(err)
		}
		l.exports[p.ImportPath] = p.Export // imported packages come first
		path, ok := strings.CutPrefix(p.ImportPath, "mneme/")
		room, _, _ := strings.Cut(path, "/")
		if !ok || room != "acl" && !slices.Contains(users, room) {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			l.parsed[path] = append(l.parsed[path], file)
		}
		info := &types.Info{Selections: make(map[*ast.SelectorExpr]*types.Selection)}
		l.packages[path], err = (&types.Config{Importer: imports}).Check(p.ImportPath, l.fset, l.parsed[path], info)
		if err != nil {
			t.Fatal(err)
		}
		l.calls[room] = slices.AppendSeq(l.calls[room], maps.Values(info.Selections))
	}
}

// place returns the file of a position, relative to the root. Files built with -trimpath begin
// with the module's path.
func (l *loader) place(pos token.Pos) string {
	name := l.fset.Position(pos).Filename
	if file, err := filepath.Rel(l.root, name); err == nil {
		return filepath.ToSlash(file)
	}
	_, file, _ := strings.Cut(name, "/")
	return file
}

// transaction returns a package's ReadTx or Tx.
func (l *loader) transaction(t *testing.T, room, name string) *types.Interface {
	t.Helper()
	obj := l.packages[room].Scope().Lookup(name)
	if obj == nil {
		t.Fatalf("%s has no %s", room, name)
	}
	return obj.Type().Underlying().(*types.Interface)
}

// loadSeam returns the interfaces, and which packages call their methods.
func loadSeam(t *testing.T, l *loader) *seam {
	t.Helper()
	s := &seam{byName: make(map[string]*seamInterface)}
	for _, room := range []string{"memory", "indexer", "meter"} {
		for _, name := range []string{"ReadTx", "Tx"} {
			tx := l.transaction(t, room, name)
			if own := tx.NumExplicitMethods(); own > 0 {
				t.Errorf("%s.%s has %d methods that no interface names", room, name, own)
			}
			s.add(tx, l.place)
		}
	}
	for _, room := range users {
		for _, call := range l.calls[room] {
			method, ok := call.Obj().(*types.Func)
			if !ok {
				continue
			}
			of, ok := method.Signature().Recv().Type().(*types.Named)
			if !ok || of.Obj().Pkg() == nil { // error has none
				continue
			}
			if i := s.byName[of.Obj().Pkg().Name()+"."+of.Obj().Name()]; i != nil {
				i.usedBy[room], i.called[method.Name()] = true, true
			}
		}
	}
	return s
}

func TestTheSeamHasSmallInterfacesWhoseMethodsAreUsed(t *testing.T) {
	l := newLoader(t)
	for _, i := range loadSeam(t, l).interfaces {
		if i.methods > maxMethods {
			t.Errorf("%s has %d methods, at most %d are allowed", i.name, i.methods, maxMethods)
		}
		for _, method := range i.own {
			if !i.called[method] {
				t.Errorf("%s.%s is not called", i.name, method)
			}
		}
	}
}

func TestEveryMethodOfTheSeamHasItsContract(t *testing.T) {
	l := newLoader(t)
	known := loadSeam(t, l).byName
	for path, files := range l.parsed {
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				of, ok := spec.Type.(*ast.InterfaceType)
				if !ok {
					return true
				}
				name := file.Name.Name + "." + spec.Name.Name
				for _, m := range of.Methods.List {
					if _, ok := m.Type.(*ast.FuncType); ok && known[name] != nil && m.Doc == nil {
						t.Errorf("%s.%s has no comment", name, m.Names[0].Name)
					}
					if path == "memory" || path == "indexer" || path == "meter" {
						checkMethod(t, l, m)
					}
				}
				return true
			})
		}
	}
}

// checkMethod refuses a marker method, which makes a type one of a closed set: with a marker, a
// caller learns only at run time which types are unsupported; with a method, from the compiler.
func checkMethod(t *testing.T, l *loader, m *ast.Field) {
	t.Helper()
	signature, ok := m.Type.(*ast.FuncType)
	if ok && !m.Names[0].IsExported() && signature.Params.NumFields() == 0 && signature.Results.NumFields() == 0 {
		t.Errorf("%s: %s is a marker method: have a method for each type instead", l.place(m.Pos()), m.Names[0].Name)
	}
}

func TestTheTableOfTheSeamIsCurrent(t *testing.T) {
	const begin, end = "<!-- seam: go test ./storage -run Seam -update -->\n\n", "\n<!-- /seam -->"
	var table strings.Builder
	table.WriteString("| interface | methods |")
	for _, room := range users {
		fmt.Fprintf(&table, " %s |", room)
	}
	table.WriteString("\n|---|---|" + strings.Repeat("---|", len(users)) + "\n")
	for _, i := range loadSeam(t, newLoader(t)).interfaces {
		if len(i.own) == 0 {
			continue // it joins others
		}
		fmt.Fprintf(&table, "| [%s](../%s) | %d |", i.name, i.file, i.methods)
		for _, room := range users {
			fmt.Fprintf(&table, " %s |", map[bool]string{true: "•"}[i.usedBy[room]])
		}
		table.WriteString("\n")
	}
	name := filepath.Join("..", "docs", "architecture.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := bytes.Cut(text, []byte(begin))
	was, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		t.Fatalf("%s has no table of the seam", name)
	}
	if string(was) == table.String() {
		return
	}
	if !*update {
		t.Fatalf("the table of the seam in %s is out of date: go test ./storage -run Seam -update", name)
	}
	if err := os.WriteFile(name, slices.Concat(before, []byte(begin), []byte(table.String()), []byte(end), after), 0o644); err != nil {
		t.Fatal(err)
	}
}
