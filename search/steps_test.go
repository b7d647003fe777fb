package search_test

import (
	"encoding/json"
	"errors"
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
	"testing"
)

// The question of a search is a value: scope.go creates it, and no step of the search writes
// to it. Steps return their results.
func TestNoStepWritesToTheQuestion(t *testing.T) {
	p := loadSources(t)
	if got := p.writers("searchQuery", "wording"); !slices.Equal(got, []string{"scope.go"}) {
		t.Errorf("the question of a search is written to in %q", got)
	}
}

// An answer is complete when it is returned: only the steps that decide it write to it, and
// code that reads its values does not.
func TestAReturnedAnswerIsNotWrittenTo(t *testing.T) {
	p := loadSources(t)
	if got, want := p.writers("Answer"), []string{"recall.go", "sale.go", "search.go", "select.go"}; !slices.Equal(got, want) {
		t.Errorf("answers are written to in %q, want %q", got, want)
	}
}

// writers returns the files that write to values of some types.
func (p *sources) writers(types ...string) []string {
	files := make(map[string]bool)
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, target := range targetsOf(n) {
				if p.isOf(target, types...) {
					files[filepath.Base(p.fset.Position(target.Pos()).Filename)] = true
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(files))
}

// Three files decide what the caller's level on a store means. The other steps of a search use
// the limits that follow from it.
func TestLevelsAreUsedInThreeFiles(t *testing.T) {
	p := loadSources(t)
	files := make(map[string]bool)
	for name, used := range p.info.Uses {
		if isOfLevels(used) {
			files[filepath.Base(p.fset.Position(name.Pos()).Filename)] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(files)), []string{"admit.go", "level.go", "scope.go"}; !slices.Equal(got, want) {
		t.Errorf("levels are used in %q, want %q", got, want)
	}
}

// isOfLevels reports whether an object is a level, or a function or field that gives one: the
// level of an access, whether it suffices, or the limits that follow from it.
func isOfLevels(used types.Object) bool {
	if used.Pkg() == nil {
		return false
	}
	switch used := used.(type) {
	case *types.Const:
		named, ok := used.Type().(*types.Named)
		return ok && named.Obj().Name() == "Level" && named.Obj().Pkg().Path() == "mneme/acl"
	case *types.Var:
		return used.Pkg().Path() == "mneme/acl" && used.Name() == "Level"
	case *types.Func:
		looks := map[string][]string{"mneme/acl": {"Require"}, "mneme/search": {"searchOnly", "readable", "limitsOf"}}
		return slices.Contains(looks[used.Pkg().Path()], used.Name())
	}
	return false
}

// targetsOf returns the operands that a statement assigns to.
func targetsOf(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return slices.DeleteFunc([]ast.Expr{n.Key, n.Value}, func(e ast.Expr) bool { return e == nil })
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, f.Name) {
			return n.Args[:1]
		}
	}
	return nil
}

// sources are the type-checked files of package search, without its tests.
type sources struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

func loadSources(t *testing.T) *sources {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-json=ImportPath,Export,GoFiles", ".")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	must(&harness{t: t}, errors.Join(err, list.Start()))
	p := &sources{fset: token.NewFileSet(), info: &types.Info{
		Selections: make(map[*ast.SelectorExpr]*types.Selection), Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object),
	}}
	exports := make(map[string]string)
	var names []string
	for decoder := json.NewDecoder(out); ; {
		var dep struct {
			ImportPath, Export string
			GoFiles            []string
		}
		if err := decoder.Decode(&dep); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[dep.ImportPath] = dep.Export
		names = dep.GoFiles // this package comes last
	}
	must(&harness{t: t}, list.Wait())
	for _, name := range names {
		file, err := parser.ParseFile(p.fset, name, nil, 0)
		must(&harness{t: t}, err)
		p.files = append(p.files, file)
	}
	imports := importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	_, err = (&types.Config{Importer: imports}).Check("mneme/search", p.fset, p.files, p.info)
	must(&harness{t: t}, err)
	return p
}

// isOf reports whether an expression is a value of one of the named types, or a part of one.
func (p *sources) isOf(e ast.Expr, names ...string) bool {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return p.isOf(x.X, names...)
	case *ast.IndexExpr:
		return p.isOf(x.X, names...)
	case *ast.StarExpr:
		return p.isNamed(p.info.TypeOf(x), names) || p.isOf(x.X, names...)
	case *ast.SelectorExpr:
		of := p.info.Selections[x]
		return of != nil && (p.isNamed(of.Recv(), names) || p.isOf(x.X, names...))
	}
	return false
}

// isNamed reports whether a type, or the type that it points to, is a type of this package with
// one of the names.
func (p *sources) isNamed(t types.Type, names []string) bool {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "mneme/search" && slices.Contains(names, named.Obj().Name())
}
