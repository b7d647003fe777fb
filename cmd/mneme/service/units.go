package service

import (
	"embed"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"text/template"
)

//go:embed unit/*
var unitFiles embed.FS

var units = template.Must(template.New("").Funcs(template.FuncMap{"xml": escapeXML, "shell": quoteShell}).ParseFS(unitFiles, "unit/*"))

// filled has the arguments of the unit templates.
type filled struct {
	Unit
	Command      string   // the command line for systemd
	ShellCommand string   // the command line for a POSIX shell
	Words        []string // the command line
	Log          string   // the file of the log
}

// fill returns the text of a unit.
func fill(name string, f filled) (string, error) {
	f.Words = f.words()
	var text strings.Builder
	err := units.ExecuteTemplate(&text, name, f)
	return text.String(), err
}

// The folders and names of units.
const (
	systemdFolder = "/etc/systemd/system"
	systemdUnit   = Name + ".service"
	rcFile        = "/usr/local/etc/rc.d/" + Name
	rcDataDir     = "/var/db/" + Name
)

// systemctl returns a systemctl command for the machine or for the user.
func (u Unit) systemctl(args ...string) []string {
	if u.System {
		return append([]string{"systemctl"}, args...)
	}
	return append([]string{"systemctl", "--user"}, args...)
}

func (u Unit) systemdFile() string {
	if u.System {
		return path.Join(systemdFolder, systemdUnit)
	}
	return path.Join(u.Home, ".config/systemd/user", systemdUnit)
}

func installSystemd(u Unit) (Plan, error) {
	name := "user.service"
	if u.System {
		name = "system.service"
		if u.DataDir != "" {
			return nil, errors.New("a service of the machine has its data in /var/lib/mneme: leave out --data-dir, and data_dir of the configuration file")
		}
		for _, word := range u.words() {
			if _, value, ok := strings.Cut(word, "="); ok {
				word = value
			}
			if within(word, "/home", "/root", "/run/user", "/tmp", "/var/tmp") {
				return nil, fmt.Errorf("a service of the machine cannot read %s: move it out of homes and temporary folders, such as to /usr/local or /etc", word)
			}
		}
	}
	text, err := fill(name, filled{Unit: u, Command: systemdCommand(u.words())})
	if err != nil {
		return nil, err
	}
	return Plan{
		{Write: u.systemdFile(), Text: text, Mode: 0o644},
		run(u.systemctl("daemon-reload")...),
		run(u.systemctl("enable", systemdUnit)...),
		run(u.systemctl("restart", systemdUnit)...),
	}, nil
}

func removeSystemd(u Unit) Plan {
	return Plan{
		run(u.systemctl("disable", "--now", systemdUnit)...),
		{Delete: u.systemdFile()},
		run(u.systemctl("daemon-reload")...),
	}
}

// systemdCommand returns a command line for ExecStart, quoted according to
// systemd.service(5) and systemd.syntax(7).
func systemdCommand(words []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$")
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = escape.Replace(word)
		if quoted[i] != word || word == "" || strings.ContainsAny(word, " \t';") {
			quoted[i] = `"` + quoted[i] + `"`
		}
	}
	return strings.Join(quoted, " ")
}

// launchdDomain returns the domain for launchctl, and the file of the property list.
func (u Unit) launchdDomain() (domain, file string) {
	if u.System {
		return "system", "/Library/LaunchDaemons/" + Name + ".plist"
	}
	return "gui/" + strconv.Itoa(u.UserID), path.Join(u.Home, "Library/LaunchAgents", Name+".plist")
}

func installLaunchd(u Unit) (Plan, error) {
	if u.System && (u.Account == "" || u.Account == "root") {
		return nil, errors.New("call it by sudo from the account that is to own the data")
	}
	domain, file := u.launchdDomain()
	text, err := fill("launchd.plist", filled{Unit: u, Log: path.Join(u.Home, "Library/Logs", Name+".log")})
	if err != nil {
		return nil, err
	}
	return Plan{
		{Write: file, Text: text, Mode: 0o644},
		// Unload the service of an earlier version.
		{Command: []string{"launchctl", "bootout", domain + "/" + Name}, MayFail: true},
		run("launchctl", "bootstrap", domain, file),
	}, nil
}

func removeLaunchd(u Unit) Plan {
	domain, file := u.launchdDomain()
	return Plan{
		{Command: []string{"launchctl", "bootout", domain + "/" + Name}, MayFail: true}, // it may not be loaded
		{Delete: file},
	}
}

func installRC(u Unit) (Plan, error) {
	if !u.System {
		return nil, fmt.Errorf("services of users on freebsd: %w; --system installs one of the machine", ErrUnsupported)
	}
	if u.DataDir == "" {
		u.DataDir = rcDataDir
	}
	u.Account = Name
	var words []string
	for _, word := range u.words() {
		words = append(words, quoteShell(word))
	}
	text, err := fill("rc.d", filled{Unit: u, ShellCommand: strings.Join(words, " ")})
	if err != nil {
		return nil, err
	}
	return Plan{
		{Command: []string{"pw", "useradd", Name, "-d", "/nonexistent", "-s", "/usr/sbin/nologin", "-c", description}, MayFail: true}, // it may exist
		{Write: rcFile, Text: text, Mode: 0o755},
		run("sysrc", Name+"_enable=YES"),
		run("service", Name, "restart"),
	}, nil
}

func removeRC() Plan {
	return Plan{
		{Command: []string{"service", Name, "onestop"}, MayFail: true}, // it may not run
		run("sysrc", "-x", Name+"_enable"),
		{Delete: rcFile},
	}
}

// quoteShell quotes text as one word of a POSIX shell.
func quoteShell(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func escapeXML(text string) (string, error) {
	var escaped strings.Builder
	err := xml.EscapeText(&escaped, []byte(text))
	return escaped.String(), err
}
