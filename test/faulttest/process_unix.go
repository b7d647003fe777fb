//go:build unix

package faulttest

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// OwnGroup makes a command start in a process group of its own, with its children. Call
// it before the command starts.
func OwnGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillWithParent kills the process group of leader, a child process, when the
// test process ends for any reason. Unlike cleanup functions, it also works
// when a test binary exceeds its time limit or is killed. Call release once
// the child has exited.
func KillWithParent(leader int) (release func(), err error) {
	// The shell blocks on its standard input. Only this process has the other
	// end open, so the input ends exactly when this process does.
	watch := exec.CommandContext(context.Background(), "sh", "-c", `read -r _; kill -s KILL -- "-$0"`, strconv.Itoa(leader)) //nolint:gosec // a number
	OwnGroup(watch)
	input, err := watch.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := watch.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = watch.Process.Kill() // first, or closing its input would kill the group
		_ = input.Close()
		_ = watch.Wait() // the error only reports the kill
	}, nil
}

// Signal sends a signal to a process in a group of its own.
func Signal(process *os.Process, signal os.Signal) error { return process.Signal(signal) }

// Dump makes a hanging process print its goroutines and end.
func Dump(process *os.Process) error { return process.Signal(syscall.SIGQUIT) }
