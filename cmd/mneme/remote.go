package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"mneme/acl"
	"mneme/configs"
)

// remote speaks to a mneme server over REST.
type remote struct {
	base   *url.URL
	config configs.Config
	as     callerFlags
	tokens map[string]string // by agent
}

// newRemote makes a client of the server at address. Its token is MNEME_TOKEN,
// else one that the local key signs for the agent.
func newRemote(config configs.Config, address string, as callerFlags) (*remote, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return nil, usageError{errors.New("--url must be a server's address, such as http://127.0.0.1:7077")}
	}
	return &remote{base: base, config: config, as: as, tokens: make(map[string]string)}, nil
}

// call makes one request as agent; path may have a query behind it. The caller
// closes the body.
func (r *remote) call(ctx context.Context, agent, method, path, contentType string, body io.Reader) (io.ReadCloser, error) {
	bearer, err := r.token(agent)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(path, "?")
	address := r.base.JoinPath(path) // path is escaped where it must be
	address.RawQuery = query
	request, err := http.NewRequestWithContext(ctx, method, address.String(), body)
	if err != nil {
		return nil, errors.New("the request cannot be made")
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", r.base.Host, withoutURL(err))
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		return nil, fmt.Errorf("server %s: %w", r.base.Host, problemOf(response))
	}
	return response.Body, nil
}

// withoutURL takes the address out of a client's error: it names the store.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// statusError is an answer that is not a success.
type statusError struct {
	status int
	text   string // of its problem document; may be ""
}

func (e *statusError) Error() string {
	if e.text == "" {
		return fmt.Sprintf("status %d", e.status)
	}
	return fmt.Sprintf("status %d, %s", e.status, e.text)
}

// problemOf reads a problem document (RFC 9457).
func problemOf(response *http.Response) error {
	var problem struct{ Title, Detail, Field, Instance string }
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "application/problem+json" ||
		json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&problem) != nil {
		return &statusError{status: response.StatusCode}
	}
	text := problem.Title
	for _, more := range []string{problem.Field, problem.Detail} {
		if more != "" {
			text += ": " + more
		}
	}
	return &statusError{status: response.StatusCode, text: text + " (request " + problem.Instance + ")"}
}

func (r *remote) token(agent string) (string, error) {
	if given := os.Getenv("MNEME_TOKEN"); given != "" {
		return given, nil
	}
	if known := r.tokens[agent]; known != "" {
		return known, nil
	}
	caller, err := r.as.caller(agent)
	if err != nil {
		return "", err
	}
	text, err := mint(r.config, caller.Principal, 12*time.Hour)
	if err == nil {
		r.tokens[agent] = text
	}
	return text, err
}

// importLine is an entry as a line of an import.
type importLine struct {
	Namespace   string          `json:"namespace,omitempty"`
	Key         string          `json:"key"`
	Value       json.RawMessage `json:"value"`
	Type        *string         `json:"type,omitempty"`
	Description *string         `json:"description,omitempty"`
	Tags        *[]string       `json:"tags,omitempty"`
	InContext   *bool           `json:"in_context,omitempty"`
	Encrypted   *bool           `json:"encrypted,omitempty"`
	TTL         *int64          `json:"ttl,omitempty"` // seconds
	ExpiresAt   *time.Time      `json:"expires_at,omitempty"`
}

func lineOf(r record) importLine {
	line := importLine{
		Namespace: r.put.Path.Namespace, Key: r.put.Path.Key, Value: r.put.Value,
		Type: r.put.Type, Description: r.put.Description, Tags: r.put.Tags,
		InContext: r.put.InContext, Encrypted: r.put.Encrypted, ExpiresAt: r.put.ExpiresAt,
	}
	if r.put.TTL != nil {
		ttl := int64(r.put.TTL.Round(time.Second) / time.Second)
		line.TTL = &ttl
	}
	return line
}

// importAnswer is what a server says became of the lines.
type importAnswer struct {
	Created, Updated, Unchanged, Refused int
	Refusals                             []struct {
		Line                 int
		Title, Field, Detail string
	}
}

// put sends the records of one agent, a request for each store among them.
func (r *remote) put(ctx context.Context, agent string, records []record) ([]outcome, error) {
	outcomes := make([]outcome, len(records))
	var stores []string
	of := make(map[string][]int)
	for n, record := range records {
		store := record.put.Path.Store
		if acl.CheckID(store) != nil {
			outcomes[n].refused = "store: " + acl.ErrBadID.Error()
			continue
		}
		if of[store] == nil {
			stores = append(stores, store)
		}
		of[store] = append(of[store], n)
	}
	for _, store := range stores {
		err := r.send(ctx, agent, store, records, of[store], outcomes)
		var refused *statusError
		if errors.As(err, &refused) && refused.status == http.StatusForbidden {
			for _, n := range of[store] {
				outcomes[n].refused = refused.Error()
			}
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// send writes the records with the given places to one store.
func (r *remote) send(ctx context.Context, agent, store string, records []record, places []int, outcomes []outcome) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	for _, n := range places {
		if err := encoder.Encode(lineOf(records[n])); err != nil {
			return errors.New("a value cannot be written as JSON")
		}
	}
	answerBody, err := r.call(ctx, agent, http.MethodPost, "v1/stores/"+url.PathEscape(store)+"/import", "application/x-ndjson", &body)
	if err != nil {
		return err
	}
	defer answerBody.Close()
	var answer importAnswer
	if err := json.NewDecoder(answerBody).Decode(&answer); err != nil {
		return fmt.Errorf("server %s: its answer to an import cannot be read", r.base.Host)
	}
	if answer.Created+answer.Updated+answer.Unchanged+answer.Refused != len(places) || len(answer.Refusals) > answer.Refused {
		return fmt.Errorf("server %s: its answer does not count the lines that were sent", r.base.Host)
	}
	refused := make(map[int]bool)
	for _, refusal := range answer.Refusals {
		if refusal.Line < 1 || refusal.Line > len(places) {
			return fmt.Errorf("server %s: it refused a line that was not sent", r.base.Host)
		}
		parts := []string{refusal.Title}
		for _, more := range []string{refusal.Field, refusal.Detail} {
			if more != "" {
				parts = append(parts, more)
			}
		}
		outcomes[places[refusal.Line-1]].refused = strings.Join(parts, ": ")
		refused[places[refusal.Line-1]] = true
	}
	// The server counts what became of the others but does not say of which.
	for _, n := range places {
		switch {
		case refused[n]:
		case answer.Created > 0:
			outcomes[n].created = true
			answer.Created--
		case answer.Unchanged > 0:
			outcomes[n].unchanged = true
			answer.Unchanged--
		}
	}
	return nil
}
