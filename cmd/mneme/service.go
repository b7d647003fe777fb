package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"mneme/cmd/mneme/service"
	"mneme/configs"
)

func newService(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Run the server as a service of the operating system",
		Long: `Installs, removes and shows the server as a service: under systemd on Linux, launchd
on macOS, rc.d on FreeBSD, and the service manager on Windows. Without --system it is
the user's, and starts when that user logs in; with it, it is the machine's, and
starts with the machine, which needs the rights of an administrator. Windows and
FreeBSD have the second kind only.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newServiceInstall(p), newServiceRemove(p), newServiceStatus(p))
	return cmd
}

// systemFlag adds --system, the default on Windows and FreeBSD.
func systemFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("system", false, "a service of the machine (always so on Windows and FreeBSD)")
}

// printFlag adds --print.
func printFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("print", false, "print what would be written and run, and do nothing")
}

func newServiceInstall(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install [--system] [--print]",
		Short: "Install the server as a service and start it",
		Long: `Installs this program as a service that runs mneme serve, and starts it. Installing
again changes the settings. The service takes --config, --addr, --data-dir,
--storage, --vector and --embedder as they are given here; it does not see this
shell's environment variables. Secrets belong in the file that --config names.`,
		Args: cobra.NoArgs,
	}
	system, show := systemFlag(cmd), printFlag(cmd)
	cmd.Flags().String("addr", configs.Default().Addr, "`address` to listen on")
	cmd.RunE = p.do(func(cmd *cobra.Command, _ []string) error {
		unit, err := p.unit(cmd, *system)
		if err != nil {
			return err
		}
		plan, err := service.Install(runtime.GOOS, unit)
		if err != nil {
			return usageError{err}
		}
		if unseen := environmentOfSettings(); len(unseen) > 0 && !*show {
			fmt.Fprintf(p.err, "mneme: the service will not see %s: use flags or --config\n", strings.Join(unseen, ", "))
		}
		return p.carryOut(cmd.Context(), plan, *show, "installed; mneme service status shows whether it runs")
	})
	return cmd
}

func newServiceRemove(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove [--system] [--print]",
		Short: "Stop the service and remove it; its data stays",
		Args:  cobra.NoArgs,
	}
	system, show := systemFlag(cmd), printFlag(cmd)
	cmd.RunE = p.do(func(cmd *cobra.Command, _ []string) error {
		unit, err := p.unit(cmd, *system)
		if err != nil {
			return err
		}
		plan, err := service.Remove(runtime.GOOS, unit)
		if err != nil {
			return usageError{err}
		}
		return p.carryOut(cmd.Context(), plan, *show, "removed; its data is kept")
	})
	return cmd
}

// Errors of service status.
var (
	errNotInstalled = errors.New("the service is not installed: mneme service install")
	errNotRunning   = errors.New("the service does not run")
)

func newServiceStatus(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [--system]",
		Short: "Show whether the service is installed and runs",
		Long:  "Exits with status 0 if the service runs. mneme ready also asks it whether it is ready.",
		Args:  cobra.NoArgs,
	}
	system := systemFlag(cmd)
	cmd.RunE = p.do(func(cmd *cobra.Command, _ []string) error {
		unit, err := p.unit(cmd, *system)
		if err != nil {
			return err
		}
		state, err := service.Status(cmd.Context(), runtime.GOOS, unit)
		if err != nil {
			return err
		}
		if p.json {
			if err := p.printJSON(state); err != nil {
				return err
			}
		}
		switch {
		case !state.Installed:
			return errNotInstalled
		case !state.Running:
			return errNotRunning
		case p.json:
			return nil
		}
		_, err = fmt.Fprintln(p.out, "running")
		return err
	})
	return cmd
}

// carryOut runs a plan, or only prints it.
func (p *program) carryOut(ctx context.Context, plan service.Plan, show bool, done string) error {
	if show {
		_, err := fmt.Fprint(p.out, plan)
		return err
	}
	err := service.Run(ctx, plan)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; a service of the machine needs an administrator (sudo)", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, done)
	return err
}

// unit returns the service that the command line describes.
func (p *program) unit(cmd *cobra.Command, system bool) (service.Unit, error) {
	// A service with an invalid configuration would not start.
	if _, err := p.configure(cmd); err != nil {
		return service.Unit{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return service.Unit{}, err
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") && !strings.HasSuffix(strings.TrimSuffix(self, ".exe"), ".test") {
		return service.Unit{}, usageError{errors.New("go run deletes the program when it ends: build it first, go build ./cmd/mneme")}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return service.Unit{}, err
	}
	unit := service.Unit{
		Program: self, Home: home, UserID: os.Getuid(),
		System:  system || runtime.GOOS == "windows" || runtime.GOOS == "freebsd",
		Account: os.Getenv("SUDO_USER"), ProgramData: os.Getenv("ProgramData"),
	}
	if err := addSettings(&unit, cmd, p.configFile()); err != nil {
		return service.Unit{}, err
	}
	return unit, nil
}

// addSettings gives a service the settings of the command line. A user's service always
// gets its data folder: its environment may have another XDG_DATA_HOME. So does a service
// whose configuration file names a folder: flags and variables of units would override the
// file, and a relative path is relative to the folder of this shell, not to the service's.
func addSettings(unit *service.Unit, cmd *cobra.Command, configFile string) error {
	if configFile != "" {
		file, err := filepath.Abs(configFile)
		if err != nil {
			return err
		}
		unit.Args = append(unit.Args, "--config="+file)
	}
	for _, name := range []string{"addr", "storage", "vector", "embedder"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			unit.Args = append(unit.Args, "--"+name+"="+flag.Value.String())
		}
	}
	dir, err := cmd.Flags().GetString("data-dir")
	if err == nil && configFile != "" && !cmd.Flags().Changed("data-dir") {
		dir, err = configs.FileDataDir(configFile)
	}
	if err == nil && dir == "" && (!unit.System || runtime.GOOS == "darwin") {
		dir, err = configs.DefaultDataDir()
	}
	if err != nil || dir == "" {
		return err
	}
	unit.DataDir, err = filepath.Abs(dir)
	return err
}

// environmentOfSettings returns the names of the set environment variables that are
// settings, except the one that names the configuration file.
func environmentOfSettings() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "MNEME_") && name != "MNEME_CONFIG" && name != "MNEME_TOKEN" {
			names = append(names, name)
		}
	}
	return names
}
