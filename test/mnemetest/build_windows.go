package mnemetest

import "os/exec"

// extension is the file name extension of programs.
const extension = ".exe"

// buildCommand returns the command that builds the program.
func buildCommand(binary string) *exec.Cmd {
	return exec.Command("go", "build", "-o", binary, "mneme/cmd/mneme")
}

// lock does nothing: Windows has no locks on folders, and the build cache has its own.
func lock(string) (unlock func(), err error) { return func() {}, nil }
