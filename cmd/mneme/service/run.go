package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mneme/internal/system"
)

// Run runs the steps of a plan until one fails. The error contains the output of the
// failed command.
func Run(ctx context.Context, plan Plan) error {
	for _, step := range plan {
		if err := do(ctx, step); err != nil && !step.MayFail {
			return err
		}
	}
	return nil
}

func do(ctx context.Context, step Step) error {
	switch {
	case step.Write != "":
		return write(step.Write, step.Text, fs.FileMode(step.Mode))
	case step.Delete != "":
		return os.Remove(step.Delete)
	case step.Folder != "":
		return system.MakeFolder(step.Folder)
	}
	said, err := exec.CommandContext(ctx, step.Command[0], step.Command[1:]...).CombinedOutput() //nolint:gosec // of a plan
	if err != nil {
		return fmt.Errorf("%s: %w: %s", joined(step.Command), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// write writes a file atomically.
func write(path, text string, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // for units, which others may read
		return err
	}
	f, err := os.CreateTemp(dir, "."+Name+"-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = system.Replace(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
