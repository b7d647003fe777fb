// Package service installs mneme as a service of the operating system: under systemd on
// Linux, launchd on macOS, rc.d on FreeBSD, and the service control manager on Windows. A
// Plan lists the steps, and can be shown before Run runs it:
//
//	plan, err := service.Install(runtime.GOOS, unit)
//	if err != nil {
//		return err
//	}
//	return service.Run(ctx, plan)
package service

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Name is the name of the service on all systems.
const Name = "mneme"

// description is the description of the service that systems show.
const description = "Memory search for AI agents"

// ErrUnsupported reports an unsupported operating system or kind of service.
var ErrUnsupported = errors.New("not supported")

// Unit is the service to install. Paths are absolute.
type Unit struct {
	Program string   // the executable
	Args    []string // flags of mneme serve
	// DataDir is the data folder; "": the default for this kind of service.
	DataDir string
	// System reports whether the service belongs to the machine, and starts with it. Other
	// services belong to a user, and start when that user logs in. Windows and FreeBSD
	// have only the first kind.
	System bool
	// Home and UserID are the user's home folder and user ID, for a user's service.
	Home   string
	UserID int
	// Account is the account that runs a service of the machine on macOS.
	Account string
	// ProgramData is the folder for service data on Windows.
	ProgramData string
}

// Command is the command of the program as a Windows service, before its flags: a program
// must know that it is a service, and cannot reliably detect what started it.
var Command = []string{"service", "run"}

// words returns the words of the command line.
func (u Unit) words() []string { return u.wordsOf("serve") }

// wordsOf returns the command line of a command of the program.
func (u Unit) wordsOf(command ...string) []string {
	words := slices.Concat([]string{u.Program}, command, u.Args)
	if u.DataDir != "" {
		words = append(words, "--data-dir="+u.DataDir)
	}
	return words
}

// Step is one step of a plan. One of Write, Delete, Folder and Command is set.
type Step struct {
	Write   string // a file to write
	Text    string // its text
	Mode    uint32 // its mode on Unix
	Delete  string // a file to delete
	Folder  string // a folder to create, if missing, with access for the owner only
	Command []string
	// MayFail is set for a command whose failure is no error, such as stopping a service
	// that is not running.
	MayFail bool
}

// Plan is the steps that install or remove a service, in order.
type Plan []Step

// String returns the plan as text for people: each file with its text, and each command as
// one line.
func (p Plan) String() string {
	var text strings.Builder
	for _, step := range p {
		switch {
		case step.Write != "":
			fmt.Fprintf(&text, "# write %s (mode %o):\n%s\n", step.Write, step.Mode, step.Text)
		case step.Delete != "":
			fmt.Fprintf(&text, "# delete %s\n", step.Delete)
		case step.Folder != "":
			fmt.Fprintf(&text, "# make the folder %s\n", step.Folder)
		default:
			fmt.Fprintln(&text, joined(step.Command))
		}
	}
	return text.String()
}

// joined returns a command as one line, with words that contain spaces quoted.
func joined(command []string) string {
	words := slices.Clone(command)
	for i, word := range words {
		if strings.ContainsAny(word, " \t\"") {
			words[i] = `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
		}
	}
	return strings.Join(words, " ")
}

// run returns a step that runs a command.
func run(command ...string) Step { return Step{Command: command} }

// Install returns the plan that installs and starts a service on an operating system,
// given by its GOOS. The error is ErrUnsupported, or reports what is wrong with the unit.
func Install(system string, u Unit) (Plan, error) {
	for _, word := range append([]string{u.DataDir}, u.words()...) {
		if strings.ContainsAny(word, "\x00\r\n") {
			return nil, errors.New("paths and settings of a service must be one line")
		}
	}
	switch system {
	case "linux":
		return installSystemd(u)
	case "darwin":
		return installLaunchd(u)
	case "freebsd":
		return installRC(u)
	case "windows":
		return installWindows(u)
	}
	return nil, fmt.Errorf("services on %s: %w", system, ErrUnsupported)
}

// Remove returns the plan that stops and removes a service. Its data remains.
func Remove(system string, u Unit) (Plan, error) {
	switch system {
	case "linux":
		return removeSystemd(u), nil
	case "darwin":
		return removeLaunchd(u), nil
	case "freebsd":
		return removeRC(), nil
	case "windows":
		return removeWindows(), nil
	}
	return nil, fmt.Errorf("services on %s: %w", system, ErrUnsupported)
}

// within reports whether a slash-separated path is in one of the folders.
func within(file string, folders ...string) bool {
	file = path.Clean(file)
	return slices.ContainsFunc(folders, func(folder string) bool { return file == folder || strings.HasPrefix(file, folder+"/") })
}
