package memory_test

import (
	"encoding/json"
	"errors"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// onEachBackend runs a test on every supported backend. It is for rules that
// involve a search or the index; tests of other rules use onEachStorage, which
// does not wait for Milvus.
func onEachBackend(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	t.Parallel()
	backendtest.Each(t, backendtest.Backends(), test)
}

// onEachStorage runs a test on each storage, with the flat index.
func onEachStorage(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	t.Parallel()
	backendtest.Each(t, backendtest.Storages(), test)
}

// encoder returns the built-in encoder.
func encoder(t testing.TB) *backendtest.CachingEmbedder {
	t.Helper()
	return backendtest.MustEncoder(t)
}

// harness is a service and its indexer under test.
type harness struct {
	*backendtest.Fixture
	t testing.TB
}

// open opens a service over a fresh database.
func open(t testing.TB, b backendtest.Backend, limits memory.Limits) *harness {
	t.Helper()
	return openWith(t, b, memory.Options{Limits: limits})
}

// openWith is open with options.
func openWith(t testing.TB, b backendtest.Backend, options memory.Options) *harness {
	t.Helper()
	return &harness{backendtest.Open(t, b, options, encoder(t)), t}
}

// openOver opens another service over a database, as another process would.
func openOver(t testing.TB, data *backendtest.Data, options memory.Options, embedders ...embed.Embedder) *harness {
	t.Helper()
	return &harness{backendtest.OpenOver(t, data, options, embedders...), t}
}

// status returns the HTTP status that REST gives an error.
func status(err error) int {
	var broken *memory.RuleError
	var full *memory.QuotaError
	var spent *search.CapError
	var unpaid *search.PaymentError
	switch {
	case err == nil:
		return 200
	case errors.Is(err, acl.ErrDenied):
		return 403
	case errors.As(err, &broken) && broken.TooLarge:
		return 413
	case errors.As(err, &broken):
		return 422
	case errors.Is(err, memory.ErrNotFound):
		return 404
	case errors.Is(err, memory.ErrConflict), errors.Is(err, memory.ErrKindClash):
		return 409
	case errors.Is(err, memory.ErrPrecondition):
		return 412
	case errors.As(err, &full), errors.As(err, &spent):
		return 429
	case errors.As(err, &unpaid):
		return 402
	case errors.Is(err, memory.ErrCursor), errors.Is(err, acl.ErrBadID):
		return 400
	}
	return 500
}

func text(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

func caller(p acl.Principal) memory.Caller { return memory.Caller{Principal: p, Internal: true} }

func agent(name string, taint acl.Label) memory.Caller {
	return caller(acl.Principal{Agent: name, Taint: taint})
}
