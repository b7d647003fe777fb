package wiretest

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

// Tether ties a server that a test has started, the leader of a process group
// of its own, to the test: the group is killed when this process ends,
// whichever way it does. One that runs into its time limit cleans nothing up.
// loose is called once the server has ended.
func Tether(leader int) (loose func(), err error) {
	// Its standard input ends with this process, which alone has the other end.
	watch := exec.CommandContext(context.Background(), "sh", "-c", `read -r _; kill -s KILL -- "-$0"`, strconv.Itoa(leader)) //nolint:gosec // a number
	watch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	held, err := watch.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := watch.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = watch.Process.Kill() // before its input ends
		_ = held.Close()
		_ = watch.Wait() // killed
	}, nil
}
