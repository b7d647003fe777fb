// Command module sets the paths of the modules to the address where they are published:
// the path of the repository's module, and below it the path of the Go client.
//
//	make module PATH=example.com/owner/mneme
//
// It rewrites the go.mod files, imports, the linter's rules and other package names, and
// then builds both modules. It replaces the path in go.mod.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// modules are the folders of the modules to build afterwards.
var modules = []string{".", filepath.Join("clients", "go")}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("usage: make module PATH=example.com/owner/mneme")
	}
	path := arguments[0]
	files, err := rename(".", path)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d files changed\n", path, files)
	for _, folder := range modules {
		build := exec.Command("go", "build", "./...") //nolint:noctx // it ends by itself
		build.Dir, build.Stdout, build.Stderr = folder, os.Stdout, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build in %s: %w", folder, err)
		}
	}
	return nil
}

var (
	validPath  = regexp.MustCompile(`^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)
	moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)
)

// rename replaces the path of the repository's module, and returns the number of changed
// files.
func rename(root, path string) (changed int, err error) {
	if !validPath.MatchString(path) {
		return 0, fmt.Errorf("%q is not the path of a module", path)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	current := moduleLine.FindSubmatch(mod)
	if current == nil {
		return 0, errors.New("go.mod names no module")
	}
	rules, err := newRules(root, string(current[1]), path)
	if err != nil {
		return 0, err
	}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		renamed, err := rules.file(name)
		if renamed {
			changed++
		}
		return err
	})
	return changed, err
}

// skipped are folders with files outside the repository.
var skipped = []string{".git", "node_modules", "dist", "out", "bin"}

// file rewrites a file, and reports whether it changed.
func (r rules) file(name string) (changed bool, err error) {
	old, err := os.ReadFile(name)
	if err != nil || bytes.IndexByte(old, 0) >= 0 { // a binary file
		return false, err
	}
	text := r.text(filepath.Base(name), old)
	if bytes.Equal(old, text) {
		return false, nil
	}
	if filepath.Ext(name) == ".go" {
		if text, err = format.Source(text); err != nil { // it sorts the imports, too
			return false, fmt.Errorf("%s: %w", name, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(name, text, info.Mode().Perm())
}
