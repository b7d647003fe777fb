package main

import (
	"os/exec"
	"syscall"
)

// detach keeps the interrupt of a console from a command.
func detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
