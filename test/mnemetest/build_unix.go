//go:build unix

package mnemetest

import (
	"os"
	"os/exec"
	"syscall"
)

// extension is the file name extension of programs.
const extension = ""

// buildCommand returns the command that builds the program.
func buildCommand(binary string) *exec.Cmd {
	return exec.Command("go", "run", "-exec", "cp", "mneme/cmd/mneme", binary)
}

// lock waits for a lock on a folder. The lock ends with this process at the latest.
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
	return func() { folder.Close() }, nil // closing releases the lock
}
