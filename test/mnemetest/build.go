package mnemetest

import (
	"fmt"
	"os"
	"path/filepath"
)

// Program is an environment variable with the path of the program, for tests in an
// environment without a Go toolchain, such as Wine.
const Program = "MNEME_TEST_PROGRAM"

// Build builds the program into a folder and returns its path. The test packages
// share one build: go run, unlike go build, stores the linked program in the build
// cache. Only one process builds at a time, so that the others find it there.
func Build(dir string) (string, error) {
	if built := os.Getenv(Program); built != "" {
		return built, nil
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(root, "cmd", "mneme"))
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	defer unlock()
	binary := filepath.Join(dir, "mneme"+extension)
	if out, err := buildCommand(binary).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, nil
}
