//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach keeps the interrupt of a terminal from a command.
func detach(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
