package docs_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// readGo reads a Go file's declarations, and its words outside comments.
func (c *codebase) readGo(path string, file *ast.File) {
	inPackage := c.packages[file.Name.Name]
	if inPackage == nil {
		inPackage = make(map[string]bool)
		c.packages[file.Name.Name] = inPackage
	}
	c.declared[file.Name.Name] = true
	for _, spec := range file.Imports {
		of, _ := strconv.Unquote(spec.Path.Value)
		c.imported[of[strings.LastIndex(of, "/")+1:]] = true
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			c.declared[d.Name.Name] = true
			if d.Recv == nil {
				inPackage[d.Name.Name] = true
			} else {
				c.member(typeName(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						inPackage[name.Name], c.declared[name.Name] = true, true
					}
				case *ast.TypeSpec:
					inPackage[s.Name.Name], c.declared[s.Name.Name] = true, true
					c.member(s.Name.Name, "")
					c.readType(s.Name.Name, s.Type)
				}
			}
		}
	}
	inCommand := strings.Contains(filepath.ToSlash(path), "/cmd/mneme/")
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.Ident:
			c.words[n.Name] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				c.readWords(n.Value)
				if text := strings.Trim(n.Value, `"`); inCommand && dashed.MatchString(text) {
					c.endings = append(c.endings, "-"+text)
				}
			}
		case *ast.CallExpr:
			if flagMethod.MatchString(typeName(n.Fun)) {
				c.readFlag(n.Args)
			}
		case *ast.CompositeLit:
			if inCommand && n.Type != nil && typeName(n.Type) == "Command" {
				c.readCommand(n)
			}
		}
		return true
	})
}

// readCommand reads a subcommand. If it has subcommands itself, it is a group, which only
// shows its help.
func (c *codebase) readCommand(command *ast.CompositeLit) {
	name, hasOthers := "", false
	for _, element := range command.Elts {
		pair, _ := element.(*ast.KeyValueExpr)
		if pair == nil {
			continue
		}
		switch typeName(pair.Key) {
		case "Use":
			if value, ok := pair.Value.(*ast.BasicLit); ok {
				use, _ := strconv.Unquote(value.Value)
				name, _, _ = strings.Cut(use, " ")
			}
		case "RunE":
			_, hasOthers = pair.Value.(*ast.FuncLit)
		}
	}
	c.commands[name] = true
	if hasOthers {
		c.groups[name] = true
	}
}

// readFlag reads the first string argument of a call that defines a flag.
func (c *codebase) readFlag(arguments []ast.Expr) {
	for _, argument := range arguments {
		if literal, ok := argument.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			name, _ := strconv.Unquote(literal.Value)
			c.flags[name] = true
			return
		}
	}
}

func (c *codebase) member(of, name string) {
	if c.members[of] == nil {
		c.members[of], c.embedded[of] = make(map[string]bool), make(map[string]bool)
	}
	if name != "" {
		c.members[of][name], c.declared[name] = true, true
	}
}

// readType reads the fields of a struct and the methods of an interface.
func (c *codebase) readType(name string, of ast.Expr) {
	var fields *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		fields = of.Fields
	case *ast.InterfaceType:
		fields = of.Methods
	default: // an alias, or a type with the fields of another
		c.embedded[name][typeName(of)] = true
		return
	}
	for _, field := range fields.List {
		for _, each := range field.Names {
			c.member(name, each.Name)
		}
		if field.Names == nil {
			c.embedded[name][typeName(field.Type)] = true
		}
	}
}

// typeName returns the last name of a type or of a function: Tx of *memory.Tx.
func typeName(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.SelectorExpr:
		return of.Sel.Name
	case *ast.StarExpr:
		return typeName(of.X)
	case *ast.IndexExpr:
		return typeName(of.X)
	case *ast.IndexListExpr:
		return typeName(of.X)
	}
	return ""
}

// has reports whether a type has a field or a method.
func (c *codebase) has(name, member string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	if c.members[name][member] {
		return true
	}
	for embedded := range c.embedded[name] {
		if c.has(embedded, member, seen) {
			return true
		}
	}
	return false
}
