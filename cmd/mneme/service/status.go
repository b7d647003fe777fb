package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// State reports whether a service is installed and running.
type State struct {
	Installed bool `json:"installed"`
	Running   bool `json:"running"`
}

// query is a command that shows a service, and the function that reads its output and exit
// status.
type query struct {
	command []string
	read    func(output string, status int) State
}

// Status returns the state of a service on an operating system, given by its GOOS.
func Status(ctx context.Context, system string, u Unit) (State, error) {
	q, err := queryOf(system, u)
	if err != nil {
		return State{}, err
	}
	output, err := exec.CommandContext(ctx, q.command[0], q.command[1:]...).CombinedOutput() //nolint:gosec // of queryOf
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return State{}, err
	}
	status := 0
	if exit != nil {
		status = exit.ExitCode()
	}
	return q.read(string(output), status), nil
}

func queryOf(system string, u Unit) (query, error) {
	switch system {
	case "linux":
		return query{u.systemctl("show", systemdUnit, "--property=LoadState,ActiveState"), readSystemd}, nil
	case "darwin":
		domain, _ := u.launchdDomain()
		return query{[]string{"launchctl", "print", domain + "/" + Name}, readLaunchd}, nil
	case "freebsd":
		return query{[]string{"service", Name, "onestatus"}, readRC}, nil
	case "windows":
		return query{[]string{"sc.exe", "query", Name}, readWindows}, nil
	}
	return query{}, fmt.Errorf("services on %s: %w", system, ErrUnsupported)
}

func readSystemd(output string, _ int) State {
	return State{Installed: strings.Contains(output, "LoadState=loaded"), Running: strings.Contains(output, "ActiveState=active")}
}

func readLaunchd(output string, status int) State {
	return State{Installed: status == 0, Running: status == 0 && strings.Contains(output, "state = running")}
}

func readRC(_ string, status int) State {
	_, err := os.Stat(rcFile)
	return State{Installed: err == nil, Running: err == nil && status == 0}
}

// windowsRunning matches SERVICE_RUNNING in the output of sc.exe: the number, since the
// labels are in the system's language.
var windowsRunning = regexp.MustCompile(`(?m):\s+4\s`)

// readWindows reads the result of sc.exe: its exit status is a Windows error, such as
// ERROR_SERVICE_DOES_NOT_EXIST (1060).
func readWindows(output string, status int) State {
	return State{Installed: status == 0, Running: status == 0 && windowsRunning.MatchString(output)}
}
