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
	"mneme/memory"
)

var (
	permits      = NewTable("permit", "store, grantee, label", "store, grantee, label, level, max_label, expires_at, maker, by_platform, created_at, accepted, searches_per_hour, entries_per_day, offer, terms")
	permitCounts = NewTable("permit_count", "store, label", "store, label, grants")
	participants = NewTable("participant", "of, agent", "of, agent, expires_at")
	sessions     = NewTable("session", "of, agent", "of, agent, expires_at")
	names        = NewTable("name", "id", "id, kind")
	readings     = NewTable("reading", "store", "store, language, asked, multilingual, mixed")
	metas        = NewTable("meta", "name", "name, value")
)

// selectStore is for one store: PostgreSQL plans a query with a list again each time,
// since it expects longer ones.
const selectStore = `SELECT $1, coalesce((SELECT number FROM store WHERE id = $1), 0), coalesce((SELECT language FROM reading WHERE store = $1), 0),
	coalesce((SELECT asked FROM reading WHERE store = $1), FALSE), coalesce((SELECT multilingual FROM reading WHERE store = $1), 0),
	coalesce((SELECT mixed FROM reading WHERE store = $1), 0), coalesce((SELECT unread FROM reading WHERE store = $1), 0)`

// StoreColumns and JoinStore are the statements of StoreFacts around j, the IDs.
const (
	StoreColumns = "SELECT j.id, coalesce(s.number, 0), coalesce(r.language, 0), coalesce(r.asked, FALSE), coalesce(r.multilingual, 0), coalesce(r.mixed, 0), coalesce(r.unread, 0) FROM "
	JoinStore    = " LEFT JOIN store s ON s.id = j.id LEFT JOIN reading r ON r.store = j.id"
)

// StoreFacts implements acl.Facts.
func (r Reads) StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error) {
	known := make(map[string]acl.StoreFacts, len(stores))
	text, arg := r.d.StoreFacts, any(stores)
	switch len(stores) {
	case 0:
		return known, nil
	case 1:
		text, arg = selectStore, stores[0]
	}
	found, err := KeptList(ctx, r.r, scanStoreFacts, text, arg)
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
	err = row.Scan(&f.id, &f.Number, &language, &f.Asked, &f.Multilingual, &f.Mixed, &f.Unread)
	f.Language = acl.Language(language)
	return f, err
}

// selectGrants includes whether the grant rests (acl.Grant): the condition probes an
// index of open offers.
const (
	selectGrants = `SELECT store, grantee, label, level, max_label, expires_at, maker, by_platform, created_at, accepted,
	searches_per_hour, entries_per_day, offer, terms,
	maker <> store AND EXISTS (SELECT 1 FROM offer o WHERE o.store = permit.store AND o.open AND (o.label <= permit.label OR o.label <= permit.max_label)) FROM permit `
	grantOf  = selectGrants + "WHERE store = $1 AND grantee = $2 ORDER BY label"
	grantsOn = selectGrants + "WHERE store = $1 ORDER BY grantee, label"
	grantsTo = selectGrants + "WHERE grantee = $1 ORDER BY store, label"
)

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
		return KeptList(ctx, r.r, scanGrant, grantOf, q.Store, q.Grantee)
	case q.Store != "":
		return KeptList(ctx, r.r, scanGrant, grantsOn, q.Store)
	case q.Grantee != "":
		return KeptList(ctx, r.r, scanGrant, grantsTo, q.Grantee)
	}
	return nil, nil
}

// members returns the table of memberships.
func members(via acl.Via) Table {
	if via == acl.ViaChat {
		return participants
	}
	return sessions
}

// Membership implements acl.Facts.
func (r Reads) Membership(ctx context.Context, via acl.Via, of, agent string) (acl.Membership, error) {
	found, err := KeptList(ctx, r.r, scanMembership, "SELECT expires_at FROM "+members(via).Name+" WHERE of = $1 AND agent = $2", of, agent)
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
	found, err := KeptList(ctx, r.r, ScanSettings, r.d.Settings.Select+"WHERE agent = $1", agent)
	if err != nil || len(found) == 0 {
		return acl.DefaultSettings(), err
	}
	return found[0].Settings, nil
}

// KindOf implements memory.NameReader.
func (r Reads) KindOf(ctx context.Context, id string) (kind memory.Kind, err error) {
	_, err = One(ctx, r.r, []any{(*string)(&kind)}, "SELECT kind FROM name WHERE id = $1", id)
	return kind, err
}

// Meta implements memory.MetaReader.
func (r Reads) Meta(ctx context.Context, name string) (value []byte, err error) {
	found, err := One(ctx, r.r, []any{&value}, "SELECT value FROM meta WHERE name = $1", name)
	if found {
		value = NotNull(value)
	}
	return value, err
}

// MetasQuery reads the values of names, nil for those that have none.
func MetasQuery(names []string, into map[string][]byte) Query {
	for _, name := range names {
		into[name] = nil
	}
	return Query{"SELECT name, value FROM meta WHERE name = ANY($1)", []any{names}, func(row Row) error {
		var name string
		var value []byte
		err := row.Scan(&name, &value)
		into[name] = NotNull(value)
		return err
	}}
}

// SetMeta implements memory.MetaWriter.
func (w Writes) SetMeta(ctx context.Context, name string, value []byte) error {
	_, err := w.w.Exec(ctx, metas.Upsert, name, value)
	return err
}

// PutMembership implements memory.FactWriter.
func (w Writes) PutMembership(ctx context.Context, via acl.Via, of, agent string, m acl.Membership) (err error) {
	if m.Present {
		_, err = w.w.Exec(ctx, members(via).Upsert, of, agent, orNull(m.ExpiresAt))
	} else {
		_, err = w.w.Exec(ctx, "DELETE FROM "+members(via).Name+" WHERE of = $1 AND agent = $2", of, agent)
	}
	return err
}

// PutSettings implements memory.FactWriter.
func (w Writes) PutSettings(ctx context.Context, agent string, s acl.Settings) error {
	_, err := w.w.Exec(ctx, w.d.Settings.Upsert, settingsValues(agent, s)...)
	return err
}

func grantValues(g acl.Grant) []any {
	return []any{g.Store, g.Grantee, g.Label, int64(g.Level), g.MaxLabel, orNull(g.ExpiresAt), g.Maker, g.ByPlatform, g.CreatedAt, int64(g.Accepted),
		g.Caps.SearchesPerHour, g.Caps.EntriesPerDay, g.Offer, g.Terms}
}

// PutGrant implements memory.GrantWriter. It counts the grants of the store.
func (w Writes) PutGrant(ctx context.Context, g acl.Grant) error {
	if g.Level == acl.None {
		return w.removeGrant(ctx, g)
	}
	err := w.insertGrant(ctx, g)
	if errors.Is(err, memory.ErrExists) {
		// If it is swept meanwhile, the sweep counts that it is gone, and what comes in its
		// place counts as any other.
		if err = w.removeGrant(ctx, g); err == nil {
			err = w.insertGrant(ctx, g)
		}
	}
	return err
}

// removeGrant removes a grant, if there is one, and counts that it is gone.
func (w Writes) removeGrant(ctx context.Context, g acl.Grant) error {
	n, err := w.w.Exec(ctx, "DELETE FROM permit WHERE store = $1 AND grantee = $2 AND label = $3", g.Store, g.Grantee, g.Label)
	if err != nil || n == 0 {
		return err
	}
	return w.w.Queue(ctx, permitCounts.Add, g.Store, g.Label, -n)
}

// insertGrant inserts a grant and counts it; ErrExists if there is one.
func (w Writes) insertGrant(ctx context.Context, g acl.Grant) error {
	if err := Insert(ctx, w.w, permits.Insert, grantValues(g)...); err != nil {
		return err
	}
	return w.w.Queue(ctx, permitCounts.Add, g.Store, g.Label, int64(1))
}

func settingsValues(agent string, s acl.Settings) []any {
	return []any{agent, s.Enabled, s.Self, s.Chat, s.User, int64(s.DefaultTTL), int64(s.Locked)}
}

// ClaimName implements memory.NameWriter. The insertion waits for another transaction that
// claims the same name.
func (w Writes) ClaimName(ctx context.Context, id string, kind memory.Kind) error {
	known, err := NewReads(w.w, w.d).KindOf(ctx, id)
	if err == nil && known == memory.KindUnknown {
		if _, err = w.w.Exec(ctx, names.Insert, id, string(kind)); err == nil {
			known, err = NewReads(w.w, w.d).KindOf(ctx, id)
		}
	}
	if err == nil && known != kind {
		err = memory.ErrKindClash
	}
	return err
}

// TrimFacts implements memory.FactWriter.
func (w Writes) TrimFacts(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	swept, err := w.trimGrants(ctx, permits.Expire, now, limit)
	more = swept >= int64(limit)
	for _, table := range []Table{participants, sessions, outcomes} {
		if err != nil {
			return false, err
		}
		var n int64
		n, err = w.w.Exec(ctx, table.Expire, now, limit)
		more = more || n >= int64(limit)
		if n > 0 {
			w.w.Erased()
		}
	}
	return more, err
}

// grantCount is a row of the table of counts.
type grantCount struct {
	store string
	label acl.Label
}

// trimGrants deletes grants by a statement, and returns how many. It counts those of
// several stores in the order of their names and labels, so that two transactions do not
// wait for each other.
func (w Writes) trimGrants(ctx context.Context, statement string, args ...any) (n int64, err error) {
	swept := make(map[grantCount]int64)
	err = w.w.Each(ctx, func(row Row) error {
		var of grantCount
		err := row.Scan(&of.store, &of.label)
		swept[of]++
		n++
		return err
	}, statement+" RETURNING store, label", args...)
	if err != nil {
		return n, err
	}
	counts := slices.SortedFunc(maps.Keys(swept), func(a, b grantCount) int {
		return cmp.Or(strings.Compare(a.store, b.store), cmp.Compare(a.label, b.label))
	})
	for _, of := range counts {
		if err := w.w.Queue(ctx, permitCounts.Add, of.store, of.label, -swept[of]); err != nil {
			return n, err
		}
	}
	return n, nil
}

// TrimGrants implements memory.GrantWriter.
func (w Writes) TrimGrants(ctx context.Context, store string, now time.Time) error {
	_, err := w.trimGrants(ctx, deleteExpiredGrants, store, now)
	return err
}

const (
	deleteExpiredGrants  = "DELETE FROM permit WHERE store = $1 AND expires_at <= $2"
	deleteExpiredOutcome = "DELETE FROM replay WHERE agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5 AND expires_at <= $6"
)

// TrimOutcome implements memory.IdempotencyWriter.
func (w Writes) TrimOutcome(ctx context.Context, key memory.IdempotencyKey, now time.Time) error {
	n, err := w.w.Exec(ctx, deleteExpiredOutcome, append(outcomeKey(key), now)...)
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
