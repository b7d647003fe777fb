package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/server/listen"
)

func newServe(p *program) *cobra.Command {
	var consoleAgent string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Runs the HTTP server, by default on loopback only, with the configured storage,
vector index and embedder, which by default all run within this process. Shuts
down gracefully on SIGINT or SIGTERM.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			settings, err := configs.Explain(config, p.configFile(), cmd.Flags())
			if err != nil {
				return usageError{err}
			}
			return p.serve(cmd.Context(), config, settings, consoleAgent)
		}),
	}
	cmd.Flags().StringVar(&consoleAgent, "console-agent", "me", "`agent` that the console's link, printed to a terminal, signs in as")
	cmd.Flags().String("addr", configs.Default().Addr, "`address` to listen on, or unix: and the path of a socket; port 0 picks a free port")
	return cmd
}

func (p *program) serve(ctx context.Context, config configs.Config, settings []configs.Setting, consoleAgent string) error {
	logStart(ctx, p.logger(config.Log), config, settings)
	// Listen first, to report a port in use before opening anything.
	listener, err := openListener(ctx, config.Addr, config.SocketMode())
	if err != nil {
		return err
	}
	return p.serveOn(ctx, config, listener, welcome{
		visitor: acl.Principal{Agent: consoleAgent, Taint: acl.Public},
		link:    !p.json && onTerminal(p.out),
		greet:   p.greet,
	})
}

// welcome configures what a server prepares before it is ready, and what it then prints for
// people.
type welcome struct {
	visitor acl.Principal // as whom the console's link signs in
	link    bool          // whether the link may be printed
	// prepare, if not nil, runs before the server answers.
	prepare func(context.Context, *compose.Instance) error
	greet   func(config configs.Config, listening net.Addr, link string) error
}

// serveOn serves on a listener, which it closes, until ctx is done.
func (p *program) serveOn(ctx context.Context, config configs.Config, listener net.Listener, w welcome) (err error) {
	defer listener.Close() // the server closes it too, if it runs
	log, began := p.logger(config.Log), time.Now()
	if err := compose.Partition(ctx, config); err != nil {
		return err
	}
	service, err := compose.Open(ctx, config, log)
	if err != nil {
		return err
	}
	defer func() {
		closeJoin(service, &err)
		if err != nil {
			log.ErrorContext(ctx, "stopped", "error", err)
		} else {
			log.InfoContext(ctx, "stopped")
		}
	}()
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	verifier, err := compose.NewVerifier(background, config, log)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		verifier.Wait()
	}()
	page, link, err := openConsole(config, listener.Addr(), w)
	if err != nil {
		return err
	}
	front, err := compose.NewServer(service, verifier, config, thisBuild().backend(), log, page)
	if err != nil {
		return err
	}
	if w.prepare != nil {
		if err := w.prepare(ctx, service); err != nil {
			return err
		}
	}
	// The workers outlive the last request, which may be waiting for its vectors.
	group, serving := errgroup.WithContext(ctx)
	group.Go(func() error { return service.Run(background) })
	group.Go(func() error {
		defer stop()
		return front.Serve(serving, listener)
	})
	err = logReady(ctx, log, config, listener.Addr(), began)
	if err == nil {
		err = w.greet(config, listener.Addr(), link)
	}
	if err != nil {
		stop()
		return errors.Join(err, group.Wait())
	}
	return group.Wait()
}

// openListener listens on host:port, or on unix: and a path, whose file gets the mode.
func openListener(ctx context.Context, addr string, mode os.FileMode) (net.Listener, error) {
	listener, err := listen.Open(ctx, addr, mode)
	if errors.Is(err, listen.ErrInUse) {
		return nil, &inUseError{addr}
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return listener, nil
}

// inUseError reports that something listens on an address.
type inUseError struct{ addr string }

func (e *inUseError) Error() string {
	return e.addr + " is already in use, perhaps by another mneme: stop it, or choose another address with --addr"
}
