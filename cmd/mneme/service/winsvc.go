package service

import (
	"fmt"
	"strings"

	"mneme/internal/system"
)

// eventSource is the registry key by which the event log shows mneme's events.
const eventSource = `HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\` + Name

// installWindows runs the service under an account of its own, which Windows derives from
// its name (a virtual account), with only the rights granted here.
func installWindows(u Unit) (Plan, error) {
	if !u.System {
		return nil, fmt.Errorf("services of users on windows: %w; --system installs one of the machine", ErrUnsupported)
	}
	if u.DataDir == "" {
		u.DataDir = u.ProgramData + `\` + Name
	}
	var words []string
	for _, word := range u.wordsOf(Command...) {
		words = append(words, quoteWindows(word))
	}
	return Plan{
		stopWindows,
		{Command: []string{"sc.exe", "delete", Name}, MayFail: true}, // it may not exist
		run("sc.exe", "create", Name, "binPath=", strings.Join(words, " "), "start=", "auto", "obj=", system.ServiceAccount, "DisplayName=", Name),
		run("sc.exe", "description", Name, description),
		// After a failure the service restarts in two seconds; a day without a failure
		// resets the count.
		run("sc.exe", "failure", Name, "reset=", "86400", "actions=", "restart/2000/restart/2000/restart/2000"),
		{Folder: u.DataDir},
		run("icacls.exe", u.DataDir, "/grant", system.ServiceAccount+":(OI)(CI)F", "/T", "/Q"),
		run("reg.exe", "add", eventSource, "/v", "EventMessageFile", "/t", "REG_EXPAND_SZ", "/d", `%SystemRoot%\System32\EventCreate.exe`, "/f"),
		run("reg.exe", "add", eventSource, "/v", "TypesSupported", "/t", "REG_DWORD", "/d", "7", "/f"),
		run("sc.exe", "start", Name),
	}, nil
}

// stopWindows stops the service, which may not be running. Unlike sc.exe, net.exe waits
// for it: a running service is deleted only once it has stopped, and until then no service
// with its name can be created.
var stopWindows = Step{Command: []string{"net.exe", "stop", Name}, MayFail: true}

func removeWindows() Plan {
	return Plan{
		stopWindows,
		run("sc.exe", "delete", Name),
		{Command: []string{"reg.exe", "delete", eventSource, "/f"}, MayFail: true},
	}
}

// quoteWindows quotes text as one word of a command line, for CommandLineToArgvW:
// backslashes before a quote are doubled.
func quoteWindows(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\"") {
		return text
	}
	var quoted strings.Builder
	quoted.WriteByte('"')
	slashes := 0
	for _, c := range []byte(text) {
		switch c {
		case '\\':
			slashes++
		case '"':
			quoted.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		quoted.WriteByte(c)
	}
	quoted.WriteString(strings.Repeat(`\`, slashes))
	quoted.WriteByte('"')
	return quoted.String()
}
