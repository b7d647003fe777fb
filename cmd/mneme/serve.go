package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/backend"
	"mneme/configs"
)

func newServe(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long: `Runs the service on loopback, with all that it needs in this process unless the
configuration says otherwise. Ends in good order on SIGINT or SIGTERM.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			return p.serve(cmd.Context(), config)
		}),
	}
	cmd.Flags().String("addr", configs.Default().Addr, "`address` to listen on; port 0 takes a free one")
	return cmd
}

func (p *program) serve(ctx context.Context, config configs.Config) (err error) {
	log := p.logger(config.Log)
	if unknown := configs.UnknownVariables(clientVariables...); len(unknown) > 0 {
		log.Warn("variables that mean nothing to mneme are set", "names", unknown)
	}
	// The port first: whether it is free is known at once.
	listener, err := listen(ctx, config.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() // the server closes it too, unless it never ran
	service, err := backend.Open(ctx, config, log)
	if err != nil {
		return err
	}
	defer closing(service, &err)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	verifier, err := backend.NewVerifier(background, config, log)
	if err != nil {
		return err
	}
	front, err := backend.NewServer(service, verifier, config, thisBuild().backend(), log)
	if err != nil {
		return err
	}
	// The worker outlives the last request, which may wait for its vectors.
	group, serving := errgroup.WithContext(ctx)
	group.Go(func() error { return service.Run(background) })
	group.Go(func() error {
		defer stop()
		return front.Serve(serving, listener)
	})
	if err := p.greet(config, listener.Addr().String()); err != nil {
		stop()
		return errors.Join(err, group.Wait())
	}
	return group.Wait()
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use, maybe by another mneme: stop it, or choose another with --addr", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return listener, nil
}

// greet tells where the service is, and a first call to paste.
func (p *program) greet(config configs.Config, addr string) error {
	self := command(config)
	address, err := urlOf(addr)
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(map[string]string{"address": address, "data_dir": config.DataDir})
	}
	_, err = fmt.Fprintf(p.out, `mneme listens on %[1]s
its data lives in %[2]s

A first call, from another terminal:

  TOKEN=$(%[3]s token --agent me)
  curl -X PUT '%[1]s/v1/stores/self/memories/tea?wait=indexed' -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d '{"value": "I like my tea green, and never after five."}'
  curl %[1]s/v1/search -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d '{"query": "what do I drink in the afternoon?"}'

`, address, config.DataDir, self)
	return err
}

// command is how this program is called again over the same data folder.
func command(config configs.Config) string {
	self := os.Args[0]
	// go run builds into a folder that is gone afterwards.
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		self = "go run ./cmd/mneme"
	}
	if dir, err := configs.DefaultDataDir(); err != nil || dir != config.DataDir {
		self += " --data-dir " + quote(config.DataDir)
	}
	return self
}

// quote makes one word of text for a POSIX shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
