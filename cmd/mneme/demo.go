package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
)

func newDemo(p *program) *cobra.Command {
	d := demo{program: p}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Look around: a server with sample memories, and its console in the browser",
		Long: `Starts a server with sample memories in a folder of its own and opens its console in
the browser, signed in as the agent iris, which keeps a household. There are two more
agents: forge, which helps a team of programmers and shares its store with iris, and
hiker, which sells searches. Without a browser it prints the console's address.

It takes no settings but its flags, so it never touches your memories, and nothing
leaves this machine. Ctrl-C ends it, and removes the folder unless --dir names it;
a folder that is named is shown again, with what was changed, the next time.`,
		Args: cobra.NoArgs,
		RunE: p.do(d.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&d.dir, "dir", "", "`folder` that is kept; new, empty, or of an earlier demo (default: one that is removed)")
	flags.StringVar(&d.addr, "addr", "", "`address` of this machine to listen on (default: "+configs.Default().Addr+", or another port if that is taken)")
	flags.BoolVar(&d.noBrowser, "no-browser", false, "open no browser; nor does --json")
	return cmd
}

// demo is one run of the demo command.
type demo struct {
	*program
	dir, addr string
	noBrowser bool
	offer     string // the ID of hiker's offer
}

// foreignFlags are the flags by which all commands choose a configuration. The demo must
// not use them: they could name a service with memories of its own.
var foreignFlags = []string{"config", "data-dir", "storage", "vector", "embedder"}

func (d *demo) run(cmd *cobra.Command, _ []string) (err error) {
	for _, name := range foreignFlags {
		if cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("demo does not take --%s: its memories are in a folder of its own, which --dir names", name)}
		}
	}
	// Closing the terminal ends the demo, too: otherwise its folder would remain.
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
	defer stop()
	config := configs.Default()
	config.Log.Level = "warn" // the log of requests does not matter here
	listener, err := d.listen(ctx, config.Addr)
	if err != nil {
		return err
	}
	folder, err := openDemoFolder(d.dir)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	config.DataDir = folder.path
	return d.serveOn(ctx, config, listener, welcome{
		visitor: acl.Principal{Agent: household, Taint: acl.Public, Platform: true},
		link:    true, // safe to print: it gives access only to samples
		prepare: func(ctx context.Context, service *compose.Instance) error {
			return d.fill(ctx, service, config, folder)
		},
		greet: func(config configs.Config, listening net.Addr, link string) error {
			return d.greet(ctx, config, listening, link)
		},
	})
}

// listen listens on the given address, which must be on loopback, or else on the usual one
// or, if that is in use, on a free port.
func (d *demo) listen(ctx context.Context, usual string) (net.Listener, error) {
	if d.addr == "" {
		listener, err := openListener(ctx, usual, 0)
		var taken *inUseError
		if errors.As(err, &taken) {
			return openListener(ctx, "127.0.0.1:0", 0)
		}
		return listener, err
	}
	if at, err := netip.ParseAddrPort(d.addr); err != nil || !at.Addr().IsLoopback() {
		return nil, usageError{errors.New("--addr must be a loopback address with a port, such as 127.0.0.1:7078: the demo is for this machine alone")}
	}
	return openListener(ctx, d.addr, 0)
}

// fill writes the samples, unless the folder has them.
func (d *demo) fill(ctx context.Context, service *compose.Instance, config configs.Config, folder *demoFolder) error {
	to, err := d.connectTo(service, config, callerFlags{taint: acl.Public.String()})
	if err != nil {
		return err
	}
	defer to.wait()
	s := sampleWriter{
		program: d.program, to: to, keyFile: filepath.Join(config.DataDir, demoKeys),
		embed: func(ctx context.Context) error { return service.Drain(ctx, nil) },
	}
	if !folder.filled {
		if err := s.write(ctx); err != nil {
			return fmt.Errorf("sample memories: %w", to.failure(err))
		}
		if err := folder.finish(); err != nil {
			return err
		}
	}
	d.offer, err = s.openOffer(ctx)
	return err
}

// A demo's folder has a file that marks it, and records whether all samples are written.
const (
	demoFile       = "demo"
	demoUnfinished = "unfinished\n"
	demoFinished   = "finished\n"
	// demoKeys are the keys of the encrypted value.
	demoKeys = "demo.keys"
)

// demoFolder is the data folder of a demo.
type demoFolder struct {
	path      string
	temporary bool // removed by close
	filled    bool // whether it has the samples
}

// openDemoFolder creates a temporary folder or, with a path, uses that folder: it must be
// new, empty, or a demo's.
func openDemoFolder(path string) (*demoFolder, error) {
	if path == "" {
		path, err := os.MkdirTemp("", "mneme-demo-*")
		return &demoFolder{path: path, temporary: true}, err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	state, err := os.ReadFile(filepath.Join(path, demoFile))
	switch {
	case err == nil && string(state) == demoFinished:
		return &demoFolder{path: path, filled: true}, nil
	case err == nil:
		return nil, fmt.Errorf("--dir: a demo was interrupted in %s before it had written its samples: remove the folder, or name another", path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := compose.MakeDataDir(path); err != nil {
		return nil, err
	}
	if inside, err := os.ReadDir(path); err != nil || len(inside) > 0 {
		return nil, errors.Join(err, usageError{fmt.Errorf("--dir: %s has other files: name a new folder, an empty one, or that of an earlier demo", path)})
	}
	return &demoFolder{path: path}, os.WriteFile(filepath.Join(path, demoFile), []byte(demoUnfinished), 0o600)
}

// finish records that the samples are written.
func (f *demoFolder) finish() error {
	f.filled = true
	if f.temporary {
		return nil
	}
	return os.WriteFile(filepath.Join(f.path, demoFile), []byte(demoFinished), 0o600)
}

// close removes a temporary folder.
func (f *demoFolder) close() error {
	if !f.temporary {
		return nil
	}
	return os.RemoveAll(f.path)
}
