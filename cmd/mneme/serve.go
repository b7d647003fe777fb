package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/configs"
	"mneme/internal/compose"
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
			return p.serve(cmd.Context(), config, consoleAgent)
		}),
	}
	cmd.Flags().StringVar(&consoleAgent, "console-agent", "me", "`agent` that the console's link, printed to a terminal, signs in as")
	cmd.Flags().String("addr", configs.Default().Addr, "`address` to listen on, or unix: and the path of a socket; port 0 picks a free port")
	return cmd
}

func (p *program) serve(ctx context.Context, config configs.Config, consoleAgent string) (err error) {
	log := p.logger(config.Log)
	if unknown := configs.UnknownVariables(clientVariables...); len(unknown) > 0 {
		log.Warn("unknown MNEME_ environment variables are set", "names", unknown)
	}
	// Listen first, to report a port in use before opening anything.
	listener, err := openListener(ctx, config)
	if err != nil {
		return err
	}
	defer listener.Close() // the server closes it too, if it runs
	service, err := compose.Open(ctx, config, log)
	if err != nil {
		return err
	}
	defer closeJoin(service, &err)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	verifier, err := compose.NewVerifier(background, config, log)
	if err != nil {
		return err
	}
	page, link, err := p.openConsole(config, listener.Addr(), consoleAgent)
	if err != nil {
		return err
	}
	front, err := compose.NewServer(service, verifier, config, thisBuild().backend(), log, page)
	if err != nil {
		return err
	}
	// The workers outlive the last request, which may be waiting for its vectors.
	group, serving := errgroup.WithContext(ctx)
	group.Go(func() error { return service.Run(background) })
	group.Go(func() error {
		defer stop()
		return front.Serve(serving, listener)
	})
	if err := p.greet(config, listener.Addr(), link); err != nil {
		stop()
		return errors.Join(err, group.Wait())
	}
	return group.Wait()
}

func openListener(ctx context.Context, config configs.Config) (net.Listener, error) {
	listener, err := listen.Open(ctx, config.Addr, config.SocketMode())
	if errors.Is(err, listen.ErrInUse) {
		return nil, &inUseError{config.Addr}
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
