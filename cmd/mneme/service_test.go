package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mneme/cmd/mneme/service"
)

// A service uses the data folder that its configuration file names: in another folder, it
// would start with an empty database.
func TestServiceUsesTheDataFolderOfTheConfigurationFile(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MNEME_DATA_DIR", filepath.Join(here, "variable")) // the service does not see this variable
	mine, given := filepath.Join(here, "mine"), filepath.Join(here, "given")
	for _, c := range []struct {
		file, want string
		flags      []string
	}{
		{"data_dir: '" + mine + "'\n", mine, nil},
		{"data_dir: mine\n", mine, nil}, // as mneme serve would resolve it here
		{"data_dir: '" + mine + "'\n", given, []string{"--data-dir", given}},
	} {
		if err := os.WriteFile("mneme.yaml", []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"service", "install", "--print", "--config", "mneme.yaml"}, c.flags...)
		if out := must(t, "", "", args...); !strings.Contains(out, "--data-dir="+c.want) {
			t.Errorf("%s%q:\n%s", c.file, c.flags, out)
		}
		if runtime.GOOS == "linux" {
			if r := mneme(t, "", "", append(args, "--system")...); r.status != exitUsage || !strings.Contains(r.err, "data_dir") {
				t.Errorf("%s%q of the machine: %+v", c.file, c.flags, r)
			}
		}
		install, _, err := newRoot(&program{}).Find(args[:2])
		if err != nil {
			t.Fatal(err)
		}
		if err := install.ParseFlags(c.flags); err != nil {
			t.Fatal(err)
		}
		for _, system := range []string{"linux", "darwin", "freebsd", "windows"} {
			unit := service.Unit{Program: "/usr/bin/mneme", Home: "/home/ann", System: system != "linux", Account: "ann"}
			if err := addSettings(&unit, install, "mneme.yaml"); err != nil {
				t.Fatal(err)
			}
			plan, err := service.Install(system, unit)
			text := strings.ReplaceAll(fmt.Sprint(plan), `\\`, `\`) // systemd's units double the backslashes of Windows
			if err != nil || !strings.Contains(text, "--data-dir="+c.want) {
				t.Errorf("%s on %s: %v\n%s", c.file, system, err, text)
			}
		}
	}
}
