package mnemetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// watchSources looks at every source file of the module, so that `go test` does
// not answer from its cache after one has changed. It knows the files that a test
// opens, and not what a binary is built from that a test runs.
var watchSources = sync.OnceValue(func() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && path != root && strings.HasPrefix(name, "."), name == "testdata":
			return fs.SkipDir
		case entry.Type().IsRegular() && !strings.HasSuffix(name, "_test.go"):
			_, err = os.Stat(path)
		}
		return err
	})
})

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for !exists(filepath.Join(root, "go.mod")) {
		if root == filepath.Dir(root) {
			return "", fs.ErrNotExist
		}
		root = filepath.Dir(root)
	}
	return root, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
