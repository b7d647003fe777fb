// Package configs loads mneme's configuration from defaults, a file, MNEME_*
// environment variables and flags. Each source overrides those before it.
package configs

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Embedders are the names of the embedders.
var Embedders = []string{"e5", "openai"}

// Config is the whole configuration. A field's key in a file is its tag; nested structs
// are nested maps. Its environment variable is MNEME_ followed by the keys in upper case,
// joined by underscores (MNEME_POSTGRES_DSN). Lists of structs can be set only in a file.
// example.yaml lists every key with its default.
type Config struct {
	// DataDir is the directory of the database, the local signing key and the
	// hashes of API keys. Empty: the default of DefaultDataDir.
	DataDir string `mapstructure:"data_dir"`
	// Storage is the storage backend: sqlite or postgres.
	Storage string `mapstructure:"storage"`
	// Vector is the vector index: flat (exact, in the process) or milvus.
	Vector string `mapstructure:"vector"`
	// Embedder is the embedder: e5 (in the process) or openai (any server with
	// the OpenAI embeddings API).
	Embedder string `mapstructure:"embedder"`
	// Addr is the address on which serve listens: host:port, or unix: and the path
	// of a Unix socket. Port 0 selects a free port.
	Addr string `mapstructure:"addr"`
	// SocketAccess is who may connect to a Unix socket: owner, group or everyone.
	SocketAccess string `mapstructure:"socket_access"`
	// PublicURL is the URL that clients use if it differs from the URL of incoming
	// requests, for example https://memory.example.com behind a reverse proxy. It may have
	// a path. It is advertised to clients.
	PublicURL string `mapstructure:"public_url"`

	Postgres Postgres `mapstructure:"postgres"`
	Milvus   Milvus   `mapstructure:"milvus"`
	E5       E5       `mapstructure:"e5"`
	OpenAI   OpenAI   `mapstructure:"openai"`
	Rerank   Rerank   `mapstructure:"rerank"`
	Limits   Limits   `mapstructure:"limits"`

	TLS         TLS         `mapstructure:"tls"`
	CORS        CORS        `mapstructure:"cors"`
	Connections Connections `mapstructure:"connections"`
	Rate        Rate        `mapstructure:"rate"`

	Search  Search  `mapstructure:"search"`
	Meter   Meter   `mapstructure:"meter"`
	Auth    Auth    `mapstructure:"auth"`
	Tools   Tools   `mapstructure:"tools"`
	Log     Log     `mapstructure:"log"`
	Tracing Tracing `mapstructure:"tracing"`
}

// Postgres configures the postgres storage.
type Postgres struct {
	// DSN is a connection string, postgres://user:password@host/database.
	DSN Secret `mapstructure:"dsn"`
	// Partitions is the number of partitions into which the tables are divided by store, 2
	// to 64. A server converts a database that is not partitioned. 0: as in the database.
	Partitions int `mapstructure:"partitions"`
}

// Milvus configures the milvus vector index.
type Milvus struct {
	Addr     string `mapstructure:"addr"` // host:port
	User     string `mapstructure:"user"`
	Password Secret `mapstructure:"password"`
	Database string `mapstructure:"database"` // a Milvus database; empty: the default one
	// Prefix starts the collections' names, so that several services can
	// share a Milvus. Empty: mneme.
	Prefix string    `mapstructure:"prefix"`
	TLS    MilvusTLS `mapstructure:"tls"`
}

// MilvusTLS configures TLS to Milvus. Files are PEM.
type MilvusTLS struct {
	Enabled    bool   `mapstructure:"enabled"`
	CAFile     string `mapstructure:"ca_file"`     // trusted authorities; empty: the system's
	ServerName string `mapstructure:"server_name"` // name that the server's certificate must carry; empty: addr's host
	CertFile   string `mapstructure:"cert_file"`   // client certificate
	KeyFile    string `mapstructure:"key_file"`
}

// E5 configures the e5 embedder.
type E5 struct {
	// Weights is a file written by mneme model pack. Empty: the built-in E5-small-v2.
	Weights string `mapstructure:"weights"`
	// Codes reports whether codes of each token are stored with the vectors: by these codes,
	// searches rank entries more precisely. Only the built-in model makes codes.
	Codes bool `mapstructure:"codes"`
}

// OpenAI configures the openai embedder.
type OpenAI struct {
	BaseURL string `mapstructure:"base_url"` // up to and including /v1
	APIKey  Secret `mapstructure:"api_key"`
	Model   string `mapstructure:"model"`
	// Revision distinguishes models with the same name, such as a retrained
	// one.
	Revision string `mapstructure:"revision"`
	Dim      int    `mapstructure:"dim"`      // length of the model's vectors
	SendDim  bool   `mapstructure:"send_dim"` // send dim in requests, for models that can shorten their vectors
	// QueryPrefix and PassagePrefix are prepended to queries and stored texts,
	// for models trained with such prefixes.
	QueryPrefix   string `mapstructure:"query_prefix"`
	PassagePrefix string `mapstructure:"passage_prefix"`
	// CosineUnrelated and CosineRelated are the usual cosines of a question with an
	// unrelated text, and with one that answers it.
	CosineUnrelated float64 `mapstructure:"cosine_unrelated"`
	CosineRelated   float64 `mapstructure:"cosine_related"`
	// MaxTokens is the model's context length; longer texts are split into
	// chunks.
	MaxTokens int           `mapstructure:"max_tokens"`
	Timeout   time.Duration `mapstructure:"timeout"` // per request
	// MaxLabel is the highest label of entries, and of sessions whose questions are sent.
	MaxLabel string `mapstructure:"max_label"`
}

// Rerank configures the service that reranks the first candidates of searches. Queries and
// memory text are sent to it.
type Rerank struct {
	// URL is the address of the endpoint, including the path. Empty: off.
	URL string `mapstructure:"url"`
	// Shape is the format of requests: cohere, jina, tei, or auto, which selects by the
	// URL's path.
	Shape string `mapstructure:"shape"`
	Model string `mapstructure:"model"` // required except by tei
	Key   Secret `mapstructure:"key"`   // sent as a bearer token
	// Scores is the meaning of the service's scores: probability (0 to 1) or logit.
	Scores  string        `mapstructure:"scores"`
	Timeout time.Duration `mapstructure:"timeout"` // per search; after it the search keeps its own order
	// MaxLabel is the highest label of a session whose questions and texts are sent.
	MaxLabel string `mapstructure:"max_label"`
}

// Limits limit what is stored.
type Limits struct {
	ValueBytes int           `mapstructure:"value_bytes"` // size of one value
	Keys       int64         `mapstructure:"keys"`        // live entries per store, label and last writer
	Bytes      int64         `mapstructure:"bytes"`       // total size of their values
	Grants     int64         `mapstructure:"grants"`      // unexpired grants of a store
	Retention  time.Duration `mapstructure:"retention"`   // a purge keeps entries deleted more recently than this
	// HistoryVersions is the number of versions that are stored of an entry, including the
	// current one.
	HistoryVersions int `mapstructure:"history_versions"`
	// ConditionBytes limits the bytes of values that a search, a list or a page of an
	// export reads, for conditions on values and phrases.
	ConditionBytes int64 `mapstructure:"condition_bytes"`
	// WriteWait is how long a write waits for other writes before it is refused.
	WriteWait time.Duration `mapstructure:"write_wait"`
}

// Connections limits the connections of clients to serve.
type Connections struct {
	Total      int `mapstructure:"total"`       // open connections from all clients; 0: no limit
	PerAddress int `mapstructure:"per_address"` // from one IPv4 address or IPv6 /64; 0: no limit
	// TrustedProxies are the networks (CIDR) of reverse proxies. PerAddress does not limit
	// their connections, and the client's address is the rightmost one of X-Forwarded-For
	// outside these networks.
	TrustedProxies []string `mapstructure:"trusted_proxies"`
	// Operators are the networks (CIDR) whose callers get all of /metrics and /readyz
	// without a token. Other callers need a token with the scope platform.
	Operators   []string      `mapstructure:"operators"`
	IdleTimeout time.Duration `mapstructure:"idle_timeout"` // between two requests
	// StallTimeout limits each wait for the next bytes of a body, and for a client to read
	// some of an answer.
	StallTimeout time.Duration `mapstructure:"stall_timeout"`
}

// Rate limits the requests that each process of serve accepts.
type Rate struct {
	Requests int `mapstructure:"requests"` // per second and agent, over all its tokens; 0: no limit
	Refusals int `mapstructure:"refusals"` // per second and address, without a valid token; 0: no limit
}

// Proxies returns TrustedProxies, parsed.
func (c Connections) Proxies() ([]netip.Prefix, error) {
	return networks("connections.trusted_proxies", c.TrustedProxies)
}

// OperatorNetworks returns Operators, parsed.
func (c Connections) OperatorNetworks() ([]netip.Prefix, error) {
	return networks("connections.operators", c.Operators)
}

func networks(key string, texts []string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for i, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%s[%d] must be a network, such as 10.0.0.0/8", key, i)
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

// Search limits a search.
type Search struct {
	// VectorBudget is the time limit of the vector leg, including embedding. When it
	// expires, the answer comes from the lexical leg and is marked degraded.
	VectorBudget time.Duration `mapstructure:"vector_budget"`
	// QueryCacheBytes bounds the cache of queries with their vectors.
	QueryCacheBytes int `mapstructure:"query_cache_bytes"`
	// CandidateCacheBytes limits the caches of rows that searches have read, of the data
	// by which they are scored, of values of up to 16 kB that were shown, and of the entries
	// of the lexical index's documents.
	CandidateCacheBytes int `mapstructure:"candidate_cache_bytes"`
	// Running is the number of concurrent searches, for which agents take turns; 0: 64 if
	// searches wait for a server, and otherwise two for each processor.
	Running int `mapstructure:"running"`
}

// Meter configures the sale of searches. Accounts and offers always work; x402,
// credits and mpp are ways to pay with a request, each off until it is configured.
type Meter struct {
	Currency string `mapstructure:"currency"` // of one credit, ISO 4217; it must not change while there are balances
	// Hold is how long a request that settles a payment locks it. Afterwards a repetition,
	// or any process, resumes the payment of a dead process.
	Hold time.Duration `mapstructure:"hold"`
	// Secret signs payment requests in credits and by MPP: at least 32 characters, the
	// same in all processes of a database.
	Secret  Secret       `mapstructure:"secret"`
	X402    MeterX402    `mapstructure:"x402"`
	Credits MeterCredits `mapstructure:"credits"`
	MPP     MeterMPP     `mapstructure:"mpp"`
}

// MeterX402 configures payments by x402 in an asset on an EVM network.
type MeterX402 struct {
	Facilitator string `mapstructure:"facilitator"` // URL; empty: off
	Token       Secret `mapstructure:"token"`       // bearer token for the facilitator
	Network     string `mapstructure:"network"`     // CAIP-2, such as eip155:8453
	Asset       string `mapstructure:"asset"`       // address of the asset
	Name        string `mapstructure:"name"`        // of the asset, as in its signatures (EIP-712)
	Version     string `mapstructure:"version"`     // of the asset, as in its signatures
	Decimals    int    `mapstructure:"decimals"`    // of the asset
	PerCredit   string `mapstructure:"per_credit"`  // amount of the asset for one credit, a decimal number
	PayTo       string `mapstructure:"pay_to"`      // address of the payee
}

// MeterCredits configures payments in Robutler's credits.
type MeterCredits struct {
	Platform string `mapstructure:"platform"` // URL; empty: off
	Token    Secret `mapstructure:"token"`    // bearer token for the platform
}

// MeterMPP configures payments by the Machine Payments Protocol: by card, and in credits
// if these are configured.
type MeterMPP struct {
	Realm  string      `mapstructure:"realm"` // the service's host; empty: off
	Stripe MeterStripe `mapstructure:"stripe"`
}

// MeterStripe configures payments by card.
type MeterStripe struct {
	URL       string `mapstructure:"url"`
	Key       Secret `mapstructure:"key"`     // empty: off
	Profile   string `mapstructure:"profile"` // for which shared payment tokens are made
	Currency  string `mapstructure:"currency"`
	PerCredit string `mapstructure:"per_credit"` // amount of the currency for one credit
}

// Tools selects the families of tools to offer over MCP and REST.
type Tools struct {
	Memory      bool `mapstructure:"memory"`      // memory
	Triggerfish bool `mapstructure:"triggerfish"` // memory_save, memory_search and others
	MAESTRO     bool `mapstructure:"maestro"`     // UpdateUserMemory, ReadUserMemory
	KV          bool `mapstructure:"kv"`          // kv_set, kv_get, kv_delete; deprecated
	// Listed are the families whose tools a list of tools contains, unless a client asks for
	// other families or for all. Empty: the first enabled family of triggerfish, memory,
	// maestro and kv.
	Listed []string `mapstructure:"listed"`
}

// Auth configures which tokens are accepted.
type Auth struct {
	// LocalKey is auto, on or off: whether tokens signed with the key in the
	// data directory are accepted. auto: only if there are no issuers.
	LocalKey string   `mapstructure:"local_key"`
	Issuers  []Issuer `mapstructure:"issuers"`
}

// Issuer is an issuer of tokens (JWT) and what its tokens may claim.
type Issuer struct {
	Issuer    string   `mapstructure:"issuer"`    // required value of iss
	Audience  string   `mapstructure:"audience"`  // required value of aud
	JWKS      string   `mapstructure:"jwks"`      // URL of the issuer's keys
	Algorithm string   `mapstructure:"algorithm"` // the only accepted algorithm, such as RS256
	Subjects  []string `mapstructure:"subjects"`  // patterns for sub: exact, or a prefix followed by *
	MaxTaint  string   `mapstructure:"max_taint"` // highest label that a token may claim
	Scopes    []string `mapstructure:"scopes"`    // any of platform, share, spend
	// Refresh is the time between two fetches of the keys: a key that the issuer removed
	// is accepted for as long. 0: one hour.
	Refresh time.Duration `mapstructure:"refresh"`
	// RefreshUnknown is the minimum time between two fetches caused by tokens with unknown
	// keys, beyond a burst of three. 0: five seconds.
	RefreshUnknown time.Duration `mapstructure:"refresh_unknown"`
}

// Log configures logging to stderr. Memory text, queries, tokens and keys are
// never logged.
type Log struct {
	Level  string `mapstructure:"level"`  // debug, info, warn or error
	Format string `mapstructure:"format"` // text or json
}

// Tracing configures the export of OpenTelemetry spans. Spans carry names, durations and
// counts; never memory text, queries, IDs, keys or tokens.
type Tracing struct {
	// Endpoint is the URL of an OTLP/HTTP collector. Empty: no tracing.
	Endpoint string `mapstructure:"endpoint"`
	// SampleRatio is the share of new traces that are exported, 0 to 1.
	SampleRatio float64 `mapstructure:"sample_ratio"`
}

// Default returns the configuration without file, variables and flags.
func Default() Config {
	return Config{
		Storage:  "sqlite",
		Vector:   "flat",
		Embedder: "e5",
		Addr:     "127.0.0.1:7077",

		SocketAccess: "owner",

		E5:     E5{Codes: true},
		OpenAI: OpenAI{CosineUnrelated: 0.1, CosineRelated: 0.5, MaxTokens: 512, Timeout: 30 * time.Second, MaxLabel: "RESTRICTED"},
		Rerank: Rerank{Shape: "auto", Scores: "probability", Timeout: 2 * time.Second, MaxLabel: "RESTRICTED"},
		Limits: Limits{
			ValueBytes: 100_000, Keys: 1_000_000, Bytes: 1 << 30, Grants: 10_000, Retention: 7 * 24 * time.Hour,
			HistoryVersions: 100, ConditionBytes: 512_000_000, WriteWait: 10 * time.Second,
		},
		CORS: CORS{Origins: []string{}, MaxAge: 2 * time.Hour},
		Connections: Connections{
			Total: 4096, PerAddress: 256, TrustedProxies: []string{}, Operators: []string{},
			IdleTimeout: 2 * time.Minute, StallTimeout: 30 * time.Second,
		},
		Rate:   Rate{Requests: 500, Refusals: 20},
		Search: Search{VectorBudget: 3 * time.Second, QueryCacheBytes: 8 << 20, CandidateCacheBytes: 64 << 20},
		Meter: Meter{
			Currency: "USD", Hold: time.Minute,
			X402: MeterX402{Name: "USDC", Version: "2", Decimals: 6, PerCredit: "1"},
			MPP:  MeterMPP{Stripe: MeterStripe{URL: "https://api.stripe.com", Currency: "usd", PerCredit: "1"}},
		},
		Auth:    Auth{LocalKey: "auto"},
		Tools:   Tools{Memory: true, Triggerfish: true, MAESTRO: true, KV: true, Listed: []string{}},
		Log:     Log{Level: "info", Format: "text"},
		Tracing: Tracing{SampleRatio: 1},
	}
}

// Secret is a string that is redacted when it is printed or logged.
type Secret string

// String returns a placeholder, or "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[hidden]"
}

// GoString redacts the secret for %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue redacts the secret in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// validate returns the rules that the configuration violates. Each error begins with the
// key concerned.
func (c *Config) validate() (violations []error) {
	oneOf := func(key, value string, allowed ...string) {
		if !slices.Contains(allowed, value) {
			violations = append(violations, fmt.Errorf("%s must be one of %s", key, strings.Join(allowed, ", ")))
		}
	}
	need := func(ok bool, rule string) {
		if !ok {
			violations = append(violations, errors.New(rule))
		}
	}
	oneOf("storage", c.Storage, "sqlite", "postgres")
	oneOf("vector", c.Vector, "flat", "milvus")
	oneOf("embedder", c.Embedder, Embedders...)
	oneOf("rerank.shape", c.Rerank.Shape, "auto", "cohere", "jina", "tei")
	oneOf("rerank.scores", c.Rerank.Scores, "probability", "logit")
	oneOf("openai.max_label", c.OpenAI.MaxLabel, "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
	oneOf("rerank.max_label", c.Rerank.MaxLabel, "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
	oneOf("auth.local_key", c.Auth.LocalKey, "auto", "on", "off")
	oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf("log.format", c.Log.Format, "text", "json")
	for _, family := range c.Tools.Listed {
		oneOf("tools.listed", family, "all", "memory", "triggerfish", "maestro", "kv")
	}
	oneOf("socket_access", c.SocketAccess, "owner", "group", "everyone")
	for _, err := range []error{c.checkListening(), c.checkPublicURL(), c.CORS.check()} {
		if err != nil {
			violations = append(violations, err)
		}
	}
	need(c.Postgres.Partitions == 0 || c.Postgres.Partitions >= 2 && c.Postgres.Partitions <= 64, "postgres.partitions must be 0, or from 2 to 64")
	need(c.Limits.ValueBytes > 0, "limits.value_bytes must be positive")
	need(c.Limits.Keys > 0, "limits.keys must be positive")
	need(c.Limits.Bytes > 0, "limits.bytes must be positive")
	need(c.Limits.Grants > 0, "limits.grants must be positive")
	need(c.Limits.HistoryVersions >= 2, "limits.history_versions must be at least 2")
	need(c.Limits.Retention >= 0, "limits.retention must not be negative")
	need(c.Limits.ConditionBytes > 0, "limits.condition_bytes must be positive")
	need(c.Limits.WriteWait > 0, "limits.write_wait must be positive")
	need(c.Connections.Total >= 0, "connections.total must not be negative")
	need(c.Connections.PerAddress >= 0, "connections.per_address must not be negative")
	need(c.Rate.Requests >= 0, "rate.requests must not be negative")
	need(c.Rate.Refusals >= 0, "rate.refusals must not be negative")
	need(c.Connections.IdleTimeout > 0, "connections.idle_timeout must be positive")
	need(c.Connections.StallTimeout > 0, "connections.stall_timeout must be positive")
	if _, err := c.Connections.Proxies(); err != nil {
		violations = append(violations, err)
	}
	if _, err := c.Connections.OperatorNetworks(); err != nil {
		violations = append(violations, err)
	}
	need(c.Rerank.Timeout > 0, "rerank.timeout must be positive")
	need(c.Search.VectorBudget > 0, "search.vector_budget must be positive")
	need(c.Search.Running >= 0, "search.running must not be negative")
	need(c.Search.QueryCacheBytes > 0, "search.query_cache_bytes must be positive")
	need(c.Search.CandidateCacheBytes > 0, "search.candidate_cache_bytes must be positive")
	need(len(c.Meter.Currency) == 3 && strings.ToUpper(c.Meter.Currency) == c.Meter.Currency, "meter.currency must be a code such as USD")
	need(c.Meter.Hold >= time.Second, "meter.hold must be at least 1s")
	need(c.Meter.Credits.Platform == "" && c.Meter.MPP.Realm == "" || len(c.Meter.Secret) >= 32,
		"meter.credits and meter.mpp require meter.secret, of 32 characters at least")
	need(c.Meter.MPP.Realm == "" || c.Meter.MPP.Stripe.Key != "" || c.Meter.Credits.Platform != "" && c.Meter.X402.Facilitator != "",
		"meter.mpp requires meter.mpp.stripe, or meter.credits beside meter.x402")
	need(c.Tracing.SampleRatio >= 0 && c.Tracing.SampleRatio <= 1, "tracing.sample_ratio must be between 0 and 1")
	if c.Embedder == "openai" {
		need(c.OpenAI.BaseURL != "", "embedder openai requires openai.base_url")
		need(c.OpenAI.Model != "", "embedder openai requires openai.model")
		need(c.OpenAI.Dim > 0, "embedder openai requires openai.dim, the length of the model's vectors")
		need(c.OpenAI.CosineUnrelated >= -1 && c.OpenAI.CosineUnrelated < c.OpenAI.CosineRelated && c.OpenAI.CosineRelated <= 1,
			"openai.cosine_unrelated must be less than openai.cosine_related, both from -1 to 1")
		need(c.OpenAI.MaxTokens > 0, "openai.max_tokens must be positive")
		need(c.OpenAI.Timeout > 0, "openai.timeout must be positive")
	}
	for i, issuer := range c.Auth.Issuers {
		need(issuer.Issuer != "" && issuer.Audience != "" && issuer.JWKS != "" && issuer.Algorithm != "",
			fmt.Sprintf("auth.issuers[%d] requires issuer, audience, jwks and algorithm", i))
		if issuer.MaxTaint != "" {
			oneOf(fmt.Sprintf("auth.issuers[%d].max_taint", i), issuer.MaxTaint, "PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")
		}
		need(issuer.Refresh == 0 || issuer.Refresh >= time.Minute, fmt.Sprintf("auth.issuers[%d].refresh must be at least 1m", i))
		need(issuer.RefreshUnknown == 0 || issuer.RefreshUnknown >= time.Second,
			fmt.Sprintf("auth.issuers[%d].refresh_unknown must be at least 1s", i))
	}
	return violations
}
