// Package milvus is the vector index for several processes: the vectors lie
// in a Milvus server, in one collection for each fingerprint, divided by
// store. It is approximate (HNSW) unless Config.Exact is set.
//
// Milvus holds a derived copy. A row's label and store are written with its
// vectors and every search is filtered by the scope, but what a search finds
// is a hint that the rows confirm.
//
// Where it promises less than vector.Index: an entry that is upserted may be
// missing from a search for a moment; at Bounded consistency a search may lag
// by some hundred milliseconds (Settle waits for them); and a search looks at
// no more than 16,384 chunks.
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

// Index implements vector.Index, vector.Lister and vector.Settler on a Milvus
// server. It reconnects by itself.
type Index struct {
	config Config
	name   string // the collection's
	client client.Client
	log    *slog.Logger

	lost    atomic.Bool // see Lost
	mending sync.Mutex  // held while the collection is made or loaded
	mended  time.Time   // when that was last tried; guarded by mending
}

var (
	_ vector.Index   = (*Index)(nil)
	_ vector.Lister  = (*Index)(nil)
	_ vector.Settler = (*Index)(nil)
)

// Open connects to Milvus and makes the fingerprint's collection ready. An
// empty Milvus gets the collection. It fails, within Timeouts.Open, with
// ErrUnavailable where Milvus cannot be reached or is not ready, with
// ErrDenied where it refuses user or password, and with ErrMismatch where the
// collection is of another make; to try again later is cheap.
func Open(ctx context.Context, config Config, log *slog.Logger) (*Index, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, config.Timeouts.Open)
	defer cancel()
	conn, err := dial(bounded, config)
	if err != nil {
		return nil, err
	}
	x := &Index{config: config, name: config.collection(), client: conn, log: log}
	err = x.ready(bounded)
	switch {
	case err == nil:
		return x, nil
	case ctx.Err() == nil && bounded.Err() != nil && !errors.Is(err, ErrUnavailable):
		err = fmt.Errorf("%w within %v: %w", ErrUnavailable, config.Timeouts.Open, err)
	}
	return nil, errors.Join(err, conn.Close())
}

// Close ends the connection. Calls that are under way fail.
func (x *Index) Close() error { return x.client.Close() }

// Lost tells whether, since the last call, the collection turned out to be
// missing: Milvus was wiped under a running service, and the rows' vectors are
// to be put back.
func (x *Index) Lost() bool { return x.lost.Swap(false) }

// missed notes where err is of a collection that is missing.
func (x *Index) missed(err error) bool {
	missing := errors.Is(err, ErrMissing)
	if missing {
		x.lost.Store(true)
	}
	return missing
}

// Collection is the name of the collection in Milvus.
func (x *Index) Collection() string { return x.name }
