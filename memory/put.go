package memory

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
)

// indexedWait bounds the wait of a Put until its entry is indexed.
const indexedWait = 10 * time.Second

// Put creates an entry at the session's label, or updates the one of that
// label which the path resolves to.
func (s *Service) Put(ctx context.Context, c Caller, r PutRequest) (PutResult, error) {
	var result PutResult
	err := s.storage.Update(ctx, func(tx Tx) (err error) {
		result, _, err = s.put(ctx, tx, c, r, false)
		return err
	})
	if err != nil {
		return PutResult{}, clash(err)
	}
	s.indexer.Wake()
	if r.Wait && result.Searchable() {
		waiting, cancel := context.WithTimeout(ctx, indexedWait)
		defer cancel()
		result.Indexed = s.indexer.WaitIndexed(waiting, result.ID)
	}
	return result, nil
}

// PutOutcome is what became of one of several writes.
type PutOutcome struct {
	PutResult
	Unchanged bool  // it already stood there, word for word
	Err       error // refused; nothing was written for this one
}

// PutAll writes several entries in one transaction, for imports. Each is
// judged by itself: a refused one does not stop the others. An entry that
// already stands there with the same contents is left alone, so that an
// import can be repeated. The error is one of the storage, and then nothing
// was written.
func (s *Service) PutAll(ctx context.Context, c Caller, requests []PutRequest) ([]PutOutcome, error) {
	var outcomes []PutOutcome
	err := s.storage.Update(ctx, func(tx Tx) error {
		outcomes = make([]PutOutcome, len(requests))
		for i, r := range requests {
			o := &outcomes[i]
			o.PutResult, o.Unchanged, o.Err = s.put(ctx, tx, c, r, true)
			if o.Err = clash(o.Err); o.Err != nil && !isRefusal(o.Err) {
				return o.Err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.indexer.Wake()
	return outcomes, nil
}

// put is one write inside a transaction: authorise, validate, resolve the
// path, judge the change, build the entry, check the quota, write. With
// skipSame an entry with the same contents is left alone.
func (s *Service) put(ctx context.Context, tx Tx, c Caller, r PutRequest, skipSame bool) (_ PutResult, unchanged bool, _ error) {
	now := s.instant()
	a, err := writeAccess(ctx, tx, c, r.Path.Store, now)
	if err != nil {
		return PutResult{}, false, err
	}
	if r.InContext != nil && !*r.InContext && a.Via == acl.ViaGrant {
		return PutResult{}, false, acl.ErrDenied
	}
	if err := s.checkPut(r); err != nil {
		return PutResult{}, false, err
	}
	entries, err := s.at(ctx, tx, r.Path, now)
	if err != nil {
		return PutResult{}, false, err
	}
	old := target(c, a, entries, now)
	if r.TTLIfMay && !mayExpire(c, a, old) {
		r.TTL = nil
	}
	if err := mayChange(c, a, old, r); err != nil {
		return PutResult{}, false, err
	}
	if err := s.checkPreconditions(r.If, shown(c, a, entries, now)); err != nil {
		return PutResult{}, false, err
	}
	if skipSame && old != nil && same(old, r) {
		return PutResult{Found: s.found(*old)}, true, nil
	}
	e, err := buildEntry(ctx, tx, c, r, old, now)
	if err != nil {
		return PutResult{}, false, err
	}
	if err := s.checkQuota(ctx, tx, &e, old, now); err != nil {
		return PutResult{}, false, err
	}
	if err := tx.Put(ctx, e, document(&e)); err != nil {
		return PutResult{}, false, err
	}
	return PutResult{Found: s.found(e), Created: old == nil}, false, nil
}

// at reads a path and sweeps what has expired there, so that it cannot stand
// in a new entry's way.
func (s *Service) at(ctx context.Context, tx Tx, path Path, now time.Time) ([]Entry, error) {
	entries, err := tx.At(ctx, path)
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

// mayChange judges a write against the entry that it would change.
func mayChange(c Caller, a acl.Access, old *Entry, r PutRequest) error {
	if old == nil {
		return nil
	}
	if changesExpiry(r, old) && !mayExpire(c, a, old) {
		return acl.ErrDenied
	}
	if r.InContext != nil && *r.InContext != old.InContext {
		return conflict("in_context is fixed when an entry is created")
	}
	if r.Encrypted != nil && *r.Encrypted != old.Encrypted {
		return conflict("encrypted is fixed when an entry is created")
	}
	return nil
}

// mayExpire tells whether the expiry of an entry, nil if it is yet to be made,
// is the caller's to change: the owner's, and that of the store's own agent.
func mayExpire(c Caller, a acl.Access, old *Entry) bool {
	return old == nil || old.Owner == c.Agent || a.Via == acl.ViaOwn
}

// changesExpiry tells whether a write names an expiry, other than none for an
// entry that has none.
func changesExpiry(r PutRequest, old *Entry) bool {
	return r.ExpiresAt != nil || r.TTL != nil && !(*r.TTL == 0 && old.ExpiresAt.IsZero())
}

// buildEntry returns the entry that the write leaves. old is the entry that it
// replaces, nil if it creates one.
func buildEntry(ctx context.Context, tx Tx, c Caller, r PutRequest, old *Entry, now time.Time) (Entry, error) {
	var e Entry
	if old != nil {
		e = *old
	} else {
		id, err := newID()
		if err != nil {
			return Entry{}, err
		}
		settings, err := tx.Settings(ctx, c.Agent)
		if err != nil {
			return Entry{}, err
		}
		e = Entry{ID: id, Path: r.Path, Owner: c.Agent, Label: c.Taint, InContext: true, CreatedAt: now}
		if settings.DefaultTTL > 0 {
			e.ExpiresAt = now.Add(settings.DefaultTTL)
		}
		if r.InContext != nil {
			e.InContext = *r.InContext
		}
		if r.Encrypted != nil {
			e.Encrypted = *r.Encrypted
		}
	}
	e.Value, e.Source = r.Value, r.Source
	if r.Type != nil {
		e.Type = *r.Type
	}
	if r.Description != nil {
		e.Description = *r.Description
	}
	if r.Tags != nil {
		e.Tags = distinct(*r.Tags)
	}
	if r.TTL != nil {
		e.ExpiresAt = expiry(now, *r.TTL)
	}
	if r.ExpiresAt != nil {
		e.ExpiresAt = instantOf(*r.ExpiresAt)
	}
	stamp(&e, c, now)
	return e, nil
}

// stamp marks an entry as changed by the caller: a new version.
func stamp(e *Entry, c Caller, now time.Time) {
	e.Version++
	e.Revision++
	e.UpdatedAt, e.UpdatedBy = now, c.Agent
}

// checkQuota enforces the limits of keys and bytes. They are counted per store,
// owner and label, so that they reveal nothing about hidden entries. old is
// the entry that e replaces, nil if it is new there.
func (s *Service) checkQuota(ctx context.Context, tx ReadTx, e, old *Entry, now time.Time) error {
	usage, err := tx.Usage(ctx, e.Store, e.Owner, e.Label, now)
	if err != nil {
		return err
	}
	bytes := usage.Bytes + int64(len(e.Value))
	if old != nil {
		bytes -= int64(len(old.Value))
	} else if usage.Entries >= s.limits.Keys {
		return &QuotaError{Limit: "keys", Max: s.limits.Keys, RetryAfter: quotaRetry}
	}
	if bytes > s.limits.Bytes && (old == nil || len(e.Value) > len(old.Value)) {
		return &QuotaError{Limit: "bytes", Max: s.limits.Bytes, RetryAfter: quotaRetry}
	}
	return nil
}

// quotaRetry is a guess: room comes when somebody deletes or time runs out.
const quotaRetry = time.Minute

// document is what an entry is found by: the text of its value, the key's
// words, the description and the tags.
func document(e *Entry) lexical.Document {
	if !e.Searchable() || !e.DeletedAt.IsZero() {
		return lexical.Document{}
	}
	fields := append([]string{lexical.TextOf(e.Value), lexical.KeyWords(e.Key), e.Description}, e.Tags...)
	return lexical.Analyze(fields...)
}

// same tells whether a write would leave the entry's contents as they are.
func same(e *Entry, r PutRequest) bool {
	return bytes.Equal(e.Value, r.Value) &&
		(r.Type == nil || *r.Type == e.Type) &&
		(r.Description == nil || *r.Description == e.Description) &&
		(r.Tags == nil || slices.Equal(distinct(*r.Tags), e.Tags)) &&
		(r.TTL == nil || *r.TTL == 0 && e.ExpiresAt.IsZero()) &&
		(r.ExpiresAt == nil || instantOf(*r.ExpiresAt).Equal(e.ExpiresAt))
}

func distinct(tags []string) []string {
	var out []string
	for _, tag := range tags {
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// instantOf is a time in the precision and zone that rows keep.
func instantOf(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func expiry(now time.Time, ttl time.Duration) time.Time {
	if ttl == 0 {
		return time.Time{}
	}
	return now.Add(ttl)
}
