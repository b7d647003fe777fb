package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// Put updates the entry at the session's label that the path resolves to, or creates one. In
// one transaction it authorises the caller (resolve.go), checks the request (rule.go), reads
// the rows at the path and writes: see put. The indexer makes the vectors afterwards; a Put may
// wait for them (follow.go).
func (s *Service) Put(ctx context.Context, c Caller, r PutRequest) (PutResult, error) {
	r = r.normal()
	var result PutResult
	var a acl.Access
	err := s.updateBatched(ctx, c, Work{Stores: []string{r.Path.Store}, Bytes: len(r.Value)}, func(tx Tx) (err error) {
		now := s.Instant()
		a, err = s.prepareWrite(ctx, tx, c, r, now)
		if err != nil {
			return err
		}
		result, _, err = s.put(ctx, tx, c, a, r, now, nil)
		return err
	})
	if err != nil {
		return PutResult{}, asConflict(err)
	}
	s.wrote(1)
	s.Named(ctx, c, a)
	s.showWritten(ctx, c, &result.Found)
	if r.Wait || r.Similar {
		s.follow(ctx, c, r, &result)
	}
	return result, nil
}

// prepareWrite authorises and checks a write, and prefetches the rows that the write needs.
//
// SECURITY: it prefetches after the authorisation, so that its duration reveals nothing about a
// store that the caller may not write to. Only if the store is the caller's own, it prefetches
// before.
func (s *Service) prepareWrite(ctx context.Context, tx Tx, c Caller, r PutRequest, now time.Time) (acl.Access, error) {
	plan := WritePlan{r.Path.Store, []Path{r.Path}, c.Taint, c.Agent}
	own := c.Agent == r.Path.Store && CheckPath(r.Path) == nil
	if own {
		if err := tx.PrepareWrite(ctx, plan); err != nil {
			return acl.Access{}, err
		}
	}
	a, err := writeAccess(ctx, tx, c, r.Path.Store, now)
	if err == nil {
		err = s.checkWrite(a, r)
	}
	if err == nil && !own {
		err = tx.PrepareWrite(ctx, plan)
	}
	return a, err
}

// PutOutcome is the outcome of one write of PutAll.
type PutOutcome struct {
	PutResult
	Unchanged bool  // the entry already had these contents
	Err       error // why the write was refused; nil if it was not
}

// PutAll performs several writes, for imports, in as many transactions as partCost requires. If
// a write is refused, the others are performed nevertheless. An entry that already has the same
// contents is left alone, so that an import can be repeated. An error means that the storage
// failed, or that other writes delayed a transaction for too long; the earlier transactions
// stay committed.
func (s *Service) PutAll(ctx context.Context, c Caller, requests []PutRequest) ([]PutOutcome, error) {
	requests = normalRequests(requests)
	alike, err := s.alikeSources(ctx, c, requests)
	if err != nil {
		return nil, err
	}
	outcomes := make([]PutOutcome, len(requests))
	for from := 0; from < len(requests); {
		n, err := s.putPart(ctx, c, requests[from:], alike[from:], outcomes[from:])
		if err != nil {
			return nil, err
		}
		from += n
	}
	return outcomes, nil
}

// putPart is one transaction of PutAll, at one instant. It returns the number of requests
// performed.
func (s *Service) putPart(ctx context.Context, c Caller, requests []PutRequest, alike []json.RawMessage, outcomes []PutOutcome) (done int, err error) {
	work := Work{Entries: len(requests) - 1}
	for first := range storeRuns(requests) {
		work.Stores = append(work.Stores, requests[first].Path.Store)
	}
	for i := range requests {
		work.Bytes += len(requests[i].Value)
	}
	err = s.update(ctx, c, work, func(tx Tx) error {
		counted := newCosted(tx)
		now := s.Instant()
		done = 0
		for first, end := range storeRuns(requests) {
			clear(outcomes[first:end])
			n, err := s.putRun(ctx, counted, c, requests[first:end], alike[first:end], outcomes[first:end], now)
			if err != nil {
				return err
			}
			if done += n; n < end-first {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	written := 0
	for i := range outcomes[:done] {
		if outcomes[i].Err == nil && !outcomes[i].Unchanged {
			written++
		}
	}
	s.wrote(written)
	return done, nil
}

// storeRuns yields the start and end of each run of consecutive requests for the same store.
func storeRuns(requests []PutRequest) iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		for first := 0; first < len(requests); {
			end := first + 1
			for end < len(requests) && requests[end].Path.Store == requests[first].Path.Store {
				end++
			}
			if !yield(first, end) {
				return
			}
			first = end
		}
	}
}

// putRun is PutAll for requests of one store, in a transaction. alike is the result of
// alikeSources. It returns the number of requests performed.
func (s *Service) putRun(ctx context.Context, tx *costed, c Caller, requests []PutRequest, alike []json.RawMessage, outcomes []PutOutcome, now time.Time) (int, error) {
	a, denied := writeAccess(ctx, tx, c, requests[0].Path.Store, now)
	if denied != nil && !isRefusal(denied) {
		return 0, denied
	}
	var paths []Path
	for i, r := range requests {
		o := &outcomes[i]
		if o.Err = denied; o.Err == nil {
			o.Err = s.checkWrite(a, r)
		}
		if o.Err == nil {
			paths = append(paths, r.Path)
		}
	}
	if len(paths) == 0 {
		return len(requests), nil
	}
	if err := tx.PrepareWrite(ctx, WritePlan{paths[0].Store, paths, c.Taint, c.Agent}); err != nil {
		return 0, err
	}
	for i, r := range requests {
		o := &outcomes[i]
		if o.Err != nil {
			continue
		}
		if tx.full(len(r.Value)) {
			return i, nil
		}
		keeps := func(stored json.RawMessage) bool { return keepsSource(stored, r.Source, alike[i]) }
		o.PutResult, o.Unchanged, o.Err = s.put(ctx, tx, c, a, r, now, keeps)
		if o.Err = asConflict(o.Err); o.Err != nil && !isRefusal(o.Err) {
			return 0, o.Err
		}
	}
	return len(requests), nil
}

// checkWrite checks the fields of a write, for a caller with this access.
func (s *Service) checkWrite(a acl.Access, r PutRequest) error {
	if r.InContext != nil && !*r.InContext && a.Via == acl.ViaGrant {
		return acl.ErrDenied
	}
	return s.checkPut(r)
}

// put is one write inside a transaction, already authorised and validated. It resolves the
// path, checks that the change is allowed, builds the entry (build.go), checks the quota
// (quota.go) and writes. If the entry already has the same contents, put leaves it alone,
// provided that keepsSource reports that its source would not change. If keepsSource is nil,
// put always writes.
func (s *Service) put(ctx context.Context, tx Tx, c Caller, a acl.Access, r PutRequest, now time.Time, keepsSource func(stored json.RawMessage) bool) (_ PutResult, unchanged bool, _ error) {
	entries, err := s.liveAt(ctx, tx, r.Path, a.Ceiling, now)
	if err != nil {
		return PutResult{}, false, err
	}
	old := writeTarget(c, a, entries, now)
	if r.TTLIfAllowed && !mayChangeExpiry(c, a, old) {
		r.TTL = nil
	}
	if err := mayChange(c, a, old, r); err != nil {
		return PutResult{}, false, err
	}
	if err := s.checkPreconditions(r.If, Resolve(c, a, entries, now)); err != nil {
		return PutResult{}, false, err
	}
	if keepsSource != nil && old != nil && old.Size == len(r.Value) && keepsFields(old, r) {
		whole, err := withValue(ctx, tx, old)
		if err != nil {
			return PutResult{}, false, err
		}
		if bytes.Equal(whole.Value, r.Value) && keepsSource(whole.Source) {
			return PutResult{Found: s.withETag(*whole)}, true, nil
		}
	}
	var from *Entry
	if r.Inherit {
		from = Resolve(c, a, entries, now)
	}
	e, err := buildEntry(ctx, tx, c, r, old, from, now)
	if err != nil {
		return PutResult{}, false, err
	}
	if err := s.checkQuota(ctx, tx, &e, old, now); err != nil {
		return PutResult{}, false, err
	}
	if err := s.write(ctx, tx, &e); err != nil {
		return PutResult{}, false, err
	}
	return PutResult{Found: s.withETag(e), Created: old == nil}, false, nil
}

// write writes a new version of an entry, and erases the versions that no longer fit into the
// history.
func (s *Service) write(ctx context.Context, tx Tx, e *Entry) error {
	err := tx.Put(ctx, *e, document(e))
	if err == nil && e.Version > 1 {
		err = tx.TrimHistory(ctx, e.ID, s.limits.History)
	}
	return err
}

// liveAt returns the live entries at a path up to a label, without values. It sweeps expired
// ones so that they do not block a new entry.
func (s *Service) liveAt(ctx context.Context, tx Tx, path Path, ceiling acl.Label, now time.Time) ([]Entry, error) {
	entries, err := tx.At(ctx, path.At(ceiling))
	if err != nil {
		return nil, err
	}
	var expired []uuid.UUID
	entries = slices.DeleteFunc(entries, func(e Entry) bool {
		if e.Expired(now) {
			expired = append(expired, e.ID)
			return true
		}
		return false
	})
	if len(expired) > 0 {
		err = tx.Sweep(ctx, expired, now)
	}
	return entries, err
}

// document returns the terms by which an entry is found: those of its value's text, key,
// description and tags. Entries that must not be found have none.
func document(e *Entry) lexical.Document {
	if !e.Searchable() || !e.DeletedAt.IsZero() {
		return lexical.Document{}
	}
	return lexical.Analyze(e.Texts()...)
}

// instantOf converts a time to the precision and zone of rows: microseconds, UTC.
func instantOf(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
