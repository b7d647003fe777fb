package sqlite

import (
	"context"
	"database/sql"
	"time"

	"mneme/acl"
	"mneme/memory"
)

const selectNumbers = `SELECT s.id, s.number FROM json_each(?) j CROSS JOIN store s ON s.id = j.value`

// StoreNumbers implements acl.Facts.
func (r *reader) StoreNumbers(ctx context.Context, stores []string) (map[string]int64, error) {
	numbers := make(map[string]int64, len(stores))
	if len(stores) == 0 {
		return numbers, nil
	}
	list, err := textList(stores)
	if err != nil {
		return nil, err
	}
	err = r.each(ctx, func(rows *sql.Rows) error {
		var id string
		var number int64
		err := rows.Scan(&id, &number)
		numbers[id] = number
		return err
	}, selectNumbers, list)
	return numbers, err
}

// grantColumns include whether the grant rests (acl.Grant): the condition probes an
// index of open offers.
const grantColumns = `SELECT store, grantee, level, max_label, expires_at, maker, by_platform, created_at,
	searches_per_hour, entries_per_day, offer, terms,
	maker <> store AND EXISTS (SELECT 1 FROM offer o WHERE o.store = permit.store AND o.open) FROM permit `

func (r *reader) grants(ctx context.Context, query string, args ...any) ([]acl.Grant, error) {
	var grants []acl.Grant
	err := r.each(ctx, func(rows *sql.Rows) error {
		var g acl.Grant
		var expires sql.NullInt64
		var created int64
		err := rows.Scan(&g.Store, &g.Grantee, &g.Level, &g.MaxLabel, &expires, &g.Maker, &g.ByPlatform, &created,
			&g.Caps.SearchesPerHour, &g.Caps.EntriesPerDay, &g.Offer, &g.Terms, &g.Rests)
		g.ExpiresAt, g.CreatedAt = fromNullMicros(expires), fromMicros(created)
		grants = append(grants, g)
		return err
	}, query, args...)
	return grants, err
}

// Grant implements acl.Facts.
func (r *reader) Grant(ctx context.Context, store, grantee string) (acl.Grant, error) {
	grants, err := r.grants(ctx, grantColumns+"WHERE store = ? AND grantee = ?", store, grantee)
	if err != nil || len(grants) == 0 {
		return acl.Grant{}, err
	}
	return grants[0], nil
}

// GrantsTo implements acl.Facts.
func (r *reader) GrantsTo(ctx context.Context, grantee string) ([]acl.Grant, error) {
	return r.grants(ctx, grantColumns+"WHERE grantee = ? ORDER BY store", grantee)
}

// GrantsOn implements memory.GrantReader.
func (r *reader) GrantsOn(ctx context.Context, store string) ([]acl.Grant, error) {
	return r.grants(ctx, grantColumns+"WHERE store = ? ORDER BY grantee", store)
}

// CountGrants implements memory.GrantReader.
func (r *reader) CountGrants(ctx context.Context, store string) (int64, error) {
	var n int64
	_, err := r.one(ctx, []any{&n}, "SELECT grants FROM permit_count WHERE store = ?", store)
	return n, err
}

// Selling implements memory.GrantReader.
func (r *reader) Selling(ctx context.Context, store string) (bool, error) {
	return r.one(ctx, []any{new(int)}, "SELECT 1 FROM offer WHERE store = ? AND open LIMIT 1", store)
}

// Participant implements acl.Facts.
func (r *reader) Participant(ctx context.Context, chat, agent string) (acl.Membership, error) {
	return r.membership(ctx, "SELECT expires_at FROM participant WHERE of = ? AND agent = ?", chat, agent)
}

// Session implements acl.Facts.
func (r *reader) Session(ctx context.Context, user, agent string) (acl.Membership, error) {
	return r.membership(ctx, "SELECT expires_at FROM session WHERE of = ? AND agent = ?", user, agent)
}

func (r *reader) membership(ctx context.Context, query, of, agent string) (acl.Membership, error) {
	var expires sql.NullInt64
	found, err := r.one(ctx, []any{&expires}, query, of, agent)
	if err != nil || !found {
		return acl.Membership{}, err
	}
	return acl.Membership{Present: true, ExpiresAt: fromNullMicros(expires)}, nil
}

// Settings implements acl.Facts.
func (r *reader) Settings(ctx context.Context, agent string) (acl.Settings, error) {
	var s acl.Settings
	var ttl int64
	found, err := r.one(ctx, []any{&s.Enabled, &s.Self, &s.Chat, &s.User, &ttl},
		"SELECT enabled, self, chat, user, default_ttl FROM setting WHERE agent = ?", agent)
	if err != nil {
		return acl.Settings{}, err
	}
	if !found {
		return acl.DefaultSettings(), nil
	}
	s.DefaultTTL = time.Duration(ttl)
	return s, nil
}

// KindOf implements memory.NameReader.
func (r *reader) KindOf(ctx context.Context, id string) (memory.Kind, error) {
	var kind memory.Kind
	_, err := r.one(ctx, []any{&kind}, "SELECT kind FROM name WHERE id = ?", id)
	return kind, err
}

// Meta implements memory.MetaReader.
func (r *reader) Meta(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	found, err := r.one(ctx, []any{&value}, "SELECT value FROM meta WHERE name = ?", name)
	if found && value == nil {
		value = []byte{}
	}
	return value, err
}

const (
	insertGrant = `INTO permit (store, grantee, level, max_label, expires_at, maker, by_platform, created_at,
	searches_per_hour, entries_per_day, offer, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	addToGrants = `INSERT INTO permit_count (store, grants) VALUES (?, ?) ON CONFLICT DO UPDATE SET grants = grants + excluded.grants`
)

func grantValues(g acl.Grant) []any {
	return []any{g.Store, g.Grantee, g.Level, g.MaxLabel, nullMicros(g.ExpiresAt), g.Maker, g.ByPlatform, micros(g.CreatedAt),
		g.Caps.SearchesPerHour, g.Caps.EntriesPerDay, g.Offer, g.Terms}
}

// PutGrant implements memory.FactWriter.
func (w *writer) PutGrant(ctx context.Context, grant acl.Grant) error {
	found, err := w.one(ctx, []any{new(int)}, "SELECT 1 FROM permit WHERE store = ? AND grantee = ?", grant.Store, grant.Grantee)
	if err != nil {
		return err
	}
	if _, err := w.exec(ctx, "INSERT OR REPLACE "+insertGrant, grantValues(grant)...); err != nil || found {
		return err
	}
	return w.countGrants(ctx, grant.Store, 1)
}

// countGrants adds to the number of a store's grants.
func (w *writer) countGrants(ctx context.Context, store string, n int64) error {
	_, err := w.exec(ctx, addToGrants, store, n)
	return err
}

// sweepGrants deletes expired grants.
func (w *writer) sweepGrants(ctx context.Context, now time.Time) error {
	swept := make(map[string]int64)
	err := w.each(ctx, func(rows *sql.Rows) error {
		var store string
		err := rows.Scan(&store)
		swept[store]++
		return err
	}, "DELETE FROM permit WHERE expires_at <= ? RETURNING store", micros(now))
	for store, n := range swept {
		if err == nil {
			err = w.countGrants(ctx, store, -n)
		}
	}
	return err
}

// DeleteGrant implements memory.FactWriter.
func (w *writer) DeleteGrant(ctx context.Context, store, grantee string) (bool, error) {
	n, err := w.affected(ctx, "DELETE FROM permit WHERE store = ? AND grantee = ?", store, grantee)
	if err != nil || n == 0 {
		return false, err
	}
	return true, w.countGrants(ctx, store, -n)
}

// PutParticipant implements memory.FactWriter.
func (w *writer) PutParticipant(ctx context.Context, chat, agent string, m acl.Membership) (err error) {
	if m.Present {
		_, err = w.exec(ctx, "INSERT OR REPLACE INTO participant (of, agent, expires_at) VALUES (?, ?, ?)", chat, agent, nullMicros(m.ExpiresAt))
	} else {
		_, err = w.exec(ctx, "DELETE FROM participant WHERE of = ? AND agent = ?", chat, agent)
	}
	return err
}

// PutSession implements memory.FactWriter.
func (w *writer) PutSession(ctx context.Context, user, agent string, m acl.Membership) (err error) {
	if m.Present {
		_, err = w.exec(ctx, "INSERT OR REPLACE INTO session (of, agent, expires_at) VALUES (?, ?, ?)", user, agent, nullMicros(m.ExpiresAt))
	} else {
		_, err = w.exec(ctx, "DELETE FROM session WHERE of = ? AND agent = ?", user, agent)
	}
	return err
}

const insertSettings = `INTO setting (agent, enabled, self, chat, user, default_ttl) VALUES (?, ?, ?, ?, ?, ?)`

func settingsValues(agent string, s acl.Settings) []any {
	return []any{agent, s.Enabled, s.Self, s.Chat, s.User, int64(s.DefaultTTL)}
}

// PutSettings implements memory.FactWriter.
func (w *writer) PutSettings(ctx context.Context, agent string, s acl.Settings) error {
	_, err := w.exec(ctx, "INSERT OR REPLACE "+insertSettings, settingsValues(agent, s)...)
	return err
}

// Claim implements memory.NameWriter.
func (w *writer) Claim(ctx context.Context, id string, kind memory.Kind) error {
	known, err := w.KindOf(ctx, id)
	switch {
	case err != nil:
		return err
	case known == kind:
		return nil
	case known != memory.KindUnknown:
		return memory.ErrKindClash
	}
	_, err = w.exec(ctx, "INSERT INTO name (id, kind) VALUES (?, ?)", id, kind)
	return err
}

// SetMeta implements memory.MetaWriter.
func (w *writer) SetMeta(ctx context.Context, name string, value []byte) error {
	_, err := w.exec(ctx, "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, value)
	return err
}
