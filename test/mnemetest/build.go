package mnemetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Build builds the program into a folder and returns its path. The packages that
// need it share one build: go run, unlike go build, keeps what it has linked in the
// build cache. One process builds at a time, so that the others find it there.
func Build(dir string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(root, "cmd", "mneme"))
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	defer unlock()
	binary := filepath.Join(dir, "mneme")
	if out, err := exec.Command("go", "run", "-exec", "cp", "mneme/cmd/mneme", binary).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return binary, nil
}

// lock waits for a lock on a folder. It ends with this process at the latest.
func lock(dir string) (unlock func(), err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR { //nolint:errorlint // a bare number
			break
		}
	}
	if err != nil {
		folder.Close()
		return nil, err
	}
	return func() { folder.Close() }, nil // which unlocks it
}
