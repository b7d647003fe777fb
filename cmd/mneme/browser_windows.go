package main

import (
	"os/exec"
	"syscall"
)

// detach shields a command from the interrupt of a console.
func detach(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
