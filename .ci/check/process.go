package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"mneme/test/faulttest"
)

const (
	// stepLimit bounds the duration of a step outside of long runs. It only ends a
	// run that hangs.
	stepLimit = 40 * time.Minute
	// readyLimit is how long a service may take to answer.
	readyLimit = 4 * time.Minute
	// endLimit is how long processes may take to end after an interrupt.
	endLimit = 30 * time.Second
)

// script sources the steps and calls the function named by its first argument, with the
// remaining arguments.
const script = `for file in .ci/steps/*.sh; do . "$file"; done; $1`

// A process is a bash that runs a function of the steps, with all its child
// processes, in one process group.
type process struct {
	command *exec.Cmd
	release func() // see faulttest.KillWithParent
	done    chan struct{}
	err     error // once done is closed
}

// begin starts a function. Its output goes to the log.
func begin(root, function string, environ []string, log *os.File) (*process, error) {
	command := exec.Command("bash", "-euo", "pipefail", "-c", script, function, function) //nolint:gosec,noctx // a name from the plan; wait ends it
	command.Dir, command.Env, command.Stdout, command.Stderr = root, environ, log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return nil, err
	}
	release, err := faulttest.KillWithParent(command.Process.Pid)
	if err != nil {
		return nil, errors.Join(err, command.Process.Kill(), command.Wait())
	}
	p := &process{command: command, release: release, done: make(chan struct{})}
	go func() {
		p.err = command.Wait()
		close(p.done)
	}()
	return p, nil
}

// wait waits until the function has ended, and ends its remaining child
// processes.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
		p.end(syscall.SIGKILL)
		return p.err
	case <-ctx.Done():
		p.end(syscall.SIGTERM)
		return context.Cause(ctx)
	}
}

// end sends a signal to the group, waits for the function's own process, and kills the
// remaining processes of the group.
func (p *process) end(signal syscall.Signal) {
	group := -p.command.Process.Pid
	_ = syscall.Kill(group, signal) // all of it may have ended, here and below
	select {
	case <-p.done:
	case <-time.After(endLimit):
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-p.done
	p.release()
}

// runFunction runs a function to its end, with its output in the log file.
func runFunction(ctx context.Context, root, function string, environ []string, file string) error {
	log, err := os.Create(file)
	if err != nil {
		return err
	}
	defer log.Close()
	p, err := begin(root, function, environ, log)
	if err != nil {
		return err
	}
	return p.wait(ctx)
}

// serve starts a service and waits until its function ready succeeds. The last
// output of ready is appended to the log.
func serve(ctx context.Context, root string, s *step, environ []string, file string) (*process, error) {
	log, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p, err := begin(root, s.run, environ, log)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyLimit, fmt.Errorf("%s does not answer after %v", s.name, readyLimit))
	defer cancel()
	asked := filepath.Join(filepath.Dir(file), s.name+"-ready.log")
	for runFunction(ctx, root, s.ready, environ, asked) != nil {
		select {
		case <-p.done:
			err = fmt.Errorf("%s ended before it answered: %w", s.name, p.err)
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
			continue
		}
		p.end(syscall.SIGINT)
		return nil, err
	}
	return p, nil
}
