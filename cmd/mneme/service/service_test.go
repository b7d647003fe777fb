package service

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kinds are units on each system, with path names that need quoting.
var kinds = map[string]struct {
	system string
	unit   Unit
	status []string // the command that shows its state
}{
	"systemd-user": {"linux", Unit{
		Program: "/opt/my tools/mneme", Args: []string{"--addr=:7077"}, DataDir: "/home/ann/50% \"mine\"$", Home: "/home/ann", UserID: 1000,
	}, []string{"systemctl", "--user", "show", "mneme.service", "--property=LoadState,ActiveState"}},
	"systemd-system": {"linux", Unit{Program: "/usr/bin/mneme", System: true}, []string{"systemctl", "show", "mneme.service", "--property=LoadState,ActiveState"}},
	"launchd-user": {"darwin", Unit{
		Program: "/opt/homebrew/bin/mneme", DataDir: "/Users/ann/A & <B>", Home: "/Users/ann", UserID: 501,
	}, []string{"launchctl", "print", "gui/501/mneme"}},
	"launchd-system": {"darwin", Unit{
		Program: "/usr/local/bin/mneme", DataDir: "/Users/ann/data", Home: "/Users/ann", System: true, Account: "ann",
	}, []string{"launchctl", "print", "system/mneme"}},
	"rc": {"freebsd", Unit{
		Program: "/usr/local/bin/mneme", Args: []string{"--config=/usr/local/etc/ann's.yaml"}, System: true,
	}, []string{"service", "mneme", "onestatus"}},
	"windows": {"windows", Unit{
		Program: `C:\Program Files\mneme\mneme.exe`, Args: []string{"--addr=:7077"}, System: true, ProgramData: `C:\ProgramData`,
	}, []string{"sc.exe", "query", "mneme"}},
}

// Each plan is a file of testdata; UPDATE=1 writes them.
func TestPlansAreTheReviewedOnes(t *testing.T) {
	for name, kind := range kinds {
		install, err := Install(kind.system, kind.unit)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		remove, err := Remove(kind.system, kind.unit)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := "# Install:\n\n" + install.String() + "\n# Remove:\n\n" + remove.String()
		golden := filepath.Join("testdata", name+".txt")
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not as in %s (UPDATE=1 writes it):\n%s", name, golden, got)
		}
		query, err := queryOf(kind.system, kind.unit)
		if err != nil || !slices.Equal(query.command, kind.status) {
			t.Errorf("%s: its state is asked for by %q, %v", name, query.command, err)
		}
	}
}

// The deb and the rpm have the same unit as an installation.
func TestTheSystemUnitMatchesThePackages(t *testing.T) {
	plan, err := Install("linux", kinds["systemd-system"].unit)
	if err != nil {
		t.Fatal(err)
	}
	packaged, err := os.ReadFile("../../../deploy/packaging/linux/mneme.service")
	if err != nil {
		t.Fatal(err)
	}
	if plan[0].Text != string(packaged) {
		t.Errorf("the unit differs from the one in the packages:\n%s", plan[0].Text)
	}
}

func TestSystemdTakesTheUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"user.service", "system.service"} {
		text, err := fill(name, filled{Command: systemdCommand([]string{program, "serve", `--addr=a b%c$d"e\f`})})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), systemdUnit)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", file)
		if name == "user.service" {
			command.Args = slices.Insert(command.Args, 1, "--user")
			command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		}
		if said, err := command.CombinedOutput(); err != nil || strings.Contains(string(said), file) {
			t.Errorf("%s: %v: %s", name, err, said)
		}
	}
}

func TestThePropertyListKeepsEveryWord(t *testing.T) {
	plan, err := Install("darwin", kinds["launchd-user"].unit)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	decoder := xml.NewDecoder(strings.NewReader(plan[0].Text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			words = append(words, string(text))
		}
	}
	if want := "--data-dir=/Users/ann/A & <B>"; !slices.Contains(words, want) {
		t.Errorf("no %s in %q", want, words)
	}
}

// The script runs in a shell in which FreeBSD's commands are functions.
func TestTheScriptOfFreeBSDRunsTheCommandLine(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no POSIX shell")
	}
	plan, err := Install("freebsd", kinds["rc"].unit)
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Replace(plan[1].Text, ". /etc/rc.subr", `
load_rc_config() { :; }
run_rc_command() { eval set -- $command_args; printf '%s\n' "$@"; }`, 1)
	said, err := exec.CommandContext(t.Context(), shell, "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	want := []string{"-u", "mneme", "/usr/local/bin/mneme", "serve", "--config=/usr/local/etc/ann's.yaml", "--data-dir=/var/db/mneme", ""}
	got := strings.Split(string(said), "\n")
	if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("got %q", got)
	}
}

// The service manager refuses to create an existing service and to start a running one,
// and sc.exe does not wait until a service has stopped.
func TestInstallingOnWindowsChangesAnExistingService(t *testing.T) {
	plan, err := Install("windows", kinds["windows"].unit)
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []State{{}, {Installed: true}, {Installed: true, Running: true}} {
		state, settings := before, ""
		for _, step := range plan {
			if len(step.Command) < 3 {
				continue
			}
			refused := false
			switch said := strings.Join(step.Command[3:], " "); strings.Join(step.Command[:2], " ") {
			case "net.exe stop":
				refused, state.Running = !state.Running, false
			case "sc.exe create":
				if refused = state.Installed; !refused {
					state.Installed, settings = true, said
				}
			case "sc.exe delete":
				refused, state.Installed = !state.Installed, state.Running // until it has stopped
			case "sc.exe start":
				refused, state.Running = !state.Installed || state.Running, state.Installed
			}
			if refused && !step.MayFail {
				t.Fatalf("with %+v before: %q fails", before, step.Command)
			}
		}
		if !state.Running || !strings.Contains(settings, "--addr=:7077") {
			t.Errorf("with %+v before: %+v, settings %q", before, state, settings)
		}
	}
}

func TestWordsForWindows(t *testing.T) {
	for text, want := range map[string]string{
		`plain`: `plain`, ``: `""`, `a b`: `"a b"`, `C:\my data\`: `"C:\my data\\"`, `say "hi"`: `"say \"hi\""`, `a\"b c`: `"a\\\"b c"`,
	} {
		if got := quoteWindows(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestUnitsThatCouldNotRunAreRefused(t *testing.T) {
	machine := Unit{Program: "/usr/bin/mneme", System: true}
	with := func(change func(*Unit)) Unit {
		unit := machine
		unit.Args = slices.Clone(machine.Args)
		change(&unit)
		return unit
	}
	for name, c := range map[string]struct {
		system string
		unit   Unit
	}{
		"a program in a home":              {"linux", with(func(u *Unit) { u.Program = "/home/ann/mneme" })},
		"settings in a home":               {"linux", with(func(u *Unit) { u.Args = append(u.Args, "--config=/home/ann/mneme.yaml") })},
		"a data folder beside systemd's":   {"linux", with(func(u *Unit) { u.DataDir = "/srv/mneme" })},
		"a second line":                    {"linux", with(func(u *Unit) { u.Args = append(u.Args, "--addr=a\nExecStop=/bin/rm") })},
		"root on macOS":                    {"darwin", with(func(u *Unit) { u.Account = "root" })},
		"a user's on FreeBSD":              {"freebsd", with(func(u *Unit) { u.System = false })},
		"a user's on Windows":              {"windows", with(func(u *Unit) { u.System = false })},
		"an unknown system":                {"plan9", machine},
		"a second line in the data folder": {"windows", with(func(u *Unit) { u.DataDir = "C:\\a\r\nb" })},
	} {
		if plan, err := Install(c.system, c.unit); err == nil {
			t.Errorf("%s is installed: %s", name, plan)
		}
	}
}

func TestStates(t *testing.T) {
	const querying = "SERVICE_NAME: mneme\r\n        TYPE               : 10  WIN32_OWN_PROCESS\r\n        STATE              : %  \r\n        WIN32_EXIT_CODE    : 0  (0x0)\r\n"
	running, stopped, none := State{true, true}, State{Installed: true}, State{}
	for _, c := range []struct {
		read   func(string, int) State
		output string
		status int
		want   State
	}{
		{readSystemd, "LoadState=loaded\nActiveState=active\n", 0, running},
		{readSystemd, "LoadState=loaded\nActiveState=inactive\n", 0, stopped},
		{readSystemd, "LoadState=not-found\nActiveState=inactive\n", 0, none},
		{readLaunchd, "gui/501/mneme = {\n\tstate = running\n}", 0, running},
		{readLaunchd, "gui/501/mneme = {\n\tstate = not running\n}", 0, stopped},
		{readLaunchd, "Could not find service", 113, none},
		{readWindows, strings.ReplaceAll(querying, "%", "4  RUNNING"), 0, running},
		{readWindows, strings.ReplaceAll(querying, "%", "1  STOPPED"), 0, stopped},
		{readWindows, "[SC] EnumQueryServicesStatus:OpenService FAILED 1060:", 1060 & 0xff, none},
	} {
		if got := c.read(c.output, c.status); got != c.want {
			t.Errorf("%s: got %+v", c.output, got)
		}
	}
}

func TestAPlanIsCarriedOut(t *testing.T) {
	dir := t.TempDir()
	unit, data := filepath.Join(dir, "units", "mneme.service"), filepath.Join(dir, "data")
	failing := []string{"mneme-no-such-command"}
	plan := Plan{{Write: unit, Text: "text", Mode: 0o644}, {Folder: data}, {Command: failing, MayFail: true}}
	if err := Run(t.Context(), append(plan, plan...)); err != nil { // the second replaces the first
		t.Fatal(err)
	}
	if text, err := os.ReadFile(unit); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if files, err := os.ReadDir(filepath.Dir(unit)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if info, err := os.Stat(data); err != nil || !info.IsDir() {
		t.Errorf("no folder: %v", err)
	}
	if err := Run(t.Context(), Plan{{Command: failing}, {Delete: unit}}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := Run(t.Context(), Plan{{Delete: unit}}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(unit); err == nil {
		t.Error("a failed plan went on, or a file was not deleted")
	}
}
