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

// Put updates the entry at the session's label that the path resolves to, or
// creates one.
func (s *Service) Put(ctx context.Context, c Caller, r PutRequest) (PutResult, error) {
	var result PutResult
	err := s.storage.Update(ctx, func(tx Tx) error {
		now := s.Instant()
		a, err := writeAccess(ctx, tx, c, r.Path.Store, now)
		if err != nil {
			return err
		}
		if err := s.checkWrite(a, r); err != nil {
			return err
		}
		if err := tx.Prefetch(ctx, r.Path.Store, []Path{r.Path}, c.Taint, c.Agent, now); err != nil {
			return err
		}
		result, _, err = s.put(ctx, tx, c, a, r, now, false)
		return err
	})
	if err != nil {
		return PutResult{}, asConflict(err)
	}
	s.wrote(1)
	if r.Wait || r.Similar {
		s.follow(ctx, c, r, &result)
	}
	return result, nil
}

// PutOutcome is the outcome of one write of PutAll.
type PutOutcome struct {
	PutResult
	Unchanged bool  // the entry already had these contents
	Err       error // why the write was refused; nil: it was not
}

// PutAll writes several entries in one transaction, for imports. A write that
// is refused does not stop the others. An entry that already has the same
// contents is left alone, so that an import can be repeated. All of them are
// judged at one instant. An error is the storage's; nothing was written then.
func (s *Service) PutAll(ctx context.Context, c Caller, requests []PutRequest) ([]PutOutcome, error) {
	var outcomes []PutOutcome
	err := s.storage.Update(ctx, func(tx Tx) error {
		outcomes = make([]PutOutcome, len(requests))
		now := s.Instant()
		for first := 0; first < len(requests); {
			end := first + 1
			for end < len(requests) && requests[end].Path.Store == requests[first].Path.Store {
				end++
			}
			if err := s.putRun(ctx, tx, c, requests[first:end], outcomes[first:end], now); err != nil {
				return err
			}
			first = end
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	written := 0
	for i := range outcomes {
		if outcomes[i].Err == nil && !outcomes[i].Unchanged {
			written++
		}
	}
	s.wrote(written)
	return outcomes, nil
}

// putRun is PutAll in one store.
func (s *Service) putRun(ctx context.Context, tx Tx, c Caller, requests []PutRequest, outcomes []PutOutcome, now time.Time) error {
	a, denied := writeAccess(ctx, tx, c, requests[0].Path.Store, now)
	if denied != nil && !isRefusal(denied) {
		return denied
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
		return nil
	}
	if err := tx.Prefetch(ctx, paths[0].Store, paths, c.Taint, c.Agent, now); err != nil {
		return err
	}
	for i, r := range requests {
		o := &outcomes[i]
		if o.Err != nil {
			continue
		}
		o.PutResult, o.Unchanged, o.Err = s.put(ctx, tx, c, a, r, now, true)
		if o.Err = asConflict(o.Err); o.Err != nil && !isRefusal(o.Err) {
			return o.Err
		}
	}
	return nil
}

// checkWrite checks what a write gives, for a caller with this access.
func (s *Service) checkWrite(a acl.Access, r PutRequest) error {
	if r.InContext != nil && !*r.InContext && a.Via == acl.ViaGrant {
		return acl.ErrDenied
	}
	return s.checkPut(r)
}

// put is one write inside a transaction that was authorised and validated: resolve
// the path, judge the change, build the entry, check the quota, write. With
// skipSame an entry with the same contents is left alone.
func (s *Service) put(ctx context.Context, tx Tx, c Caller, a acl.Access, r PutRequest, now time.Time, skipSame bool) (_ PutResult, unchanged bool, _ error) {
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
	if skipSame && old != nil && old.Size == len(r.Value) && keepsFields(old, r) {
		whole, err := withValue(ctx, tx, old)
		if err != nil {
			return PutResult{}, false, err
		}
		if bytes.Equal(whole.Value, r.Value) {
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

// write writes a new version of an entry, and erases the versions that leave the
// history for it.
func (s *Service) write(ctx context.Context, tx Tx, e *Entry) error {
	err := tx.Put(ctx, *e, document(e))
	if err == nil && e.Version > 1 {
		err = tx.TrimHistory(ctx, e.ID, s.limits.History)
	}
	return err
}

// liveAt returns the live entries of a path up to a label, without values, and sweeps the expired ones so
// that they do not block a new entry.
func (s *Service) liveAt(ctx context.Context, tx Tx, path Path, ceiling acl.Label, now time.Time) ([]Entry, error) {
	entries, err := tx.At(ctx, path, ceiling)
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

// mayChange checks a write against the entry that it would change, nil for
// none.
func mayChange(c Caller, a acl.Access, old *Entry, r PutRequest) error {
	if old == nil {
		return nil
	}
	if changesExpiry(r, old) && !mayChangeExpiry(c, a, old) {
		return acl.ErrDenied
	}
	if r.InContext != nil && *r.InContext != old.InContext {
		return conflict("in_context cannot be changed after an entry was created")
	}
	if r.Encrypted != nil && *r.Encrypted != old.Encrypted {
		return conflict("encrypted cannot be changed after an entry was created")
	}
	return nil
}

// mayChangeExpiry reports whether the caller may change the expiry of an
// entry, nil for a new one: its owner and the store's own agent may.
func mayChangeExpiry(c Caller, a acl.Access, old *Entry) bool {
	return old == nil || old.Owner == c.Agent || a.Via == acl.ViaOwn
}

// changesExpiry reports whether a write sets an expiry. Setting none on an
// entry that has none does not count.
func changesExpiry(r PutRequest, old *Entry) bool {
	return r.ExpiresAt != nil || r.TTL != nil && !(*r.TTL == 0 && old.ExpiresAt.IsZero())
}

// buildEntry returns the entry that the write leaves. old is the entry that it
// replaces, nil if it creates one; then it takes fields from from, unless that is
// nil.
func buildEntry(ctx context.Context, tx acl.Facts, c Caller, r PutRequest, old, from *Entry, now time.Time) (e Entry, err error) {
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
		e = Entry{
			ID: id, Path: r.Path, Owner: c.Agent, Label: c.Taint, InContext: true, CreatedAt: now,
			TypeBy: c.Agent, DescriptionBy: c.Agent,
		}
		if from != nil {
			e.Type, e.Description, e.Tags, e.OccurredAt = from.Type, from.Description, from.Tags, from.OccurredAt
			e.TypeBy, e.DescriptionBy = from.TypeBy, from.DescriptionBy
		}
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
		e.TypeBy = author(c, &e, e.TypeBy, *r.Type != e.Type)
		e.Type = *r.Type
	}
	if r.Description != nil {
		e.DescriptionBy = author(c, &e, e.DescriptionBy, *r.Description != e.Description)
		e.Description = *r.Description
	}
	if r.Tags != nil {
		e.Tags = distinct(*r.Tags)
	}
	if r.OccurredAt != nil {
		if e.OccurredAt, err = r.moment(); err != nil {
			return Entry{}, err
		}
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

// author returns the author of a field that a write gives. Who gives a field the
// text that it has already is not its author, except the entry's owner, who takes
// responsibility for the text.
func author(c Caller, e *Entry, before string, changed bool) string {
	if changed || c.Agent == e.Owner {
		return c.Agent
	}
	return before
}

// stamp makes an entry a new version, written by the caller.
func stamp(e *Entry, c Caller, now time.Time) {
	e.Version++
	e.Revision++
	e.Size = 0 // the value itself is there
	e.UpdatedAt, e.UpdatedBy = now, c.Agent
}

// checkQuota enforces the limits of keys and bytes for the new version e of an
// entry. old is the version that it replaces, nil if there is none in the store.
//
// SECURITY: an entry counts for the agent that wrote it last, in its store and at
// its label. What an agent is refused depends on nothing but its own writes, which
// it knows. An edit takes an entry over into the editor's count.
func (s *Service) checkQuota(ctx context.Context, tx EntryReader, e, old *Entry, now time.Time) error {
	usage, err := tx.Usage(ctx, e.Store, e.UpdatedBy, e.Label, now)
	if err != nil {
		return err
	}
	counted := old != nil && old.UpdatedBy == e.UpdatedBy
	if !counted && usage.Entries >= s.limits.Keys {
		return &QuotaError{Limit: "keys", Max: s.limits.Keys, RetryAfter: quotaRetry}
	}
	before := 0
	if counted {
		before = old.bytes()
	}
	if usage.Bytes-int64(before)+int64(e.bytes()) > s.limits.Bytes && e.bytes() > before {
		return &QuotaError{Limit: "bytes", Max: s.limits.Bytes, RetryAfter: quotaRetry}
	}
	return nil
}

// quotaRetry is a guess. Room appears when entries are deleted or expire.
const quotaRetry = time.Minute

// document returns the terms by which an entry is found: those of its value's
// text, its key, description and tags. Entries that must not be found have
// none.
func document(e *Entry) lexical.Document {
	if !e.Searchable() || !e.DeletedAt.IsZero() {
		return lexical.Document{}
	}
	return lexical.Analyze(e.Texts()...)
}

// keepsFields reports whether a write would leave the entry's contents as they
// are, except for the value.
func keepsFields(e *Entry, r PutRequest) bool {
	return (r.Type == nil || *r.Type == e.Type) &&
		(r.Description == nil || *r.Description == e.Description) &&
		(r.Tags == nil || slices.Equal(distinct(*r.Tags), e.Tags)) &&
		(r.OccurredAt == nil || r.occurredAt(e.OccurredAt)) &&
		(r.TTL == nil || *r.TTL == 0 && e.ExpiresAt.IsZero()) &&
		(r.ExpiresAt == nil || instantOf(*r.ExpiresAt).Equal(e.ExpiresAt))
}

// moment parses OccurredAt, which must be given. The error is a RuleError.
func (r *PutRequest) moment() (Moment, error) {
	zone, err := parseZone(r.Timezone)
	if err != nil {
		return Moment{}, err
	}
	return ParseMomentIn(*r.OccurredAt, zone)
}

// occurredAt reports whether OccurredAt, in whatever form, is m.
func (r *PutRequest) occurredAt(m Moment) bool {
	given, err := r.moment()
	return err == nil && given.Equal(m)
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

// instantOf converts a time to the precision and zone of rows: microseconds,
// UTC.
func instantOf(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func expiry(now time.Time, ttl time.Duration) time.Time {
	if ttl == 0 {
		return time.Time{}
	}
	return now.Add(ttl)
}
