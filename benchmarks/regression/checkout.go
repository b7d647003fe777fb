package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// benchstatModule compares the results. Keep its version in sync with .ci/run.
const benchstatModule = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

// commit describes a commit on the page of results.
type commit struct {
	Hash  string // abbreviated
	Date  string // YYYY-MM-DD
	Title string
}

// tree is a worktree of a commit, with the tests built in it.
type tree struct {
	commit
	folder string
	tests  map[string]string // program by package; "" if the commit does not have the package
}

// checkout makes a worktree of a commit.
func checkout(ctx context.Context, revision, folder string) (*tree, error) {
	said, err := git(ctx, "log", "-1", "--abbrev=7", "--date=format:%Y-%m-%d", "--format=%h%n%cd%n%s", revision, "--")
	if err != nil {
		return nil, err
	}
	lines := strings.SplitN(said, "\n", 3)
	if len(lines) != 3 {
		return nil, fmt.Errorf("%s is not a commit", revision)
	}
	t := &tree{commit: commit{lines[0], lines[1], lines[2]}, folder: folder, tests: map[string]string{}}
	_, err = git(ctx, "worktree", "add", "--quiet", "--detach", folder, t.Hash)
	return t, err
}

// remove removes the worktree, also after ctx has ended.
func (t *tree) remove() error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, err := git(ctx, "worktree", "remove", "--force", t.folder)
	return err
}

// build returns the program with the tests of a package, or "" if the commit lacks
// the package.
func (t *tree) build(ctx context.Context, pkg string) (string, error) {
	if program, ok := t.tests[pkg]; ok {
		return program, nil
	}
	folder := filepath.Join(t.folder, pkg)
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		t.tests[pkg] = ""
		return "", nil
	}
	program := filepath.Join(t.folder, strings.ReplaceAll(pkg, "/", "_")+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, ".") //nolint:gosec // a program of the repository
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tests of %s at %s: %w\n%s", pkg, t.Hash, err, out)
	}
	t.tests[pkg] = program
	return program, nil
}

// lastRelease returns the last tag before a commit.
func lastRelease(ctx context.Context, head string) (string, error) {
	tag, err := git(ctx, "describe", "--tags", "--abbrev=0", head+"^")
	if err != nil {
		return "", fmt.Errorf("no release before %s: name a commit with -base", head)
	}
	return tag, nil
}

// markChanged marks the rows of packages whose tests differ between the commits:
// their benchmarks may have changed as well.
func markChanged(ctx context.Context, base, head *tree, rows []Row) error {
	said, err := git(ctx, "diff", "--name-only", base.Hash, head.Hash, "--", "*_test.go", "test/backendtest", "storage/storagetest")
	if err != nil {
		return err
	}
	for i := range rows {
		for path := range strings.Lines(said) {
			folder := filepath.Dir(strings.TrimSpace(path))
			rows[i].TestsChanged = rows[i].TestsChanged || folder == rows[i].Package
		}
	}
	return nil
}

// buildBenchstat builds the pinned version.
func buildBenchstat(ctx context.Context, folder string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "install", benchstatModule)
	cmd.Env = append(os.Environ(), "GOBIN="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build benchstat: %w\n%s", err, out)
	}
	return filepath.Join(folder, "benchstat"), nil
}

// git returns git's output, without the final line break.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output() //nolint:gosec // git alone
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// processor returns the processor's name as reported by Linux, or "".
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return ""
}
