package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// A writing transaction reads and writes grants and memberships under the lock of the store to
// which they give access. So a revocation does not run concurrently with a write that depends on
// the revoked access.

// Grants implements acl.Facts.
func (w *writeTx) Grants(ctx context.Context, query acl.GrantQuery) ([]acl.Grant, error) {
	if query.Store != "" {
		w.queueLock(storeKey(query.Store))
	}
	return w.Reads.Grants(ctx, query)
}

// Membership implements acl.Facts.
func (w *writeTx) Membership(ctx context.Context, via acl.Via, of, agent string) (acl.Membership, error) {
	w.queueLock(storeKey(of))
	return w.Reads.Membership(ctx, via, of, agent)
}

// Settings implements acl.Facts. It takes no lock, so another transaction may change the
// settings meanwhile.
func (w *writeTx) Settings(ctx context.Context, agent string) (acl.Settings, error) {
	if s, read := w.settings[agent]; read {
		return s, w.ready(ctx)
	}
	s, err := w.Reads.Settings(ctx, agent)
	if err == nil {
		w.settings[agent] = s
	}
	return s, err
}

// settingsQuery returns the query that prefetches the settings of an agent.
func (w *writer) settingsQuery(agent string) batchQuery {
	w.settings[agent] = acl.DefaultSettings()
	return batchQuery{"setting.of", []any{agent}, decoded(func(row sqlcommon.Row) error {
		s, err := sqlcommon.ScanSettings(row)
		w.settings[agent] = s.Settings
		return err
	})}
}

// StoreFacts implements acl.Facts.
func (w *writeTx) StoreFacts(ctx context.Context, stores []string) (map[string]acl.StoreFacts, error) {
	if len(stores) == 1 && w.stores[stores[0]] != nil {
		row := w.stores[stores[0]]
		return map[string]acl.StoreFacts{stores[0]: {Number: row.number, Detail: row.reading.Detail()}}, w.ready(ctx)
	}
	return w.Reads.StoreFacts(ctx, stores)
}

// CountGrants implements memory.GrantCounter.
func (w *writeTx) CountGrants(ctx context.Context, store string, label acl.Label) (int64, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return 0, err
	}
	return w.Reads.CountGrants(ctx, store, label)
}

// CountOffers implements memory.GrantCounter.
func (w *writeTx) CountOffers(ctx context.Context, store string, ceiling acl.Label) (int64, error) {
	if err := w.lock(ctx, storeKey(store)); err != nil {
		return 0, err
	}
	return w.Reads.CountOffers(ctx, store, ceiling)
}

// Meta implements memory.MetaReader.
func (w *writeTx) Meta(ctx context.Context, name string) ([]byte, error) {
	if value, read := w.metas[name]; read {
		return value, w.ready(ctx)
	}
	if err := w.lock(ctx, lockKey("meta", name)); err != nil {
		return nil, err
	}
	return w.Reads.Meta(ctx, name)
}

// metasQuery returns the query that prefetches the values of names, nil for names without a
// value.
func (w *writer) metasQuery(names []string) batchQuery {
	for _, name := range names {
		w.metas[name] = nil
	}
	return batchQuery{"meta.values", []any{names}, func(rows pgx.Rows) error {
		var name string
		var value []byte
		err := rows.Scan(&name, &value)
		w.metas[name] = sqlcommon.NotNull(value)
		return err
	}}
}

// SetMeta implements memory.MetaWriter.
func (w *writeTx) SetMeta(ctx context.Context, name string, value []byte) error {
	if err := w.lock(ctx, lockKey("meta", name)); err != nil {
		return err
	}
	return w.Writes.SetMeta(ctx, name, value)
}

// IdempotencyRecord implements memory.IdempotencyReader. A concurrent call with the same
// key waits here until the first one commits.
func (w *writeTx) IdempotencyRecord(ctx context.Context, key memory.IdempotencyKey) (*memory.IdempotencyRecord, error) {
	name := strings.Join([]string{key.Agent, key.Taint.String(), key.Operation, key.Path, key.Key}, "\x00")
	if err := w.lock(ctx, lockKey("replay", name)); err != nil {
		return nil, err
	}
	return w.Reads.IdempotencyRecord(ctx, key)
}

// PutGrant implements memory.GrantWriter.
func (w *writeTx) PutGrant(ctx context.Context, grant acl.Grant) error {
	if err := w.lock(ctx, storeKey(grant.Store)); err != nil {
		return err
	}
	return w.Writes.PutGrant(ctx, grant)
}

// PutMembership implements memory.FactWriter.
func (w *writeTx) PutMembership(ctx context.Context, via acl.Via, of, agent string, m acl.Membership) error {
	if err := w.lock(ctx, storeKey(of)); err != nil {
		return err
	}
	return w.Writes.PutMembership(ctx, via, of, agent, m)
}

// PutSettings implements memory.FactWriter.
func (w *writeTx) PutSettings(ctx context.Context, agent string, settings acl.Settings) error {
	delete(w.settings, agent)
	return w.Writes.PutSettings(ctx, agent, settings)
}

// PutReading implements memory.ReadingWriter. It also updates the transaction's cached row of
// the store.
func (w *writeTx) PutReading(ctx context.Context, change memory.ReadingChange) error {
	if err := w.lock(ctx, storeKey(change.Store)); err != nil {
		return err
	}
	if err := w.Writes.PutReading(ctx, change); err != nil || w.stores[change.Store] == nil {
		return err
	}
	known, err := w.Reads.StoreFacts(ctx, []string{change.Store})
	w.stores[change.Store].reading = choice.Of(known[change.Store].Detail)
	return err
}
