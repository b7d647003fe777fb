package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/server/problem"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// keysAge is how long the public keys of receipts are cached: they need no
// token, so frequent requests must be cheap.
const (
	keysAge     = time.Second
	keysTimeout = 2 * time.Second
)

// keyCache caches the public keys of receipts for keysAge.
type keyCache struct {
	mu   sync.Mutex
	read time.Time
	keys json.RawMessage
}

// get returns the keys. It calls read if the cached keys are too old.
func (c *keyCache) get(ctx context.Context, read func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil || time.Since(c.read) >= keysAge {
		ctx, cancel := context.WithTimeout(ctx, keysTimeout)
		defer cancel()
		keys, err := read(ctx)
		if err != nil {
			return nil, err
		}
		c.keys, c.read = keys, time.Now()
	}
	return c.keys, nil
}

// GetReceiptKeys returns the public keys of receipts.
func (s *Surface) GetReceiptKeys(ctx context.Context, _ api.GetReceiptKeysRequestObject) (api.GetReceiptKeysResponseObject, error) {
	keys, err := s.keys.get(ctx, s.market.Keys)
	if err != nil {
		return nil, err
	}
	return keySet(keys), nil
}

// keySet is an answer with a JWK Set.
type keySet json.RawMessage

// VisitGetReceiptKeysResponse writes the set.
func (k keySet) VisitGetReceiptKeysResponse(w http.ResponseWriter) error {
	h := w.Header()
	h.Set("Content-Type", wire.ContentJSON)
	h.Set("Access-Control-Allow-Origin", "*") // it is public
	_, err := w.Write(append([]byte(k), '\n'))
	return err
}

// Templates of the well-known calls. Unknown paths are 404 without a token, as
// clients that look for metadata expect.
const (
	keysPath      = "/.well-known/jwks.json"
	wellKnownPath = "/.well-known/*"
)

// mountWellKnown responds to well-known URLs that do not exist.
func mountWellKnown(e *echo.Echo) {
	e.GET(wellKnownPath, func(echo.Context) error { return problem.New(problem.NoSuchCall, "") })
}
