package mnemetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

// watchSources reads the metadata of every source file of the binary, so that `go test`
// does not return a cached result after a source has changed: it tracks the files that a
// test opens, but not the inputs of a binary that a test runs.
var watchSources = sync.OnceValue(func() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	list, err := exec.Command("go", "list", "-deps",
		"-json=Dir,Module,GoFiles,SFiles,HFiles,EmbedFiles", "mneme/cmd/mneme").Output()
	if err != nil {
		return fmt.Errorf("list the sources: %w", err)
	}
	files := []string{filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum"), filepath.Join(root, "clients", "go", "go.mod")}
	for packages := json.NewDecoder(bytes.NewReader(list)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Main    bool
				Replace *struct{} // set for the client, which go.mod replaces by its folder
			}
			GoFiles, SFiles, HFiles, EmbedFiles []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("list the sources: %w", err)
		}
		if p.Module == nil || !p.Module.Main && p.Module.Replace == nil {
			continue // the standard library, or a module version that go.mod pins
		}
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.EmbedFiles) {
			files = append(files, filepath.Join(p.Dir, name))
		}
		if p.Dir == filepath.Join(root, "docs") {
			continue // the binary embeds one document; the others change more often
		}
		// Watch the folder too, to detect files added to it.
		folder, err := os.Open(p.Dir)
		if err != nil {
			return err
		}
		folder.Close()
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	return nil
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
