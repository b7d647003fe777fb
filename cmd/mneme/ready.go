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

	client "mneme/clients/go"
	"mneme/configs"
)

// newReady makes the command that health checks run: an image that holds the
// program alone has neither a shell nor curl.
func newReady(p *program) *cobra.Command {
	var address string
	var timeout time.Duration
	var vectors bool
	cmd := &cobra.Command{
		Use:   "ready",
		Short: "Ask a running server whether it can serve, for health checks",
		Long: `Asks the server that the configuration describes (or the one at --url) whether
it can serve, and succeeds if so. Without vectors it can: searches answer by
words alone. --vectors asks for these too.`,
		Args: cobra.NoArgs,
		RunE: p.do(func(cmd *cobra.Command, _ []string) error {
			config, err := p.configure(cmd)
			if err != nil {
				return err
			}
			if timeout <= 0 {
				return usageError{errors.New("--timeout must be above 0")}
			}
			if address == "" {
				if address, err = urlOf(config.Addr); err != nil {
					return usageError{err}
				}
			}
			server, err := dial(config, callerFlags{}, address)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			return p.askReady(ctx, server.address, vectors)
		}),
	}
	flags := cmd.Flags()
	flags.String("addr", configs.Default().Addr, "the `address` that the server was told to listen on")
	flags.StringVar(&address, "url", "", "ask the server at this address")
	flags.BoolVar(&vectors, "vectors", false, "fail, too, while no model serves questions by meaning")
	flags.DurationVar(&timeout, "timeout", 4*time.Second, "how long to wait for the answer")
	return cmd
}

// urlOf is where a server that listens on addr is reached from its own
// machine.
func urlOf(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", errors.New("with port 0 only --url tells where the server is")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // all addresses are this one, too
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

// withoutURL removes the URL from an error of net/http.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func (p *program) askReady(ctx context.Context, address string, vectors bool) error {
	base, err := url.Parse(address)
	if err != nil {
		return usageError{client.ErrAddress}
	}
	// The generated call takes the answer as it is: 503 has a body too.
	api, err := client.NewClient(address)
	if err != nil {
		return usageError{client.ErrAddress}
	}
	response, err := api.Readyz(ctx)
	if err != nil {
		return fmt.Errorf("server %s: %w", base.Host, withoutURL(err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return fmt.Errorf("server %s: %w", base.Host, err)
	}
	var answer client.Ready
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("server %s answers %d, and not as mneme does", base.Host, response.StatusCode)
	}
	if p.json {
		if err := p.printJSON(json.RawMessage(body)); err != nil {
			return err
		}
	}
	switch {
	case !answer.Storage:
		return fmt.Errorf("server %s is not ready: its storage does not answer", base.Host)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("server %s is not ready: it is stopping", base.Host)
	case vectors && !answer.Vector:
		return fmt.Errorf("server %s has no vectors to answer by", base.Host)
	}
	if !p.json {
		_, err = fmt.Fprintf(p.out, "ready; %d entries wait for their vectors, the oldest for %.0f s\n", answer.QueueDepth, answer.QueueLagS)
	}
	return err
}
