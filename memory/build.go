package memory

import (
	"context"
	"slices"
	"time"

	"mneme/acl"
)

// mayChange checks whether the caller may write r over the entry old. old is nil if there is
// none.
func mayChange(c Caller, a acl.Access, old *Entry, r PutRequest) error {
	if old == nil {
		return nil
	}
	if !keepsExpiry(old, r) && !mayChangeExpiry(c, a, old) {
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

// mayChangeExpiry reports whether the caller may change the expiry of the entry old: its owner
// and the store's own agent may. Any writer may set the expiry of a new entry, for which old is
// nil.
func mayChangeExpiry(c Caller, a acl.Access, old *Entry) bool {
	return old == nil || old.Owner == c.Agent || a.Via == acl.ViaOwn
}

// buildEntry returns the entry that results from the write. old is the entry that it replaces;
// nil if it creates one. A new entry copies fields from the entry from, unless that is nil: see
// PutRequest.Inherit.
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
	e.Value, e.Source = r.Value, r.Source // the source of the old value does not stay
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

// author returns the author of a field after a write that gives the field; before is the author
// until then. An agent that writes the same text again does not become its author, unless it is
// the entry's owner, who takes responsibility for the text.
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
	e.Size = 0 // the value itself is set
	e.UpdatedAt, e.UpdatedBy = now, c.Agent
}

// keepsFields reports whether a write would leave the entry's contents unchanged, apart from
// the value and the source, which it does not compare.
func keepsFields(e *Entry, r PutRequest) bool {
	return (r.Type == nil || *r.Type == e.Type) &&
		(r.Description == nil || *r.Description == e.Description) &&
		(r.Tags == nil || slices.Equal(distinct(*r.Tags), e.Tags)) &&
		(r.OccurredAt == nil || r.occurredAt(e.OccurredAt)) &&
		keepsExpiry(e, r)
}

// keepsExpiry reports whether a write would leave the entry's expiry unchanged: it gives no
// expiry, the same instant, or a TTL of 0 for an entry that never expires.
func keepsExpiry(e *Entry, r PutRequest) bool {
	return (r.TTL == nil || *r.TTL == 0 && e.ExpiresAt.IsZero()) &&
		(r.ExpiresAt == nil || instantOf(*r.ExpiresAt).Equal(e.ExpiresAt))
}

// moment parses OccurredAt, which must not be nil. The error is a RuleError.
func (r *PutRequest) moment() (Moment, error) {
	zone, err := parseZone(r.Timezone)
	if err != nil {
		return Moment{}, err
	}
	return ParseMomentIn(*r.OccurredAt, zone)
}

// occurredAt reports whether the request's OccurredAt, in whatever form, is the Moment m.
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

func expiry(now time.Time, ttl time.Duration) time.Time {
	if ttl == 0 {
		return time.Time{}
	}
	return now.Add(ttl)
}
