package memory

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
)

const (
	// defaultIndexedWait bounds how long a Put waits until its entry is indexed.
	defaultIndexedWait = 10 * time.Second
	// defaultSimilarWait bounds how long a Put with Similar waits until its entry is indexed
	// and similar entries are found.
	defaultSimilarWait = 2 * time.Second
)

// SimilarFinder finds entries similar to a given one. Package search implements it.
type SimilarFinder interface {
	// Similar returns the entries in an indexed entry's store that say nearly the same or the
	// opposite and that the caller may read, most alike first, at most three. It returns nil if
	// the entry has no vector to compare.
	Similar(ctx context.Context, c Caller, e *Entry) ([]Near, error)
}

// UseSimilar sets the SimilarFinder for Puts with Similar. It must be called before the Service
// is used. Without it, similar entries are unknown.
func (s *Service) UseSimilar(f SimilarFinder) { s.similar = f }

// follow waits until a written entry is indexed, if the request asks for it, and finds similar
// entries. The write is durable already: after an error here, result says that these are
// unknown.
func (s *Service) follow(ctx context.Context, c Caller, r PutRequest, result *PutResult) {
	if serving := s.indexer.Serving(); !result.Searchable() || len(serving) == 0 || !serving[0].Reads(result.Label) {
		return
	}
	result.SimilarLate = r.Similar && s.similar != nil
	limit := s.indexedWait
	if !r.Wait {
		if limit = s.similarWait; s.lags(ctx, c, r.Path.Store) {
			return
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if result.Indexed = s.indexer.WaitIndexed(ctx, result.ID); !result.Indexed || !r.Similar || s.similar == nil {
		return
	}
	similar, err := s.similar.Similar(ctx, c, &result.Entry)
	if err != nil && !errors.Is(err, acl.ErrDenied) && ctx.Err() == nil {
		s.log.WarnContext(ctx, "similar entries were not found", "error", err)
	}
	result.Similar, result.SimilarLate = similar, err != nil
}

// lags reports whether entries of a store that the caller may read have waited for their
// vectors so long that waiting for a new entry is pointless, for example while the embedder is
// down.
func (s *Service) lags(ctx context.Context, c Caller, store string) (lagging bool) {
	err := s.view(ctx, c, func(tx ReadTx) error {
		now := s.Instant()
		scope, err := ReadableStore(ctx, tx, c, store, now)
		if err == nil {
			lagging, err = tx.WaitingIn(ctx, scope, now.Add(-s.similarWait), now)
		}
		return err
	})
	return lagging || err != nil
}
