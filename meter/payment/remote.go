package payment

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// callTimeout bounds a call to a facilitator or platform. It is long because a settlement
	// is answered only once its transaction is confirmed.
	callTimeout = 30 * time.Second
	// maxAnswer bounds the body of an answer, in bytes.
	maxAnswer = 256 << 10
)

// unclear reports whether a status says nothing about the outcome of a payment: the service
// failed, gets too many requests, still works on the same call, or rejects our credentials.
func unclear(status int) bool {
	return unheard(status) || status == http.StatusConflict || status >= http.StatusInternalServerError
}

// unheard reports whether a status means that the service rejected the request before it looked
// at the payment.
func unheard(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// remote is a service over HTTP: a facilitator, a credits platform or a card processor.
//
// SECURITY: its errors contain neither requests nor answers, nor the service's address, which
// may contain credentials.
type remote struct {
	name   string // for errors
	base   string
	token  string // Bearer; "": none
	client *http.Client
}

func newRemote(name, base, token string, client *http.Client) (*remote, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the URL of the %s must begin with http:// or https://", name)
	}
	own := http.Client{}
	if client != nil {
		own = *client
	}
	own.Timeout = callTimeout
	// Following a redirect would send the payment to another host.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &remote{name: name, base: strings.TrimRight(base, "/"), token: token, client: &own}, nil
}

// call sends a request, and decodes the JSON answer into out, whatever the status. in is the
// body: url.Values are sent as a form, other values as JSON, and nil sends none. If there is an
// error, sent reports whether the service may have received the request, which is impossible
// without a connection.
func (r *remote) call(ctx context.Context, method, path string, header http.Header, in, out any) (status int, sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	var body io.Reader
	contentType := "application/json"
	if form, ok := in.(url.Values); ok {
		body, contentType = strings.NewReader(form.Encode()), "application/x-www-form-urlencoded"
	} else if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return 0, false, fmt.Errorf("%s: the request cannot be written", r.name)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, body)
	if err != nil {
		return 0, false, fmt.Errorf("%s: the request cannot be made", r.name)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	response, err := r.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return 0, connected.Load(), fmt.Errorf("%s: %w", r.name, ctx.Err())
		}
		return 0, connected.Load(), fmt.Errorf("%s: no answer", r.name)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return response.StatusCode, true, fmt.Errorf("%s: the answer broke off", r.name)
	case len(text) > maxAnswer:
		return response.StatusCode, true, fmt.Errorf("%s: the answer is too large", r.name)
	case json.Unmarshal(text, out) != nil:
		return response.StatusCode, true, fmt.Errorf("%s: status %d without a JSON answer", r.name, response.StatusCode)
	}
	return response.StatusCode, true, nil
}
