package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"mneme/clients/go/api"
)

// ErrAddress reports a server address that is neither an http or https URL with a
// host nor a unix URL with a path, or that has a query or fragment.
var ErrAddress = errors.New("the address must be an http or https URL without query, such as http://127.0.0.1:7077, or unix:// and the path of a socket")

// Options configure a Client.
type Options struct {
	// Token returns the bearer token of a request. Nil sends none.
	Token func(context.Context) (string, error)
	// HTTP sends the requests. The default is http.DefaultClient, or for the path of a
	// Unix socket one that connects to it.
	HTTP *http.Client
}

// StaticToken is an Options.Token that always returns token.
func StaticToken(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	*api.Calls
	host string
}

// New returns a client of the server at address. Its only error is ErrAddress.
func New(address string, o Options) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, ErrAddress // the cause would quote the address, which may include a password
	}
	host, direct := base.Host, http.DefaultClient
	switch {
	case base.Scheme == "unix" && base.Host == "" && base.Path != "":
		host, direct = base.Path, OverSocket(base.Path)
		base = &url.URL{Scheme: "http", Host: "localhost"}
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, ErrAddress
	}
	if o.HTTP == nil {
		o.HTTP = direct
	}
	calls, err := api.NewClient(base.String(), api.WithHTTPClient(&doer{http: o.HTTP, token: o.Token, host: host}))
	if err != nil {
		return nil, ErrAddress
	}
	return &Client{Calls: calls, host: host}, nil
}

// OverSocket returns an HTTP client whose connections all go to the Unix socket at path.
func OverSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
		IdleConnTimeout: time.Minute,
		// No proxy and no compression: neither has a benefit on one machine.
		DisableCompression: true,
	}}
}

// Host returns the server's host and port, or the path of its socket.
func (c *Client) Host() string { return c.host }

// doer sends requests for the generated code. It adds the token, and returns
// problems as errors.
type doer struct {
	http  *http.Client
	token func(context.Context) (string, error)
	host  string
}

// Do sends a request. It returns only responses with status 2xx or 304.
func (d *doer) Do(r *http.Request) (*http.Response, error) {
	if d.token != nil {
		token, err := d.token(r.Context())
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	keyToQuery(r.URL)
	response, err := d.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", d.host, withoutURL(err))
	}
	if response.StatusCode/100 != 2 && response.StatusCode != http.StatusNotModified {
		defer response.Body.Close()
		return nil, errorOf(response, d.host)
	}
	return response, nil
}

// withoutURL removes the URL from an error of net/http, since it names a store.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// ErrUnreadable reports a response that the API does not describe. It omits the
// cause, which may quote the response.
var ErrUnreadable = errors.New("the server's response cannot be read")

// Decode reads the JSON body of a generated method's response:
//
//	stores, err := client.Decode[api.Stores](c.ListStores(ctx, nil))
func Decode[T any](response *http.Response, err error) (T, error) {
	var body T
	if err != nil {
		return body, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return body, unreadable(response.Request.Context())
	}
	return body, nil
}

// Discard closes the response of a generated method whose response has no body.
func Discard(response *http.Response, err error) error {
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// unreadable returns ErrUnreadable, or ctx's error if the call was canceled.
func unreadable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrUnreadable
}

// Path names an entry in a store.
type Path struct {
	Store     string // an id, or "self"
	Namespace string
	Key       string
}

// ErrPath reports a store or key that is empty, "." or "..": its URL would be the
// URL of another call.
var ErrPath = errors.New("a store or key must be neither empty nor a dot segment")

func (p Path) check() error { return checkSegments(p.Store, p.Key) }

func checkSegments(segments ...string) error {
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return ErrPath
		}
	}
	return nil
}

// Conditions are preconditions of a write. If they do not hold, the server refuses
// the write with status 412.
type Conditions struct {
	// Match is the entity tag that the entry must have, without quotes.
	Match string
	// New requires that the entry does not exist.
	New bool
}

func (c Conditions) headers() (match *api.IfMatch, noneMatch *api.IfNoneMatch) {
	if c.Match != "" {
		quoted := `"` + c.Match + `"`
		match = &quoted
	}
	if c.New {
		star := "*"
		noneMatch = &star
	}
	return match, noneMatch
}

// Stored is an entry after a write.
type Stored struct {
	api.Written
	ETag    string // without quotes
	Created bool   // whether the entry is new, not a new version
}

// Put writes an entry. The value is sent byte for byte.
func (c *Client) Put(ctx context.Context, path Path, w api.Write, on Conditions) (Stored, error) {
	if err := path.check(); err != nil {
		return Stored{}, err
	}
	head := struct {
		api.Write
		Value *struct{} `json:"value,omitempty"` // hides the value, which encoding/json would reformat
	}{Write: w}
	body, err := withValue(head, w.Value)
	if err != nil {
		return Stored{}, err
	}
	params := api.PutMemoryParams{Namespace: &path.Namespace}
	params.IfMatch, params.IfNoneMatch = on.headers()
	response, err := c.PutMemoryWithBody(ctx, path.Store, path.Key, &params, "application/json", bytes.NewReader(body))
	written, err := Decode[api.Written](response, err)
	if err != nil {
		return Stored{}, err
	}
	return Stored{Written: written, ETag: etagOf(response), Created: response.StatusCode == http.StatusCreated}, nil
}

// Get reads an entry and its entity tag, without quotes.
func (c *Client) Get(ctx context.Context, path Path) (entry api.Entry, etag string, err error) {
	if err := path.check(); err != nil {
		return api.Entry{}, "", err
	}
	return c.get(ctx, path, &api.GetMemoryParams{})
}

// GetAsOf is like Get, but returns the entry as it was at a time: see docs/search.md. A
// time without zone is in UTC.
func (c *Client) GetAsOf(ctx context.Context, path Path, asOf string) (entry api.Entry, etag string, err error) {
	if err := path.check(); err != nil {
		return api.Entry{}, "", err
	}
	return c.get(ctx, path, &api.GetMemoryParams{AsOf: &asOf})
}

func (c *Client) get(ctx context.Context, path Path, params *api.GetMemoryParams) (entry api.Entry, etag string, err error) {
	params.Namespace = &path.Namespace
	response, err := c.GetMemory(ctx, path.Store, path.Key, params)
	if entry, err = Decode[api.Entry](response, err); err != nil {
		return api.Entry{}, "", err
	}
	return entry, etagOf(response), nil
}

// Delete moves an entry to the trash.
func (c *Client) Delete(ctx context.Context, path Path, on Conditions) error {
	if err := path.check(); err != nil {
		return err
	}
	params := api.DeleteMemoryParams{Namespace: &path.Namespace}
	params.IfMatch, params.IfNoneMatch = on.headers()
	return Discard(c.DeleteMemory(ctx, path.Store, path.Key, &params))
}

// Rename moves an entry to another path, also in another namespace or store, and returns
// it with its entity tag, without quotes. Within a store it keeps its ID and history.
func (c *Client) Rename(ctx context.Context, from, to Path, on Conditions) (entry api.Entry, etag string, err error) {
	if err := errors.Join(from.check(), to.check()); err != nil {
		return api.Entry{}, "", err
	}
	params := api.RenameMemoryParams{Namespace: &from.Namespace}
	params.IfMatch, params.IfNoneMatch = on.headers()
	body := api.Rename{To: to.Key, ToStore: &to.Store}
	if to.Namespace != from.Namespace {
		body.ToNamespace = &to.Namespace
	}
	response, err := c.RenameMemory(ctx, from.Store, from.Key, &params, body)
	if entry, err = Decode[api.Entry](response, err); err != nil {
		return api.Entry{}, "", err
	}
	return entry, etagOf(response), nil
}

// Undelete restores the most recently deleted entry of a path, with its history, and
// returns it with its entity tag, without quotes.
func (c *Client) Undelete(ctx context.Context, path Path) (entry api.Entry, etag string, err error) {
	if err := path.check(); err != nil {
		return api.Entry{}, "", err
	}
	response, err := c.RestoreMemory(ctx, path.Store, path.Key, &api.RestoreMemoryParams{Namespace: &path.Namespace}, api.Restore{})
	if entry, err = Decode[api.Entry](response, err); err != nil {
		return api.Entry{}, "", err
	}
	return entry, etagOf(response), nil
}

// Unshare revokes the grant of a store to an agent. If agent is the caller, it ends or
// refuses the grant. It returns the grants that depend on the revoked one; with cascade,
// they end too.
func (c *Client) Unshare(ctx context.Context, store, agent string, cascade bool) (api.Revoked, error) {
	revoked := api.Revoked{Dependents: []api.Grant{}, Ended: cascade}
	if err := checkSegments(store, agent); err != nil {
		return revoked, err
	}
	response, err := c.DeleteGrant(ctx, store, agent, &api.DeleteGrantParams{Cascade: &cascade})
	if err != nil || response.StatusCode == http.StatusNoContent {
		return revoked, Discard(response, err)
	}
	return Decode[api.Revoked](response, err)
}

func etagOf(response *http.Response) string {
	tag := response.Header.Get("ETag")
	if n := len(tag); n >= 2 && tag[0] == '"' && tag[n-1] == '"' {
		return tag[1 : n-1]
	}
	return ""
}

// withValue encodes an object with value as its last member, byte for byte.
func withValue(head any, value json.RawMessage) ([]byte, error) {
	if !json.Valid(value) {
		return nil, errors.New("the value is not JSON")
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(head); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	if text[len(text)-1] != '{' {
		text = append(text, ',')
	}
	text = append(text, `"value":`...)
	text = append(text, value...)
	return append(text, '}'), nil
}
