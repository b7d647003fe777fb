package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/memory"
)

// The planner plans a query with a list again each time, since it expects longer ones.
const (
	selectNumbers = "SELECT id, number FROM store WHERE id = ANY($1)"
	selectNumber  = "SELECT id, number FROM store WHERE id = $1"
)

// StoreNumbers implements acl.Facts.
func (r *reader) StoreNumbers(ctx context.Context, stores []string) (map[string]int64, error) {
	numbers := make(map[string]int64, len(stores))
	if len(stores) == 0 {
		return numbers, nil
	}
	query, args := selectNumbers, []any{stores}
	if len(stores) == 1 {
		query, args = selectNumber, []any{stores[0]}
	}
	err := r.each(ctx, func(rows pgx.Rows) error {
		var id string
		var number int64
		err := rows.Scan(&id, &number)
		numbers[id] = number
		return err
	}, query, args...)
	return numbers, err
}

// grantColumns include whether the grant rests (acl.Grant): the condition probes an
// index of open offers.
const grantColumns = `SELECT store, grantee, level, max_label, expires_at, maker, by_platform, created_at,
	searches_per_hour, entries_per_day, offer, terms,
	maker <> store AND EXISTS (SELECT FROM offer o WHERE o.store = permit.store AND o.open) FROM permit `

func (r *reader) grants(ctx context.Context, query string, args ...any) ([]acl.Grant, error) {
	var grants []acl.Grant
	err := r.each(ctx, func(rows pgx.Rows) error {
		var g acl.Grant
		var level, label int16
		var expires, created *time.Time
		err := rows.Scan(&g.Store, &g.Grantee, &level, &label, &expires, &g.Maker, &g.ByPlatform, &created,
			&g.Caps.SearchesPerHour, &g.Caps.EntriesPerDay, &g.Offer, &g.Terms, &g.Rests)
		g.Level, g.MaxLabel = acl.Level(level), acl.Label(label)
		g.ExpiresAt, g.CreatedAt = timeOrZero(expires), timeOrZero(created)
		grants = append(grants, g)
		return err
	}, query, args...)
	return grants, err
}

// Grant implements acl.Facts.
func (r *reader) Grant(ctx context.Context, store, grantee string) (acl.Grant, error) {
	grants, err := r.grants(ctx, grantColumns+"WHERE store = $1 AND grantee = $2", store, grantee)
	if err != nil || len(grants) == 0 {
		return acl.Grant{}, err
	}
	return grants[0], nil
}

// GrantsTo implements acl.Facts.
func (r *reader) GrantsTo(ctx context.Context, grantee string) ([]acl.Grant, error) {
	return r.grants(ctx, grantColumns+"WHERE grantee = $1 ORDER BY store", grantee)
}

// GrantsOn implements memory.GrantReader.
func (r *reader) GrantsOn(ctx context.Context, store string) ([]acl.Grant, error) {
	return r.grants(ctx, grantColumns+"WHERE store = $1 ORDER BY grantee", store)
}

// CountGrants implements memory.GrantReader.
func (r *reader) CountGrants(ctx context.Context, store string) (int64, error) {
	var n int64
	_, err := r.one(ctx, []any{&n}, "SELECT grants FROM permit_count WHERE store = $1", store)
	return n, err
}

// Selling implements memory.GrantReader.
func (r *reader) Selling(ctx context.Context, store string) (bool, error) {
	return r.one(ctx, []any{new(int)}, "SELECT 1 FROM offer WHERE store = $1 AND open LIMIT 1", store)
}

// Participant implements acl.Facts.
func (r *reader) Participant(ctx context.Context, chat, agent string) (acl.Membership, error) {
	return r.membership(ctx, "SELECT expires_at FROM participant WHERE of = $1 AND agent = $2", chat, agent)
}

// Session implements acl.Facts.
func (r *reader) Session(ctx context.Context, user, agent string) (acl.Membership, error) {
	return r.membership(ctx, "SELECT expires_at FROM session WHERE of = $1 AND agent = $2", user, agent)
}

func (r *reader) membership(ctx context.Context, query, of, agent string) (acl.Membership, error) {
	var expires *time.Time
	found, err := r.one(ctx, []any{&expires}, query, of, agent)
	if err != nil || !found {
		return acl.Membership{}, err
	}
	return acl.Membership{Present: true, ExpiresAt: timeOrZero(expires)}, nil
}

// Settings implements acl.Facts.
func (r *reader) Settings(ctx context.Context, agent string) (acl.Settings, error) {
	var s acl.Settings
	found, err := r.one(ctx, []any{&s.Enabled, &s.Self, &s.Chat, &s.User, (*int64)(&s.DefaultTTL)},
		"SELECT enabled, own, chats, users, default_ttl FROM setting WHERE agent = $1", agent)
	if err == nil && !found {
		return acl.DefaultSettings(), nil
	}
	return s, err
}

// KindOf implements memory.NameReader.
func (r *reader) KindOf(ctx context.Context, id string) (memory.Kind, error) {
	var kind string
	_, err := r.one(ctx, []any{&kind}, "SELECT kind FROM name WHERE id = $1", id)
	return memory.Kind(kind), err
}

// Meta implements memory.MetaReader.
func (r *reader) Meta(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	found, err := r.one(ctx, []any{&value}, "SELECT value FROM meta WHERE name = $1", name)
	if found && value == nil {
		value = []byte{}
	}
	return value, err
}

// A writing transaction reads facts under the lock of the store to which they
// give access, so that a revocation and a write that depends on the revoked
// access are serialized.

// Grant implements acl.Facts.
func (w *writer) Grant(ctx context.Context, store, grantee string) (acl.Grant, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return acl.Grant{}, err
	}
	return w.reader.Grant(ctx, store, grantee)
}

// GrantsOn implements memory.GrantReader.
func (w *writer) GrantsOn(ctx context.Context, store string) ([]acl.Grant, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return nil, err
	}
	return w.reader.GrantsOn(ctx, store)
}

// CountGrants implements memory.GrantReader.
func (w *writer) CountGrants(ctx context.Context, store string) (int64, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return 0, err
	}
	return w.reader.CountGrants(ctx, store)
}

// Selling implements memory.GrantReader.
func (w *writer) Selling(ctx context.Context, store string) (bool, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return false, err
	}
	return w.reader.Selling(ctx, store)
}

// Participant implements acl.Facts.
func (w *writer) Participant(ctx context.Context, chat, agent string) (acl.Membership, error) {
	if err := w.lock(ctx, storeKey(chat)); err != nil {
		return acl.Membership{}, err
	}
	return w.reader.Participant(ctx, chat, agent)
}

// Session implements acl.Facts.
func (w *writer) Session(ctx context.Context, user, agent string) (acl.Membership, error) {
	if err := w.lock(ctx, storeKey(user)); err != nil {
		return acl.Membership{}, err
	}
	return w.reader.Session(ctx, user, agent)
}

// Settings implements acl.Facts. No lock orders them with their changes.
func (w *writer) Settings(ctx context.Context, agent string) (acl.Settings, error) {
	if s, read := w.settings[agent]; read {
		return s, w.ready(ctx)
	}
	s, err := w.reader.Settings(ctx, agent)
	if err == nil {
		w.settings[agent] = s
	}
	return s, err
}

// StoreNumbers implements acl.Facts.
func (w *writer) StoreNumbers(ctx context.Context, stores []string) (map[string]int64, error) {
	if len(stores) == 1 && w.stores[stores[0]] != nil {
		return map[string]int64{stores[0]: w.stores[stores[0]].number}, w.ready(ctx)
	}
	return w.reader.StoreNumbers(ctx, stores)
}

// Meta implements memory.MetaReader.
func (w *writer) Meta(ctx context.Context, name string) ([]byte, error) {
	if err := w.lock(ctx, lockKey("meta", name)); err != nil {
		return nil, err
	}
	return w.reader.Meta(ctx, name)
}

const (
	insertGrant = `INSERT INTO permit (store, grantee, level, max_label, expires_at, maker, by_platform, created_at,
	searches_per_hour, entries_per_day, offer, terms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (store, grantee) DO `
	addToGrants = `INSERT INTO permit_count (store, grants) VALUES ($1, $2)
	ON CONFLICT (store) DO UPDATE SET grants = permit_count.grants + excluded.grants`
)

func grantValues(g acl.Grant) []any {
	return []any{g.Store, g.Grantee, int16(g.Level), int16(g.MaxLabel), nullTime(g.ExpiresAt), g.Maker, g.ByPlatform, nullTime(g.CreatedAt),
		g.Caps.SearchesPerHour, g.Caps.EntriesPerDay, g.Offer, g.Terms}
}

// PutGrant implements memory.FactWriter.
func (w *writer) PutGrant(ctx context.Context, grant acl.Grant) error {
	if err := w.lock(ctx, storeKey(grant.Store)); err != nil {
		return err
	}
	var inserted bool
	_, err := w.one(ctx, []any{&inserted}, insertGrant+`UPDATE SET level = excluded.level, max_label = excluded.max_label,
	expires_at = excluded.expires_at, maker = excluded.maker, by_platform = excluded.by_platform, created_at = excluded.created_at,
	searches_per_hour = excluded.searches_per_hour, entries_per_day = excluded.entries_per_day, offer = excluded.offer, terms = excluded.terms
	RETURNING xmax = 0`, grantValues(grant)...) // xmax is that of a replaced row
	if err == nil && inserted {
		w.queueStatement(addToGrants, grant.Store, 1)
	}
	return err
}

// DeleteGrant implements memory.FactWriter.
func (w *writer) DeleteGrant(ctx context.Context, store, grantee string) (bool, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return false, err
	}
	n, err := w.affected(ctx, "DELETE FROM permit WHERE store = $1 AND grantee = $2", store, grantee)
	if err == nil && n > 0 {
		w.queueStatement(addToGrants, store, -n)
	}
	return n > 0, err
}

const (
	insertParticipant = `INSERT INTO participant (of, agent, expires_at) VALUES ($1, $2, $3) ON CONFLICT (of, agent) DO `
	insertSession     = `INSERT INTO session (of, agent, expires_at) VALUES ($1, $2, $3) ON CONFLICT (of, agent) DO `
	orReplaceExpiry   = `UPDATE SET expires_at = excluded.expires_at`
	orIgnore          = `NOTHING`
)

// PutParticipant implements memory.FactWriter.
func (w *writer) PutParticipant(ctx context.Context, chat, agent string, m acl.Membership) error {
	if err := w.lock(ctx, storeKey(chat)); err != nil {
		return err
	}
	if !m.Present {
		return w.exec(ctx, "DELETE FROM participant WHERE of = $1 AND agent = $2", chat, agent)
	}
	return w.exec(ctx, insertParticipant+orReplaceExpiry, chat, agent, nullTime(m.ExpiresAt))
}

// PutSession implements memory.FactWriter.
func (w *writer) PutSession(ctx context.Context, user, agent string, m acl.Membership) error {
	if err := w.lock(ctx, storeKey(user)); err != nil {
		return err
	}
	if !m.Present {
		return w.exec(ctx, "DELETE FROM session WHERE of = $1 AND agent = $2", user, agent)
	}
	return w.exec(ctx, insertSession+orReplaceExpiry, user, agent, nullTime(m.ExpiresAt))
}

const insertSettings = `INSERT INTO setting (agent, enabled, own, chats, users, default_ttl) VALUES ($1, $2, $3, $4, $5, $6)
	ON CONFLICT (agent) DO `

func settingsValues(agent string, s acl.Settings) []any {
	return []any{agent, s.Enabled, s.Self, s.Chat, s.User, int64(s.DefaultTTL)}
}

// PutSettings implements memory.FactWriter.
func (w *writer) PutSettings(ctx context.Context, agent string, s acl.Settings) error {
	delete(w.settings, agent)
	return w.exec(ctx, insertSettings+`UPDATE SET enabled = excluded.enabled, own = excluded.own, chats = excluded.chats,
	users = excluded.users, default_ttl = excluded.default_ttl`, settingsValues(agent, s)...)
}

const insertName = `INSERT INTO name (id, kind) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`

// Claim implements memory.NameWriter. The insertion waits for another transaction that
// claims the same name.
func (w *writer) Claim(ctx context.Context, id string, kind memory.Kind) error {
	known, err := w.KindOf(ctx, id)
	if err == nil && known == memory.KindUnknown {
		if err := w.exec(ctx, insertName, id, string(kind)); err != nil {
			return err
		}
		known, err = w.KindOf(ctx, id)
	}
	if err != nil {
		return err
	}
	if known != kind {
		return memory.ErrKindClash
	}
	return nil
}

// SetMeta implements memory.MetaWriter.
func (w *writer) SetMeta(ctx context.Context, name string, value []byte) error {
	if err := w.lock(ctx, lockKey("meta", name)); err != nil {
		return err
	}
	return w.exec(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
}
