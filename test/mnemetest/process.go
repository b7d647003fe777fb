// Package mnemetest builds the mneme binary and runs servers as child processes
// in tests.
package mnemetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mneme/test/faulttest"
)

// ClearEnvironment unsets all MNEME_ variables except Program and those to keep.
func ClearEnvironment(keep ...string) {
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "MNEME_") && name != Program && !slices.Contains(keep, name) {
			os.Unsetenv(name)
		}
	}
}

// Process is a running `mneme serve` or `mneme demo`.
type Process struct {
	Address string // http://host:port
	DataDir string
	Console string // the demo's link, which is valid for one sign-in
	Log     *Log   // its stderr

	command *exec.Cmd
	out     io.Reader
	release func() // see faulttest.KillWithParent
	hung    atomic.Bool
}

// Start runs command, which must be mneme serve --json or demo --json, and waits until it
// listens. The process is killed when the test ends, or when this process dies.
func Start(t testing.TB, command *exec.Cmd) *Process {
	t.Helper()
	p := Launch(t, command)
	if err := p.AwaitListening(); err != nil {
		p.Kill()
		t.Fatalf("mneme did not start: %s", p.Log.Last(30))
	}
	return p
}

// Launch is like Start, but does not wait: Address and DataDir are not known yet. Unless
// the command sets the time limit of a write that waits for others, the limit is long,
// because tests run on busy machines.
func Launch(t testing.TB, command *exec.Cmd) *Process {
	t.Helper()
	if os.Getenv(Program) == "" {
		if err := watchSources(); err != nil {
			t.Fatal(err)
		}
	}
	const writeWait = "MNEME_LIMITS_WRITE_WAIT="
	command.Env = command.Environ()
	if !slices.ContainsFunc(command.Env, func(pair string) bool { return strings.HasPrefix(pair, writeWait) }) {
		command.Env = append(command.Env, writeWait+patience.String())
	}
	p := &Process{Log: new(Log), command: command}
	command.Stderr = p.Log
	faulttest.OwnGroup(command)
	var err error
	if p.out, err = command.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if p.release, err = faulttest.KillWithParent(command.Process.Pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			lines := 30
			if p.hung.Load() {
				lines = 1000 // its goroutines
			}
			t.Logf("end of the log of %s:\n%s", p.Address, p.Log.Last(lines))
		}
	})
	return p
}

// patience limits the time that a process takes to listen, and to end. It is not a
// target: a test that waited forever could not report the reason.
const patience = 4 * time.Minute

// AwaitListening waits until a launched process listens. It returns an error if
// the process ends first. It ends a process that does neither, which then writes
// its goroutines to its log.
func (p *Process) AwaitListening() error {
	hung := time.AfterFunc(patience, p.quit)
	line, err := bufio.NewReader(p.out).ReadBytes('\n')
	hung.Stop()
	if err != nil {
		return fmt.Errorf("mneme ended before it listened: %w", err)
	}
	var started struct {
		Address string `json:"address"`
		DataDir string `json:"data_dir"`
		Console string `json:"console"`
	}
	if err := json.Unmarshal(line, &started); err != nil {
		return err
	}
	p.Address, p.DataDir, p.Console = started.Address, started.DataDir, started.Console
	return nil
}

// PID returns the process ID.
func (p *Process) PID() int { return p.command.Process.Pid }

// Send sends a signal. If the signal needs a console and there is none, Send skips the
// test.
func (p *Process) Send(t testing.TB, signal os.Signal) {
	t.Helper()
	if err := faulttest.Signal(p.command.Process, signal); errors.Is(err, faulttest.ErrNoConsole) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// End sends a signal, waits for the process to exit, and returns its exit
// status.
func (p *Process) End(t testing.TB, signal os.Signal) int {
	t.Helper()
	p.Send(t, signal)
	hung := time.AfterFunc(patience, func() {
		t.Errorf("mneme did not end within %v of %v; its goroutines are in its log", patience, signal)
		p.quit()
	})
	_ = p.command.Wait() // callers check the exit status instead
	hung.Stop()
	p.release()
	return p.command.ProcessState.ExitCode()
}

// quit ends a hanging process after it has printed its goroutines.
func (p *Process) quit() {
	p.hung.Store(true)
	_ = faulttest.Dump(p.command.Process)
}

// Signal sends SIGKILL to the process without waiting for its end. Any goroutine may
// call it before Kill or End.
func (p *Process) Signal() { _ = p.command.Process.Kill() }

// Kill sends SIGKILL to the process if it is still running.
func (p *Process) Kill() {
	if p.command.ProcessState == nil {
		_ = p.command.Process.Kill()
		_ = p.command.Wait() // it was killed
		p.release()
	}
}
