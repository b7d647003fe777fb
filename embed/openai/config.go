package openai

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
	"unicode"

	"mneme/embed"
)

// ErrConfig means that a Config is invalid. The error names the field and the
// rule, and never includes the key.
var ErrConfig = errors.New("openai embedder: configuration")

// Config describes the server, the model and how requests are made. A field that is zero takes
// its default; fields without a default are required.
type Config struct {
	// BaseURL is the server's address, including /v1, for example
	// http://127.0.0.1:8080/v1. It is http or https, without user, query or
	// fragment. Memory text and APIKey are sent there: use https outside a
	// private network. Redirects are not followed.
	BaseURL string
	// Model is the server's name for the model, 1–256 bytes.
	Model string
	// APIKey is sent as a bearer token, unless it is empty.
	APIKey string
	// Revision distinguishes models of the same name, such as a retrained one or one
	// served at another precision. It is used only in the fingerprint. At most 256 bytes;
	// default "".
	Revision string

	// Dim is the length of the model's vectors, 1–16,384. Vectors of another length are
	// ErrAnswer. Probe asks the server for the length.
	Dim int
	// SendDim sends Dim as "dimensions" in the request, for models that can
	// shorten their vectors. Other models reject the request.
	SendDim bool

	// QueryPrefix and PassagePrefix are prepended to every query and every stored
	// text: "query: " and "passage: " for E5 models. Default "". Each may take
	// up at most half of the window.
	QueryPrefix, PassagePrefix string
	// CosineUnrelated and CosineRelated are the usual cosines of a question with an unrelated
	// text, and with a text that answers it: -1 ≤ CosineUnrelated < CosineRelated ≤ 1; default
	// 0.1 and 0.5. The relevance of a text is computed from where its cosine lies between these
	// two. Explained searches show the cosines of a model.
	CosineUnrelated, CosineRelated float64
	// MaxTokens is the model's window in its own tokens, 32–1,000,000; default 512. The
	// length that fits is estimated: see embed.Splitter. Unusual text may still exceed the
	// window. For such text let the server truncate, as Ollama does and TEI with
	// --auto-truncate, or set a lower value.
	MaxTokens int

	// BatchSize is the largest number of passages in a request, 1–32; default
	// 32, the default limit of text-embeddings-inference.
	BatchSize int
	// QueryLimit and PassageLimit are the numbers of concurrent requests for
	// queries (default 16) and for passages (default 2), 1–256. The limits are
	// independent, so a query never waits for passages.
	QueryLimit, PassageLimit int

	// Timeout bounds one request, including its answer; default 30 s.
	Timeout time.Duration
	// Attempts is the largest number of attempts of a request, including the
	// first, 1–10; default 4. Only 429, 5xx, timeouts and lost connections are
	// retried.
	Attempts int
	// Backoff is the delay after the first attempt; default 500 ms. It doubles with each
	// attempt, up to MaxBackoff (default 30 s); a random part, up to one half, is subtracted.
	// The server's Retry-After may lengthen a delay. If Retry-After exceeds MaxBackoff, the
	// request fails at once, because an attempt before that time would fail too.
	Backoff, MaxBackoff time.Duration
}

const (
	maxDim       = 16384
	maxBatch     = 32
	maxTokens    = 1_000_000
	maxNameBytes = 256
)

// withDefaults replaces zero values by defaults.
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
	if c.CosineUnrelated == 0 && c.CosineRelated == 0 {
		c.CosineUnrelated, c.CosineRelated = 0.1, 0.5
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

// question returns the splitter of queries.
func (c Config) question() embed.Splitter {
	return embed.Splitter{Prefix: c.QueryPrefix, MaxTokens: c.MaxTokens}
}

// passage returns the splitter of passages.
func (c Config) passage() embed.Splitter {
	return embed.Splitter{Prefix: c.PassagePrefix, MaxTokens: c.MaxTokens}
}

// check reports every error in a Config with its defaults set.
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
	rule(printableASCII(c.APIKey), "APIKey contains characters that are not allowed in a header (a trailing line break?)")
	rule(c.Dim != 0, "Dim is not set; it is the length of the model's vectors")
	if c.Dim != 0 {
		between("Dim", c.Dim, 1, maxDim)
	}
	rule(-1 <= c.CosineUnrelated && c.CosineUnrelated < c.CosineRelated && c.CosineRelated <= 1,
		"CosineUnrelated must be less than CosineRelated, both from -1 to 1")
	between("MaxTokens", c.MaxTokens, embed.MinTokens, maxTokens)
	between("BatchSize", c.BatchSize, 1, maxBatch)
	between("QueryLimit", c.QueryLimit, 1, 256)
	between("PassageLimit", c.PassageLimit, 1, 256)
	between("Attempts", c.Attempts, 1, 10)
	rule(c.Timeout > 0, "Timeout is %v, must be above 0", c.Timeout)
	rule(c.Backoff > 0, "Backoff is %v, must be above 0", c.Backoff)
	rule(c.MaxBackoff >= c.Backoff, "MaxBackoff is %v, must be at least Backoff, %v", c.MaxBackoff, c.Backoff)
	rule(c.question().PrefixFits(), "QueryPrefix takes up more than half of MaxTokens")
	rule(c.passage().PrefixFits(), "PassagePrefix takes up more than half of MaxTokens")
	return errors.Join(wrong...)
}

// checkURL never quotes the URL, which may include a password.
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
		return fmt.Errorf("%w: BaseURL has no host", ErrConfig)
	case base.User != nil:
		return fmt.Errorf("%w: BaseURL includes a user or password; use APIKey", ErrConfig)
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

// String omits the key and the prefixes.
func (c Config) String() string {
	return fmt.Sprintf("openai embedder: model %q, dim %d", c.Model, c.Dim)
}

// GoString omits the key and the prefixes.
func (c Config) GoString() string { return c.String() }

// LogValue omits the key and the prefixes.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
