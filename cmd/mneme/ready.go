package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"mneme/clients/go/api"
	"mneme/configs"
)

// newReady returns the command for health checks: an image with only this program has
// neither a shell nor curl.
func newReady(p *program) *cobra.Command {
	var address string
	var timeout time.Duration
	var vectors bool
	cmd := &cobra.Command{
		Use:   "ready",
		Short: "Check whether a running server is ready, for health checks",
		Long: `Exits with status 0 if the configured server, or the one at --url, is ready. A
server whose vector index is down is ready, since it still searches by words;
--vectors requires the vector index too.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if timeout <= 0 {
				return usageError{errors.New("--timeout must be above 0")}
			}
			server := itself{address: address}
			if address == "" {
				if server, err = ownServer(config); err != nil {
					return usageError{err}
				}
			}
			if _, err := dial(config, callerFlags{}, server.address); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			return p.askReady(ctx, server, vectors)
		}),
	}
	flags := cmd.Flags()
	flags.String("addr", configs.Default().Addr, "`address` that the server listens on")
	flags.StringVar(&address, "url", "", "check the server at this address")
	flags.BoolVar(&vectors, "vectors", false, "also fail while the vector index is down")
	durationVar(flags, &timeout, "timeout", 4*time.Second, "how long to wait for a response")
	return cmd
}

// urlOf returns the URL at which the same machine can reach a server that listens on addr.
func urlOf(addr string, encrypted bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", errors.New("the port of a server that listens on port 0 is unknown: use --url")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // the server listens on all addresses
	}
	scheme := "http"
	if encrypted {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port), nil
}

// withoutURL removes the URL from an error of net/http.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// askReady requests a server's readiness and prints it.
func (p *program) askReady(ctx context.Context, server itself, vectors bool) error {
	host, response, err := server.ready(ctx)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return fmt.Errorf("server %s: %w", host, err)
	}
	var answer api.Ready
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("server %s returned status %d, but not mneme's answer", host, response.StatusCode)
	}
	if p.json {
		if err := p.printJSON(json.RawMessage(body)); err != nil {
			return err
		}
	}
	switch {
	case !answer.Storage:
		return fmt.Errorf("server %s is not ready: its storage is unavailable", host)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("server %s is not ready: it is shutting down", host)
	case vectors && !answer.Vector:
		return fmt.Errorf("the vector index of server %s is down", host)
	}
	if p.json {
		return nil
	}
	if answer.QueueDepth == nil || answer.QueueLagS == nil { // the caller is no operator, or the queue was not counted
		_, err = fmt.Fprintln(p.out, "ready")
		return err
	}
	_, err = fmt.Fprintf(p.out, "ready; %d entries waiting to be indexed, the oldest for %.0f s\n", *answer.QueueDepth, *answer.QueueLagS)
	return err
}
