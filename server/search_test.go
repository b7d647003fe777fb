package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// meter.SearchAPI decides whether a search buys. A surface that searched the service
// itself, or filled in a Purchase, would duplicate the decision.
func TestSurfacesSearchThroughTheMeterAlone(t *testing.T) {
	files := token.NewFileSet()
	searches := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".gen.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selected, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := selected.X.(*ast.SelectorExpr)
			switch name := selected.Sel.Name; {
			case name == "Purchase" || name == "Barred":
				t.Errorf("%s names %s", files.Position(n.Pos()), name)
			case name == "Search" && of != nil && of.Sel.Name == "market":
				searches++
			case name == "Search" && of != nil && (of.Sel.Name == "service" || of.Sel.Name == "searcher"):
				t.Errorf("%s searches without the meter", files.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil || searches < 4 {
		t.Errorf("%d searches, error %v", searches, err)
	}
}
