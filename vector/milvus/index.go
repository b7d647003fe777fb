// Package milvus is a vector index in a Milvus server, which several processes
// can share. Each fingerprint has its own collection, partitioned by store. The
// index is approximate (HNSW) unless Config.Exact is set.
//
// Milvus holds a copy that is derived from the database. A row's store and label are written
// with its vectors, and every search is filtered by the scope. But the copy may be out of date,
// so callers must check the hits against the database.
//
// The index deviates from the contract of vector.Index in three ways. An entry
// may be missing from searches for a moment while it is upserted. At Bounded
// consistency a search may lag by a few hundred milliseconds (see Settle). A
// search considers at most 16,384 chunks (see SearchBounded).
package milvus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"

	"mneme/vector"
)

// Index implements vector.Index, vector.Bounded, vector.Lister and
// vector.Settler on a Milvus server. It reconnects automatically.
type Index struct {
	config Config
	name   string // of the collection
	client client.Client
	log    *slog.Logger

	lost      atomic.Bool // see Lost
	repairing sync.Mutex  // held while the collection is recreated or reloaded
	reloaded  time.Time   // last attempt to reload; guarded by repairing
}

var (
	_ vector.Index   = (*Index)(nil)
	_ vector.Bounded = (*Index)(nil)
	_ vector.Lister  = (*Index)(nil)
	_ vector.Settler = (*Index)(nil)
)

// Open connects to Milvus and opens the fingerprint's collection, which it
// creates if it does not exist. Within Timeouts.Open it returns ErrUnavailable
// if Milvus is unreachable or not ready, ErrDenied if Milvus rejects the user
// or password, and ErrMismatch if the collection has a different schema or
// index. Trying again later is cheap.
func Open(ctx context.Context, config Config, log *slog.Logger) (*Index, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, config.Timeouts.Open)
	defer cancel()
	conn, err := dial(limited, config)
	if err != nil {
		return nil, err
	}
	x := &Index{config: config, name: config.collection(), client: conn, log: log}
	err = x.prepare(limited)
	switch {
	case err == nil:
		return x, nil
	case ctx.Err() == nil && limited.Err() != nil && !errors.Is(err, ErrUnavailable):
		err = fmt.Errorf("%w within %v: %w", ErrUnavailable, config.Timeouts.Open, err)
	}
	return nil, errors.Join(err, conn.Close())
}

// Close closes the connection. Calls in progress fail.
func (x *Index) Close() error { return x.client.Close() }

// Lost reports whether the collection was found missing since the last call of Lost. If so,
// Milvus has lost it while the service was running: the vectors in the database must be written
// to the index again.
func (x *Index) Lost() bool { return x.lost.Swap(false) }

// noteMissing reports whether err means that the collection is missing. If so, the next call of
// Lost returns true.
func (x *Index) noteMissing(err error) bool {
	missing := errors.Is(err, ErrMissing)
	if missing {
		x.lost.Store(true)
	}
	return missing
}

// Collection returns the name of the collection in Milvus.
func (x *Index) Collection() string { return x.name }
