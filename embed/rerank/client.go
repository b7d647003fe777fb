// Package rerank scores how well texts answer a query, by a service: Cohere, Jina,
// text-embeddings-inference, or another server with one of their APIs.
//
// New returns a Client for one endpoint. A Client validates the service's answers and
// limits their size; the caller's context bounds the time.
//
// Errors never include queries, texts, the key, the address or text from the service. They
// name the rule that failed, with the HTTP status and the numbers concerned.
package rerank

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"golang.org/x/sync/errgroup"
)

// Client sends requests to one endpoint. It is safe for concurrent use.
type Client struct {
	config    Config // without the key, with its defaults
	form      form
	http      http.Client
	transport *http.Transport
	header    http.Header
	running   chan struct{} // a semaphore of the requests in flight
}

// New returns a Client, or an error that wraps ErrConfig and names every error in config.
// It does not call the service, which may be down at the time.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = config.Limit
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if config.Key != "" {
		header.Set("Authorization", "Bearer "+config.Key)
	}
	config.Key = "" // so that printing a Client does not show it; the header has it
	return &Client{
		config:    config,
		form:      forms[config.Shape],
		http:      http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		transport: transport,
		header:    header,
		running:   make(chan struct{}, config.Limit),
	}, nil
}

// Close closes idle connections. It does not interrupt calls in progress.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Name identifies what the scores depend on: Config.Shape and Config.Model. It is "" for a nil
// Client.
func (c *Client) Name() string {
	if c == nil {
		return ""
	}
	if c.config.Model == "" {
		return string(c.config.Shape)
	}
	return string(c.config.Shape) + "/" + c.config.Model
}

// String omits the key.
func (c *Client) String() string { return c.config.String() }

// GoString omits the key.
func (c *Client) GoString() string { return c.config.String() }

// Rerank returns, for each of texts, the log-odds that it answers the query, within
// ±MaxLogOdds. Texts beyond a service's batch size are sent in concurrent requests; the
// first that fails cancels the others. Rerank fails with the context's error,
// ErrUnavailable, ErrRefused or ErrAnswer.
func (c *Client) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	all := make([]float64, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	for from := 0; from < len(texts); from += c.form.batch {
		to := min(from+c.form.batch, len(texts))
		group.Go(func() error {
			scores, err := c.ask(ctx, query, texts[from:to])
			if err != nil {
				return err
			}
			for i, score := range scores {
				if all[from+i], err = c.logOdds(score); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}

// MaxLogOdds bounds log-odds: the log-odds of 0 and 1 are infinite, and probabilities below 1
// in 100,000 are not reliable.
const MaxLogOdds = 12

// logOdds converts a score of the service to log-odds.
func (c *Client) logOdds(score float64) (float64, error) {
	if c.config.Scores == Probability {
		if score < 0 || score > 1 {
			return 0, fmt.Errorf("%w: a score outside 0–1, which is no probability", ErrAnswer)
		}
		score = math.Log(score / (1 - score)) // ±Inf at the ends
	}
	return min(max(score, -MaxLogOdds), MaxLogOdds), nil
}
