//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach shields a command from the interrupt of a terminal.
func detach(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
