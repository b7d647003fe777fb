package faulttest

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

// KillWithParent kills the process group of leader, a child process, when the
// test process ends for any reason. Cleanups do not run when a test binary
// exceeds its time limit or is killed; this does. Call release once the child
// has exited.
func KillWithParent(leader int) (release func(), err error) {
	// The shell blocks on its standard input. Only this process holds the
	// other end, so the input ends exactly when this process does.
	watch := exec.CommandContext(context.Background(), "sh", "-c", `read -r _; kill -s KILL -- "-$0"`, strconv.Itoa(leader)) //nolint:gosec // a number
	watch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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
		_ = watch.Wait() // it was killed: the error says only that
	}, nil
}
