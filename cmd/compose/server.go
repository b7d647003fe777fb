package compose

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"mneme/acl"
	"mneme/configs"
	"mneme/server"
	"mneme/server/checkout"
	"mneme/server/limit"
	"mneme/server/listen"
	"mneme/server/mcp"
	"mneme/server/rest"
	"mneme/server/robutler"
	"mneme/server/token"
	"mneme/server/tool"
	"mneme/server/wire"
)

// Build identifies the running program, to metrics and to MCP clients.
type Build struct{ Version, Revision string }

// NewServer returns the HTTP server of an Instance, with every surface that calls it, the
// surfaces others, and new metrics. verifier checks the credentials of requests: a
// listening server takes the one that NewVerifier returns, and a server for requests within
// the process has a verifier of its own. The server is an http.Handler, and Serve runs it
// on a listener. It does not run the Instance's background work.
func NewServer(instance *Instance, verifier server.Verifier, config configs.Config, build Build, log *slog.Logger, others ...server.Surface) (*server.Server, error) {
	metrics := server.NewMetrics()
	instance.sales.follow(metrics)
	metrics.Build(build.Version, build.Revision)
	metrics.Describe(facts(instance, config, build))
	native, err := rest.New(instance.Service, instance.Market, metrics, config.Limits.ValueBytes)
	if err != nil {
		return nil, err
	}
	desk := checkout.Desk{Methods: instance.payments, PublicURL: config.PublicURL}
	native.TakePayments(desk)
	// Other verifiers read no API keys from the data folder.
	if listening, ok := verifier.(*token.Verifier); ok {
		native.ManageKeys(listening.Keyring())
	}
	connections, err := connectionLimits(config.Connections)
	if err != nil {
		return nil, err
	}
	operators, err := config.Connections.OperatorNetworks()
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("configuration: %w", err)}
	}
	encryption, err := tlsConfig(config.TLS, log)
	if err != nil {
		return nil, err
	}
	tools := NewTools(instance, config, metrics)
	return server.New(server.Options{
		Service:  instance,
		Verifier: verifier,
		Metrics:  metrics,
		Surfaces: append([]server.Surface{
			native,
			robutler.New(instance.Service, instance.Market, desk, metrics, config.Limits.ValueBytes),
			tool.NewSurface(tools.Over("http")),
			mcp.NewSurface(tools.Over("mcp"), mcp.Options{
				Version: build.Version, PublicURL: config.PublicURL, Origins: config.CORS.Origins,
				AuthorizationServers: issuers(config), Meter: metrics,
			}),
		}, others...),
		PublicURL:   config.PublicURL != "",
		BasePath:    config.BasePath(),
		MaxBody:     wire.MaxEscapedBody(config.Limits.ValueBytes),
		Log:         log,
		Tracer:      instance.tracing.Tracer("mneme/server"),
		Connections: connections,
		Operators:   operators,
		Rates: server.Rates{
			Requests: limit.Rate{PerSecond: config.Rate.Requests, Burst: 2 * config.Rate.Requests},
			Refusals: limit.Rate{PerSecond: config.Rate.Refusals},
			Proxies:  connections.Exempt,
		},
		TLS:  encryption,
		CORS: server.CORS{Origins: config.CORS.Origins, Credentials: config.CORS.Credentials, MaxAge: config.CORS.MaxAge},
		Timeouts: server.Timeouts{
			Idle:  config.Connections.IdleTimeout,
			Stall: limit.Stall{Timeout: config.Connections.StallTimeout},
		},
	}), nil
}

// tlsConfig returns the configuration of a listening server's TLS; nil if it has none.
func tlsConfig(c configs.TLS, log *slog.Logger) (*tls.Config, error) {
	if c.Cert == "" {
		return nil, nil
	}
	certificate, err := listen.OpenCertificate(c.Cert, c.Key, time.Now, log)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("configuration: %w", err)}
	}
	return certificate.Config(), nil
}

func connectionLimits(c configs.Connections) (limit.Connections, error) {
	proxies, err := c.Proxies()
	if err != nil {
		return limit.Connections{}, &ConfigError{fmt.Errorf("configuration: %w", err)}
	}
	return limit.Connections{Total: c.Total, PerAddress: c.PerAddress, Exempt: proxies}, nil
}

// KnownTools returns the tools that config enables without an Instance, for their
// definitions.
func KnownTools(config configs.Config) *tool.Tools { return tool.New(nil, toolOptions(config)) }

// NewTools returns the tools of an Instance that config enables, whose searches may
// buy. A nil meter counts no calls.
func NewTools(instance *Instance, config configs.Config, meter tool.Meter) *tool.Tools {
	options := toolOptions(config)
	options.Meter, options.Market, options.Payments = meter, instance.Market, instance.payments
	return tool.New(instance.Service, options)
}

// toolOptions returns the configured options of the tools.
func toolOptions(config configs.Config) tool.Options {
	families := config.Tools
	// configs.Config.Check has rejected invalid names.
	listed, _ := tool.ParseFamilies(strings.Join(families.Listed, ","))
	return tool.Options{
		NoMemory: !families.Memory, NoTriggerfish: !families.Triggerfish, NoMAESTRO: !families.MAESTRO, NoKeyValue: !families.KV,
		Listed: listed, ValueLimit: config.Limits.ValueBytes,
	}
}

// UsesLocalKey reports whether tokens signed with the local key are valid.
func UsesLocalKey(config configs.Config) bool {
	return config.Auth.LocalKey == "on" || config.Auth.LocalKey == "auto" && len(config.Auth.Issuers) == 0
}

// NewVerifier returns a verifier of the configured credentials: tokens of remote
// issuers, tokens signed with the local key, and API keys. It refreshes the keys
// of remote issuers until ctx is done.
func NewVerifier(ctx context.Context, config configs.Config, log *slog.Logger) (*token.Verifier, error) {
	options := token.Options{Log: log, Uses: token.OpenUses(config.DataDir)}
	for i, from := range config.Auth.Issuers {
		var taint acl.Label
		if from.MaxTaint != "" {
			var err error
			if taint, err = acl.ParseLabel(from.MaxTaint); err != nil {
				return nil, &ConfigError{fmt.Errorf("configuration: auth.issuers[%d].max_taint: %w", i, err)}
			}
		}
		options.Issuers = append(options.Issuers, token.Issuer{
			Issuer: from.Issuer, Audience: from.Audience, Algorithm: from.Algorithm, JWKS: from.JWKS,
			Subjects: from.Subjects, MaxTaint: taint, Scopes: from.Scopes,
			RefreshEvery: from.Refresh, RefreshUnknown: from.RefreshUnknown,
		})
	}
	if UsesLocalKey(config) {
		var err error
		if options.Local, err = token.OpenLocalKey(config.DataDir); err != nil {
			return nil, err
		}
		if options.Issued, err = token.OpenIssued(config.DataDir); err != nil {
			return nil, err
		}
	}
	var err error
	if options.APIKeys, err = token.OpenAPIKeys(config.DataDir); err != nil {
		return nil, err
	}
	return token.NewVerifier(ctx, options)
}

// issuers returns the names of the remote token issuers.
func issuers(config configs.Config) []string {
	var names []string
	for _, from := range config.Auth.Issuers {
		names = append(names, from.Issuer)
	}
	return names
}
