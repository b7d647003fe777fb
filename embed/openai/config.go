package openai

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// ErrConfig means that a Config cannot work. The error names the field and the
// rule, never the key.
var ErrConfig = errors.New("openai embedder: configuration")

// Config says which server and model embed, and how. Fields without a default
// must be set; zero means the default.
type Config struct {
	// BaseURL is the server's address, up to and with /v1:
	// http://127.0.0.1:8080/v1. Only http and https; no user, query or
	// fragment. Memory text and APIKey go there: use https beyond one's own
	// network. Redirects are not followed.
	BaseURL string
	// Model is the name under which the server knows the model, 1–256 bytes.
	Model string
	// APIKey is sent as a bearer token. Empty: none is sent.
	APIKey string
	// Revision tells apart models that share a name, such as a retrained one,
	// or one served at another precision. It is part of the fingerprint and of
	// nothing else. At most 256 bytes; default "".
	Revision string

	// Dim is the length of the model's vectors, 1–16,384. A server that
	// answers another is refused. Probe asks the server for it.
	Dim int
	// SendDim asks the server for vectors of Dim elements ("dimensions" in the
	// request), for models that can shorten theirs. Others refuse the request.
	SendDim bool

	// QueryPrefix and PassagePrefix are put before every question and every
	// stored text: "query: " and "passage: " for E5 models. Default "". They
	// may take up at most half of the window.
	QueryPrefix, PassagePrefix string
	// MaxTokens is the model's window in its own tokens, 32–1,000,000; default
	// 512. The server's tokenizer is not here, so what fits is estimated, on
	// the safe side: 512 tokens take 140 (science) to 190 (talk) words of
	// English. Text of an unusual kind may still be more than the server
	// takes: let it cut (as Ollama does, and TEI with --auto-truncate), or set
	// less.
	MaxTokens int

	// BatchSize is the number of passages in a request, 1–32; default 32 (the
	// limit of text-embeddings-inference unless configured).
	BatchSize int
	// QueryLimit and PassageLimit are how many requests may be under way at a
	// time for questions (default 16) and for passages (default 2), 1–256.
	// They are counted apart, so a question never waits behind passages.
	QueryLimit, PassageLimit int

	// Timeout bounds one request, answer included; default 30 s.
	Timeout time.Duration
	// Attempts is how often a request is tried, the first time included, 1–10;
	// default 4. Only 429, 5xx, timeouts and a broken connection are tried
	// again.
	Attempts int
	// Backoff is the wait after the first attempt; default 500 ms. It doubles
	// each time up to MaxBackoff (default 30 s), and of each wait a random
	// half at most is left out. A server's Retry-After lengthens a wait; one
	// beyond MaxBackoff ends the attempts, since asking earlier would be in
	// vain.
	Backoff, MaxBackoff time.Duration
}

const (
	maxDim       = 16384
	maxBatch     = 32
	minTokens    = 32
	maxTokens    = 1_000_000
	maxNameBytes = 256
)

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	setInt := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	setDuration := func(field *time.Duration, value time.Duration) {
		if *field == 0 {
			*field = value
		}
	}
	setInt(&c.MaxTokens, 512)
	setInt(&c.BatchSize, maxBatch)
	setInt(&c.QueryLimit, 16)
	setInt(&c.PassageLimit, 2)
	setInt(&c.Attempts, 4)
	setDuration(&c.Timeout, 30*time.Second)
	setDuration(&c.Backoff, 500*time.Millisecond)
	setDuration(&c.MaxBackoff, 30*time.Second)
	return c
}

// check judges a Config that has its defaults, and reports all that is wrong.
func (c Config) check() error {
	var wrong []error
	rule := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
		}
	}
	between := func(field string, value, low, high int) {
		rule(low <= value && value <= high, "%s is %d, must be %d to %d", field, value, low, high)
	}
	wrong = append(wrong, c.checkURL())
	rule(c.Model != "", "Model is empty")
	rule(len(c.Model) <= maxNameBytes && printable(c.Model), "Model must be at most %d bytes, without control characters", maxNameBytes)
	rule(len(c.Revision) <= maxNameBytes && printable(c.Revision), "Revision must be at most %d bytes, without control characters", maxNameBytes)
	rule(printableASCII(c.APIKey), "APIKey holds characters that a header cannot carry (a line break at its end?)")
	rule(c.Dim != 0, "Dim is not set: it is the length of the model's vectors")
	if c.Dim != 0 {
		between("Dim", c.Dim, 1, maxDim)
	}
	between("MaxTokens", c.MaxTokens, minTokens, maxTokens)
	between("BatchSize", c.BatchSize, 1, maxBatch)
	between("QueryLimit", c.QueryLimit, 1, 256)
	between("PassageLimit", c.PassageLimit, 1, 256)
	between("Attempts", c.Attempts, 1, 10)
	rule(c.Timeout > 0, "Timeout is %v, must be above 0", c.Timeout)
	rule(c.Backoff > 0, "Backoff is %v, must be above 0", c.Backoff)
	rule(c.MaxBackoff >= c.Backoff, "MaxBackoff is %v, must be at least Backoff, %v", c.MaxBackoff, c.Backoff)
	rule(cost(c.QueryPrefix) <= window(c.MaxTokens)/2, "QueryPrefix takes up more than half of MaxTokens")
	rule(cost(c.PassagePrefix) <= window(c.MaxTokens)/2, "PassagePrefix takes up more than half of MaxTokens")
	return errors.Join(wrong...)
}

// checkURL does not quote the URL, which may hold a password.
func (c Config) checkURL() error {
	base, err := url.Parse(c.BaseURL)
	switch {
	case c.BaseURL == "":
		return fmt.Errorf("%w: BaseURL is empty", ErrConfig)
	case err != nil:
		return fmt.Errorf("%w: BaseURL is not a URL", ErrConfig)
	case base.Scheme != "http" && base.Scheme != "https":
		return fmt.Errorf("%w: BaseURL must begin with http:// or https://", ErrConfig)
	case base.Hostname() == "":
		return fmt.Errorf("%w: BaseURL names no host", ErrConfig)
	case base.User != nil:
		return fmt.Errorf("%w: BaseURL holds a user or password; use APIKey", ErrConfig)
	case base.RawQuery != "" || base.ForceQuery || strings.Contains(c.BaseURL, "#"):
		return fmt.Errorf("%w: BaseURL must end with its path, without query or fragment", ErrConfig)
	}
	return nil
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, unicode.IsControl)
}

func printableASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// String keeps the key and the prefixes out of whatever prints a Config.
func (c Config) String() string {
	return fmt.Sprintf("openai embedder: model %q, dim %d", c.Model, c.Dim)
}

// GoString keeps the key out of %#v.
func (c Config) GoString() string { return c.String() }

// LogValue keeps the key out of logs.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
