package rerank

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"unicode"
)

// ErrConfig means that a Config is invalid. The error names the field and the
// rule, and never includes the key.
var ErrConfig = errors.New("reranker: configuration")

// Shape is the format of requests and answers.
type Shape string

// The shapes.
const (
	// Auto selects the shape by the end of the URL's path: Cohere for /v2/rerank, Jina for
	// /v1/rerank, TEI for another path that ends with /rerank.
	Auto   Shape = "auto"
	Cohere Shape = "cohere" // Cohere's v2 API
	Jina   Shape = "jina"   // Jina's API, and vLLM's
	TEI    Shape = "tei"    // text-embeddings-inference
)

// Scores is the meaning of a service's scores.
type Scores string

// The kinds of scores.
const (
	Probability Scores = "probability" // from 0 to 1
	Logit       Scores = "logit"       // any finite number, the log-odds of a probability
)

// Config describes the service and the model. A field that is zero takes its default; fields
// without a default are required.
type Config struct {
	// URL is the address of the endpoint with its whole path, for example
	// https://api.cohere.com/v2/rerank. It is http or https, without user, query or
	// fragment. Queries, memory text and Key are sent there: use https outside a
	// private network. Redirects are not followed.
	URL string
	// Shape defaults to Auto.
	Shape Shape
	// Model is the service's name for the model, at most 256 bytes. TEI serves a single
	// model and must have none; the others require it.
	Model string
	// Key is sent as a bearer token, unless it is empty.
	Key string
	// Scores says what the service's scores are; default Probability. If an answer has a score
	// outside that range, the error is ErrAnswer. Requests to TEI ask for this kind of score;
	// for other services the model determines it.
	Scores Scores
	// Limit is the number of concurrent requests, 1–256; default 16. Further requests
	// wait.
	Limit int
}

const maxNameBytes = 256

// withDefaults replaces zero values with defaults, and Auto with the shape that belongs to the
// URL.
func (c Config) withDefaults() Config {
	if c.Shape == "" || c.Shape == Auto {
		c.Shape = shapeOf(c.URL)
	}
	if c.Scores == "" {
		c.Scores = Probability
	}
	if c.Limit == 0 {
		c.Limit = 16
	}
	return c
}

// shapeOf returns the shape for the URL's path, or Auto if no shape is known for it.
func shapeOf(address string) Shape {
	parsed, err := url.Parse(address)
	if err != nil {
		return Auto
	}
	path := strings.TrimSuffix(parsed.Path, "/")
	switch {
	case strings.HasSuffix(path, "/v2/rerank"):
		return Cohere
	case strings.HasSuffix(path, "/v1/rerank"):
		return Jina
	case strings.HasSuffix(path, "/rerank"):
		return TEI
	}
	return Auto
}

// check reports every error in a Config with its defaults set.
func (c Config) check() error {
	var wrong []error
	rule := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
		}
	}
	wrong = append(wrong, c.checkURL())
	switch c.Shape {
	case Cohere, Jina, TEI:
		rule(c.Model != "" || c.Shape == TEI, "Model is empty")
	case Auto:
		rule(false, "Shape must be cohere, jina or tei: the path of URL does not say which")
	default:
		rule(false, "Shape must be auto, cohere, jina or tei")
	}
	rule(len(c.Model) <= maxNameBytes && !strings.ContainsFunc(c.Model, unicode.IsControl), "Model must be at most %d bytes, without control characters", maxNameBytes)
	rule(!strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }), "Key contains characters that are not allowed in a header (a trailing line break?)")
	rule(c.Scores == Probability || c.Scores == Logit, "Scores must be probability or logit")
	rule(1 <= c.Limit && c.Limit <= 256, "Limit is %d, must be 1 to 256", c.Limit)
	return errors.Join(wrong...)
}

// checkURL never quotes the URL, which may include a password.
func (c Config) checkURL() error {
	parsed, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		return fmt.Errorf("%w: URL is empty", ErrConfig)
	case err != nil:
		return fmt.Errorf("%w: URL is not a URL", ErrConfig)
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return fmt.Errorf("%w: URL must begin with http:// or https://", ErrConfig)
	case parsed.Hostname() == "":
		return fmt.Errorf("%w: URL has no host", ErrConfig)
	case parsed.User != nil:
		return fmt.Errorf("%w: URL includes a user or password; use Key", ErrConfig)
	case parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(c.URL, "#"):
		return fmt.Errorf("%w: URL must end with its path, without query or fragment", ErrConfig)
	}
	return nil
}

// String omits the key.
func (c Config) String() string {
	return fmt.Sprintf("reranker: shape %s, model %q", c.Shape, c.Model)
}

// GoString omits the key.
func (c Config) GoString() string { return c.String() }

// LogValue omits the key.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
