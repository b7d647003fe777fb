// Package configs reads mneme's configuration: defaults, then a file, then
// MNEME_* variables, then flags, each going before the one named earlier.
package configs

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"
)

// Config is everything that can be configured. A field's key in a file is its
// tag, fields of nested structs are nested; its variable is MNEME_ and the
// keys in capitals with underscores between (MNEME_POSTGRES_DSN). Lists of
// structs can be given in a file only. example.yaml shows every key with its
// default.
type Config struct {
	// DataDir is the folder of the database, the local signing key and the
	// API keys' hashes. Empty: mneme in the user's data folder, as the
	// operating system has it (see DefaultDataDir).
	DataDir string `mapstructure:"data_dir"`
	// Storage keeps the rows: sqlite or postgres.
	Storage string `mapstructure:"storage"`
	// Vector is the vector index: flat (exact, in the process) or milvus.
	Vector string `mapstructure:"vector"`
	// Embedder makes the vectors: e5 (in the process) or openai (any server
	// that speaks the OpenAI embeddings API).
	Embedder string `mapstructure:"embedder"`
	// Addr is where serve listens, host:port. Port 0 takes a free one.
	Addr string `mapstructure:"addr"`
	// PublicURL is the address by which clients know the server, where it is
	// another than that of their requests, such as https://memory.example.com
	// in front of a proxy. MCP clients are told it.
	PublicURL string `mapstructure:"public_url"`

	Postgres Postgres `mapstructure:"postgres"`
	Milvus   Milvus   `mapstructure:"milvus"`
	OpenAI   OpenAI   `mapstructure:"openai"`
	Limits   Limits   `mapstructure:"limits"`
	Search   Search   `mapstructure:"search"`
	Auth     Auth     `mapstructure:"auth"`
	Tools    Tools    `mapstructure:"tools"`
	Log      Log      `mapstructure:"log"`
	Tracing  Tracing  `mapstructure:"tracing"`
}

// Postgres is where storage postgres keeps the rows.
type Postgres struct {
	// DSN is a connection string, postgres://user:password@host/database.
	DSN Secret `mapstructure:"dsn"`
}

// Milvus is where vector milvus keeps the vectors.
type Milvus struct {
	Addr     string `mapstructure:"addr"` // host:port
	User     string `mapstructure:"user"`
	Password Secret `mapstructure:"password"`
	Database string `mapstructure:"database"` // one of Milvus's; empty: its default
	// Prefix begins the collections' names, so that several services can
	// share a Milvus. Empty: mneme.
	Prefix string `mapstructure:"prefix"`
	// Exact compares with every vector of the scope instead of walking an
	// HNSW graph. A collection keeps its kind.
	Exact bool      `mapstructure:"exact"`
	TLS   MilvusTLS `mapstructure:"tls"`
}

// MilvusTLS is how the connection to Milvus is secured. Files are PEM.
type MilvusTLS struct {
	Enabled    bool   `mapstructure:"enabled"`
	CAFile     string `mapstructure:"ca_file"`     // authorities; empty: the system's
	ServerName string `mapstructure:"server_name"` // what the certificate must name; empty: addr's host
	CertFile   string `mapstructure:"cert_file"`   // this client's own
	KeyFile    string `mapstructure:"key_file"`
}

// OpenAI is the server that embedder openai asks.
type OpenAI struct {
	BaseURL string `mapstructure:"base_url"` // up to and with /v1
	APIKey  Secret `mapstructure:"api_key"`
	Model   string `mapstructure:"model"`
	// Revision tells apart models that share a name, such as a retrained one.
	Revision string `mapstructure:"revision"`
	Dim      int    `mapstructure:"dim"`      // length of the model's vectors
	SendDim  bool   `mapstructure:"send_dim"` // ask for that length, of models that can shorten theirs
	// QueryPrefix and PassagePrefix are put before questions and stored
	// texts, for models that were trained with such marks.
	QueryPrefix   string `mapstructure:"query_prefix"`
	PassagePrefix string `mapstructure:"passage_prefix"`
	// MaxTokens is the model's window; longer texts are cut into pieces.
	MaxTokens int           `mapstructure:"max_tokens"`
	Timeout   time.Duration `mapstructure:"timeout"` // of one request
}

// Limits bound what is stored.
type Limits struct {
	ValueBytes int           `mapstructure:"value_bytes"` // of one value
	Keys       int64         `mapstructure:"keys"`        // live entries per store, owner and label
	Bytes      int64         `mapstructure:"bytes"`       // their values' bytes together
	Retention  time.Duration `mapstructure:"retention"`   // a purge spares what was deleted later than this ago
}

// Search bounds a search.
type Search struct {
	// VectorBudget bounds the vector leg, embedding included; past it the
	// answer is lexical and says so.
	VectorBudget time.Duration `mapstructure:"vector_budget"`
}

// Tools says which families of tools are offered, over MCP and REST alike.
type Tools struct {
	Memory      bool `mapstructure:"memory"`      // memory
	Triggerfish bool `mapstructure:"triggerfish"` // memory_save, memory_get, memory_search, memory_list, memory_delete
	MAESTRO     bool `mapstructure:"maestro"`     // UpdateUserMemory, ReadUserMemory
	KV          bool `mapstructure:"kv"`          // kv_set, kv_get, kv_delete; deprecated
}

// Auth says whose tokens are believed beside the local key's.
type Auth struct {
	// LocalKey is auto, on or off: whether tokens signed with the key in the
	// data folder count. auto: only while there are no issuers.
	LocalKey string   `mapstructure:"local_key"`
	Issuers  []Issuer `mapstructure:"issuers"`
}

// Issuer is one remote maker of tokens (JWT), with what it may give.
type Issuer struct {
	Issuer    string   `mapstructure:"issuer"`    // iss, required of its tokens
	Audience  string   `mapstructure:"audience"`  // aud, required of its tokens
	JWKS      string   `mapstructure:"jwks"`      // URL of its keys
	Algorithm string   `mapstructure:"algorithm"` // the one its keys are used with, such as RS256
	Subjects  []string `mapstructure:"subjects"`  // patterns of subjects: exact, or a prefix and *
	MaxTaint  string   `mapstructure:"max_taint"` // the highest label its tokens may claim
	Scopes    []string `mapstructure:"scopes"`    // among platform, share
}

// Log says what is logged to stderr. Memory text, queries, tokens and keys
// never are.
type Log struct {
	Level  string `mapstructure:"level"`  // debug, info, warn or error
	Format string `mapstructure:"format"` // text or json
}

// Tracing configures the export of OpenTelemetry spans. Spans carry names,
// durations and counts; memory text, queries, IDs, keys and tokens never.
type Tracing struct {
	// Endpoint is the URL of an OTLP/HTTP collector. Empty: no tracing.
	Endpoint string `mapstructure:"endpoint"`
	// SampleRatio is the share of new traces that are exported, 0 to 1.
	SampleRatio float64 `mapstructure:"sample_ratio"`
}

// Default is the configuration of a fresh machine.
func Default() Config {
	return Config{
		Storage:  "sqlite",
		Vector:   "flat",
		Embedder: "e5",
		Addr:     "127.0.0.1:7077",
		OpenAI:   OpenAI{MaxTokens: 512, Timeout: 30 * time.Second},
		Limits:   Limits{ValueBytes: 100_000, Keys: 1_000_000, Bytes: 1 << 30, Retention: 7 * 24 * time.Hour},
		Search:   Search{VectorBudget: 3 * time.Second},
		Auth:     Auth{LocalKey: "auto"},
		Tools:    Tools{Memory: true, Triggerfish: true, MAESTRO: true, KV: true},
		Log:      Log{Level: "info", Format: "text"},
		Tracing:  Tracing{SampleRatio: 1},
	}
}

// Secret is text that does not print.
type Secret string

// String hides the text.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[hidden]"
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the text from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// check tells every rule that the configuration breaks.
func (c *Config) check() error {
	var broken []error
	oneOf := func(key, value string, allowed ...string) {
		if !slices.Contains(allowed, value) {
			broken = append(broken, fmt.Errorf("%s must be one of %v", key, allowed))
		}
	}
	need := func(ok bool, rule string) {
		if !ok {
			broken = append(broken, errors.New(rule))
		}
	}
	oneOf("storage", c.Storage, "sqlite", "postgres")
	oneOf("vector", c.Vector, "flat", "milvus")
	oneOf("embedder", c.Embedder, "e5", "openai")
	oneOf("auth.local_key", c.Auth.LocalKey, "auto", "on", "off")
	oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf("log.format", c.Log.Format, "text", "json")
	_, _, err := net.SplitHostPort(c.Addr)
	need(err == nil, "addr must be host:port")
	need(c.Limits.ValueBytes > 0, "limits.value_bytes must be above 0")
	need(c.Limits.Keys > 0, "limits.keys must be above 0")
	need(c.Limits.Bytes > 0, "limits.bytes must be above 0")
	need(c.Limits.Retention >= 0, "limits.retention must not be negative")
	need(c.Search.VectorBudget > 0, "search.vector_budget must be above 0")
	need(c.Tracing.SampleRatio >= 0 && c.Tracing.SampleRatio <= 1, "tracing.sample_ratio must be between 0 and 1")
	if c.Embedder == "openai" {
		need(c.OpenAI.BaseURL != "", "embedder openai needs openai.base_url")
		need(c.OpenAI.Model != "", "embedder openai needs openai.model")
		need(c.OpenAI.Dim > 0, "embedder openai needs openai.dim, the length of the model's vectors")
		need(c.OpenAI.MaxTokens > 0, "openai.max_tokens must be above 0")
		need(c.OpenAI.Timeout > 0, "openai.timeout must be above 0")
	}
	for i, issuer := range c.Auth.Issuers {
		need(issuer.Issuer != "" && issuer.Audience != "" && issuer.JWKS != "" && issuer.Algorithm != "",
			fmt.Sprintf("auth.issuers[%d] needs issuer, audience, jwks and algorithm", i))
	}
	return errors.Join(broken...)
}
