package sqlcommon

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
)

// StoreFacts implements acl.Facts.
func (r Reads) StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error) {
	known := make(map[string]acl.StoreFacts, len(stores))
	name, arg := "reading.among", any(stores)
	switch len(stores) {
	case 0:
		return known, nil
	case 1:
		name, arg = "reading.of", stores[0]
	}
	found, err := KeptList(ctx, r.r, scanStoreFacts, name, arg)
	for _, f := range found {
		known[f.id] = f.StoreFacts
	}
	return known, err
}

type storeFacts struct {
	id string
	acl.StoreFacts
}

func scanStoreFacts(row Row) (f storeFacts, err error) {
	var language int64
	var reading choice.Reading
	err = row.Scan(&f.id, &f.Number, &language, &reading.Asked, &reading.Multilingual, &reading.Mixed, &reading.Unread)
	reading.Language = choice.Language(language)
	f.Detail = reading.Detail()
	return f, err
}

func scanGrant(row Row) (g acl.Grant, err error) {
	var level, accepted int64
	err = row.Scan(&g.Store, &g.Grantee, &g.Label, &level, &g.MaxLabel, &g.ExpiresAt, &g.Maker, &g.ByPlatform, &g.CreatedAt, &accepted,
		&g.Caps.SearchesPerHour, &g.Caps.EntriesPerDay, &g.Offer, &g.Terms, &g.Rests)
	g.Level, g.Accepted = acl.Level(level), acl.Label(accepted)
	return g, err
}

// Grants implements acl.Facts.
func (r Reads) Grants(ctx context.Context, q acl.GrantQuery) ([]acl.Grant, error) {
	switch {
	case q.Store != "" && q.Grantee != "":
		return KeptList(ctx, r.r, scanGrant, "grant.of", q.Store, q.Grantee)
	case q.Store != "":
		return KeptList(ctx, r.r, scanGrant, "grant.on", q.Store)
	case q.Grantee != "":
		return KeptList(ctx, r.r, scanGrant, "grant.to", q.Grantee)
	}
	return nil, nil
}

// members holds the names of the statements on one table of memberships.
type members struct{ end, all, put, insert, remove, expire string }

var (
	participants = members{"participant.end", "participant.all", "participant.put", "participant.insert", "participant.delete", "participant.expire"}
	sessions     = members{"session.end", "session.all", "session.put", "session.insert", "session.delete", "session.expire"}
)

func membersBy(via acl.Via) members {
	if via == acl.ViaChat {
		return participants
	}
	return sessions
}

// Membership implements acl.Facts.
func (r Reads) Membership(ctx context.Context, via acl.Via, of, agent string) (acl.Membership, error) {
	found, err := KeptList(ctx, r.r, scanMembership, membersBy(via).end, of, agent)
	if err != nil || len(found) == 0 {
		return acl.Membership{}, err
	}
	return found[0], nil
}

func scanMembership(row Row) (m acl.Membership, err error) {
	m.Present = true
	err = row.Scan(&m.ExpiresAt)
	return m, err
}

// ScanSettings reads a row of the table of settings.
func ScanSettings(row Row) (s memory.DumpSettings, err error) {
	var locked int64
	err = row.Scan(&s.Agent, &s.Enabled, &s.Self, &s.Chat, &s.User, (*int64)(&s.DefaultTTL), &locked)
	s.Locked = acl.Switches(locked)
	return s, err
}

// Settings implements acl.Facts.
func (r Reads) Settings(ctx context.Context, agent string) (acl.Settings, error) {
	found, err := KeptList(ctx, r.r, ScanSettings, "setting.of", agent)
	if err != nil || len(found) == 0 {
		return acl.DefaultSettings(), err
	}
	return found[0].Settings, nil
}

// KindOf implements memory.NameReader.
func (r Reads) KindOf(ctx context.Context, id string) (kind memory.Kind, err error) {
	_, err = One(ctx, r.r, []any{(*string)(&kind)}, "name.kind", id)
	return kind, err
}

// Meta implements memory.MetaReader.
func (r Reads) Meta(ctx context.Context, name string) (value []byte, err error) {
	found, err := One(ctx, r.r, []any{&value}, "meta.value", name)
	if found {
		value = NotNull(value)
	}
	return value, err
}

// SetMeta implements memory.MetaWriter.
func (w Writes) SetMeta(ctx context.Context, name string, value []byte) error {
	_, err := w.w.Exec(ctx, "meta.put", name, value)
	return err
}

// PutMembership implements memory.FactWriter.
func (w Writes) PutMembership(ctx context.Context, via acl.Via, of, agent string, m acl.Membership) (err error) {
	if m.Present {
		_, err = w.w.Exec(ctx, membersBy(via).put, of, agent, orNull(m.ExpiresAt))
	} else {
		_, err = w.w.Exec(ctx, membersBy(via).remove, of, agent)
	}
	return err
}

// PutSettings implements memory.FactWriter.
func (w Writes) PutSettings(ctx context.Context, agent string, s acl.Settings) error {
	_, err := w.w.Exec(ctx, "setting.put", settingsValues(agent, s)...)
	return err
}

func grantValues(g acl.Grant) []any {
	return []any{g.Store, g.Grantee, g.Label, int64(g.Level), g.MaxLabel, orNull(g.ExpiresAt), g.Maker, g.ByPlatform, g.CreatedAt, int64(g.Accepted),
		g.Caps.SearchesPerHour, g.Caps.EntriesPerDay, g.Offer, g.Terms}
}

// PutGrant implements memory.GrantWriter. It updates the count of the store's grants.
func (w Writes) PutGrant(ctx context.Context, g acl.Grant) error {
	if g.Level == acl.None {
		return w.removeGrant(ctx, g)
	}
	err := w.insertGrant(ctx, g)
	if errors.Is(err, memory.ErrExists) {
		// If a sweep removes the old grant first, it also counts the removal, and removeGrant
		// counts nothing.
		if err = w.removeGrant(ctx, g); err == nil {
			err = w.insertGrant(ctx, g)
		}
	}
	return err
}

// removeGrant removes a grant, if there is one, and subtracts it from the count of the store's
// grants.
func (w Writes) removeGrant(ctx context.Context, g acl.Grant) error {
	n, err := w.w.Exec(ctx, "grant.delete", g.Store, g.Grantee, g.Label)
	if err != nil || n == 0 {
		return err
	}
	return w.w.Queue(ctx, "grant.add_count", g.Store, g.Label, -n)
}

// insertGrant inserts a grant and adds it to the count of the store's grants. The error is
// ErrExists if the store has one for the same grantee and label.
func (w Writes) insertGrant(ctx context.Context, g acl.Grant) error {
	if err := Insert(ctx, w.w, "grant.insert", grantValues(g)...); err != nil {
		return err
	}
	return w.w.Queue(ctx, "grant.add_count", g.Store, g.Label, int64(1))
}

func settingsValues(agent string, s acl.Settings) []any {
	return []any{agent, s.Enabled, s.Self, s.Chat, s.User, int64(s.DefaultTTL), int64(s.Locked)}
}

// ClaimName implements memory.NameWriter. The insertion waits for another transaction that is
// claiming the same name. So the kind is read again: the other one may have claimed it.
func (w Writes) ClaimName(ctx context.Context, id string, kind memory.Kind) error {
	known, err := w.reads.KindOf(ctx, id)
	if err == nil && known == memory.KindUnknown {
		if _, err = w.w.Exec(ctx, "name.insert", id, string(kind)); err == nil {
			known, err = w.reads.KindOf(ctx, id)
		}
	}
	if err == nil && known != kind {
		err = memory.ErrKindClash
	}
	return err
}

// TrimFacts implements memory.FactWriter.
func (w Writes) TrimFacts(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	swept, err := w.trimGrants(ctx, "grant.expire", now, limit)
	more = swept >= int64(limit)
	for _, name := range []string{participants.expire, sessions.expire, "replay.expire"} {
		if err != nil {
			return false, err
		}
		var n int64
		n, err = w.w.Exec(ctx, name, now, limit)
		more = more || n >= int64(limit)
		if n > 0 {
			w.w.Erased()
		}
	}
	return more, err
}

// grantCount identifies a count of grants: that of a store at a label.
type grantCount struct {
	store string
	label acl.Label
}

// trimGrants deletes grants by the named statement, and returns their number. It updates the
// counts of several stores in the order of their names and labels, so that two transactions do
// not deadlock.
func (w Writes) trimGrants(ctx context.Context, name string, args ...any) (n int64, err error) {
	swept := make(map[grantCount]int64)
	err = w.w.Each(ctx, func(row Row) error {
		var of grantCount
		err := row.Scan(&of.store, &of.label)
		swept[of]++
		n++
		return err
	}, name, args...)
	if err != nil {
		return n, err
	}
	counts := slices.SortedFunc(maps.Keys(swept), func(a, b grantCount) int {
		return cmp.Or(strings.Compare(a.store, b.store), cmp.Compare(a.label, b.label))
	})
	for _, of := range counts {
		if err := w.w.Queue(ctx, "grant.add_count", of.store, of.label, -swept[of]); err != nil {
			return n, err
		}
	}
	return n, nil
}

// TrimGrants implements memory.GrantWriter.
func (w Writes) TrimGrants(ctx context.Context, store string, now time.Time) error {
	_, err := w.trimGrants(ctx, "grant.expire_on", store, now)
	return err
}

// TrimOutcome implements memory.IdempotencyWriter.
func (w Writes) TrimOutcome(ctx context.Context, key memory.IdempotencyKey, now time.Time) error {
	n, err := w.w.Exec(ctx, "replay.expire_one", append(outcomeKey(key), now)...)
	if n > 0 {
		w.w.Erased()
	}
	return err
}

// orNull returns the argument for a nullable time: null for the zero time.
func orNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}
