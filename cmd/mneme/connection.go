package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/server/inprocess"
	"mneme/server/token"
)

// connection calls the REST API: over HTTP, or with the server's handler in this process.
// One code path serves both.
type connection struct {
	// instance is the Service in this process, for operations that the API lacks. It is
	// nil over HTTP.
	instance *compose.Instance
	address  string
	http     *http.Client // nil: the client's default
	token    func(acl.Principal) (string, error)
	as       callerFlags
	clients  map[string]*client.Client // by acting agent
	wait     func()                    // blocks until no handler is running
}

// opener opens a Service: compose.Open, or compose.OpenRows if no vectors are needed.
type opener func(context.Context, configs.Config, *slog.Logger) (*compose.Instance, error)

// catchUpTime bounds the time for computing vectors before a search.
const catchUpTime = 5 * time.Second

// openCaughtUp opens a Service for searching. With SQLite, it first computes missing
// vectors for at most catchUpTime, since no server may be running that does so. With
// PostgreSQL, a server is running.
func openCaughtUp(ctx context.Context, config configs.Config, log *slog.Logger) (*compose.Instance, error) {
	instance, err := compose.Open(ctx, config, log)
	if err != nil || config.Storage != "sqlite" {
		return instance, err
	}
	if err := instance.CatchUp(ctx, time.Now().Add(catchUpTime)); err != nil {
		log.WarnContext(ctx, "missing vectors could not be computed", "error", err)
	}
	return instance, nil
}

// connect opens a connection to the server at address, or, if address is "",
// to a Service that open opens in this process. The caller closes it.
func (p *program) connect(ctx context.Context, config configs.Config, as callerFlags, address string, open opener) (*connection, error) {
	if address != "" {
		return dial(config, as, address)
	}
	instance, err := open(ctx, config, p.logger(config.Log))
	if err != nil {
		return nil, err
	}
	c, err := p.connectTo(instance, config, as)
	if err != nil {
		return nil, errors.Join(err, instance.Close())
	}
	return c, nil
}

// connectToRead is connect for a command that only reads. It fails if the data folder has
// no database: most likely it is the wrong folder.
func (p *program) connectToRead(ctx context.Context, config configs.Config, as callerFlags, address string, open opener) (*connection, error) {
	if address == "" && !compose.HasData(config) {
		return nil, fmt.Errorf("no memories here: %s; --data-dir or MNEME_DATA_DIR", config.DataDir)
	}
	return p.connect(ctx, config, as, address, open)
}

// connectTo connects to a Service in this process.
func (p *program) connectTo(instance *compose.Instance, config configs.Config, as callerFlags) (*connection, error) {
	tokens := newProcessTokens()
	// The command's own requests need no rate limits and no TLS.
	config.Rate, config.TLS = configs.Rate{}, configs.TLS{}
	handler, err := compose.NewServer(instance, tokens, config, thisBuild().backend(), p.warnings(config.Log))
	if err != nil {
		return nil, err
	}
	transport := inprocess.New(handler)
	return &connection{
		instance: instance, address: "http://mneme", http: &http.Client{Transport: transport}, token: tokens.mint,
		as: as, clients: make(map[string]*client.Client), wait: transport.Wait,
	}, nil
}

// warnings returns the log of a server in this process. It omits the lines logged
// for each request, since the requests are the command's own.
func (p *program) warnings(config configs.Log) *slog.Logger {
	if config.Level == "debug" || config.Level == "info" {
		config.Level = "warn"
	}
	return p.logger(config)
}

// dial connects to the server at address. The token is MNEME_TOKEN, or else one
// signed with the local key for the acting agent.
func dial(config configs.Config, as callerFlags, address string) (*connection, error) {
	if _, err := client.New(address, client.Options{}); err != nil {
		return nil, usageError{errors.New("--url must be the URL of a server, such as http://127.0.0.1:7077 or unix:///run/mneme.sock")}
	}
	return &connection{
		address: address,
		token:   func(p acl.Principal) (string, error) { return tokenOf(config, p, tokenLife) },
		as:      as, clients: make(map[string]*client.Client), wait: func() {},
	}, nil
}

// tokenLife is the lifetime of a command's token.
const tokenLife = 12 * time.Hour

// tokenOf returns MNEME_TOKEN, or else a token signed with the local key. It refuses a
// mneme token of another agent: the server would act as that agent.
func tokenOf(config configs.Config, p acl.Principal, life time.Duration) (string, error) {
	if given := os.Getenv("MNEME_TOKEN"); given != "" {
		if agent := token.AgentOf(given); agent != "" && agent != p.Agent {
			return "", usageError{fmt.Errorf("MNEME_TOKEN is of agent %s, and --agent is %s", plain(agent), plain(p.Agent))}
		}
		return given, nil
	}
	return mint(config, p, life)
}

// client returns the client that acts as agent.
func (c *connection) client(agent string) (*client.Client, error) {
	if known := c.clients[agent]; known != nil {
		return known, nil
	}
	principal, err := c.as.principal(agent)
	if err != nil {
		return nil, err
	}
	made, err := c.clientOf(principal)
	if err == nil {
		c.clients[agent] = made
	}
	return made, err
}

// clientOf returns a client that acts as a principal.
func (c *connection) clientOf(principal acl.Principal) (*client.Client, error) {
	token := renewed(func() (string, error) { return c.token(principal) })
	if _, err := token(context.Background()); err != nil {
		return nil, err
	}
	return client.New(c.address, client.Options{Token: token, HTTP: c.http})
}

// renewed returns a source of tokens that replaces a token after half of its life: a
// command may run for days.
func renewed(mint func() (string, error)) func(context.Context) (string, error) {
	var mu sync.Mutex
	var token string
	var made time.Time
	return func(context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if token != "" && time.Since(made) < tokenLife/2 {
			return token, nil
		}
		next, err := mint()
		if err == nil {
			token, made = next, time.Now()
		}
		return next, err
	}
}

// local reports whether the server is in this process.
func (c *connection) local() bool { return c.instance != nil }

// failure returns the error of a call in the form that the command prints: without host
// and status if the server is in this process.
func (c *connection) failure(err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	if c.local() {
		err = errors.New(refused.Reason())
	}
	if refused.Price != nil && refused.Offer != nil {
		err = fmt.Errorf("%w; offer %s, at most %s credits", err, plain(*refused.Offer), credits(*refused.Price))
	}
	return err
}

// Close closes the Service in this process, if there is one.
func (c *connection) Close() error {
	c.wait()
	if c.instance == nil {
		return nil
	}
	return c.instance.Close()
}
