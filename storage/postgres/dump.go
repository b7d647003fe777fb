package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Dump implements memory.Dumper: names, settings, memberships and grants, then
// entries by ID, each followed by its former versions, oldest first, then the
// records of package meter.
func (r *reader) Dump(ctx context.Context, yield func(memory.DumpRecord) error) error {
	for _, part := range [...]func(context.Context, func(memory.DumpRecord) error) error{
		r.dumpNames, r.dumpSettings, r.dumpMemberships, r.dumpGrants, r.dumpEntries,
	} {
		if err := part(ctx, yield); err != nil {
			return err
		}
	}
	return sqlcommon.DumpMeter(ctx, r, yield)
}

func (r *reader) dumpNames(ctx context.Context, yield func(memory.DumpRecord) error) error {
	return r.each(ctx, func(rows pgx.Rows) error {
		var name memory.DumpName
		if err := rows.Scan(&name.ID, (*string)(&name.Kind)); err != nil {
			return err
		}
		return yield(memory.DumpRecord{Name: &name})
	}, "SELECT id, kind FROM name ORDER BY id")
}

func (r *reader) dumpSettings(ctx context.Context, yield func(memory.DumpRecord) error) error {
	return r.each(ctx, func(rows pgx.Rows) error {
		var s memory.DumpSettings
		if err := rows.Scan(&s.Agent, &s.Enabled, &s.Self, &s.Chat, &s.User, (*int64)(&s.DefaultTTL)); err != nil {
			return err
		}
		return yield(memory.DumpRecord{Settings: &s})
	}, "SELECT agent, enabled, own, chats, users, default_ttl FROM setting ORDER BY agent")
}

func (r *reader) dumpMemberships(ctx context.Context, yield func(memory.DumpRecord) error) error {
	for _, kind := range [...]struct {
		query  string
		record func(*memory.DumpMembership) memory.DumpRecord
	}{
		{"SELECT of, agent, expires_at FROM participant ORDER BY of, agent",
			func(m *memory.DumpMembership) memory.DumpRecord { return memory.DumpRecord{Participant: m} }},
		{"SELECT of, agent, expires_at FROM session ORDER BY of, agent",
			func(m *memory.DumpMembership) memory.DumpRecord { return memory.DumpRecord{Session: m} }},
	} {
		err := r.each(ctx, func(rows pgx.Rows) error {
			m := memory.DumpMembership{Membership: acl.Membership{Present: true}}
			var expires *time.Time
			if err := rows.Scan(&m.Of, &m.Agent, &expires); err != nil {
				return err
			}
			m.ExpiresAt = timeOrZero(expires)
			return yield(kind.record(&m))
		}, kind.query)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) dumpGrants(ctx context.Context, yield func(memory.DumpRecord) error) error {
	grants, err := r.grants(ctx, grantColumns+"ORDER BY store, grantee")
	if err != nil {
		return err
	}
	for _, g := range grants {
		g.Rests = false // by the offers
		if err := yield(memory.DumpRecord{Grant: &g}); err != nil {
			return err
		}
	}
	return nil
}

const (
	selectEntryPage = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store
	WHERE e.state < 2 AND e.id > $1 ORDER BY e.id LIMIT $2`
	selectVersionsOf = `SELECT ` + withText + ` FROM history e JOIN store s ON s.number = e.store
	WHERE e.id = ANY($1) ORDER BY e.id, e.version`
)

// dumpEntries reads page by page, so that a slow yield does not run into a
// statement timeout.
func (r *reader) dumpEntries(ctx context.Context, yield func(memory.DumpRecord) error) error {
	const page = 200
	r.setRLSAll()
	var last uuid.UUID
	for {
		entries, err := r.entries(ctx, selectEntryPage, [16]byte(last), page)
		if err != nil || len(entries) == 0 {
			return err
		}
		ids := make([]uuid.UUID, len(entries))
		for i := range entries {
			ids[i] = entries[i].ID
		}
		versions, err := r.entries(ctx, selectVersionsOf, idList(ids))
		if err != nil {
			return err
		}
		for i := range entries {
			last = entries[i].ID
			if err := yield(memory.DumpRecord{Entry: &entries[i]}); err != nil {
				return err
			}
			for ; len(versions) > 0 && versions[0].ID == last; versions = versions[1:] {
				if err := yield(memory.DumpRecord{Version: &versions[0]}); err != nil {
					return err
				}
			}
		}
	}
}

var errRecord = errors.New("a dump record must have exactly one field")

// Load implements memory.Loader. It takes the database lock, so that no other
// writing transaction runs until the commit.
func (w *writer) Load(ctx context.Context, record memory.DumpRecord, doc lexical.Document) error {
	if err := w.lockAll(ctx); err != nil {
		return err
	}
	switch {
	case record.Entry != nil:
		return w.loadEntry(ctx, record.Entry, doc)
	case record.Version != nil:
		return w.loadVersion(ctx, record.Version)
	case record.Grant != nil:
		if err := w.insert(ctx, insertGrant+orIgnore, grantValues(*record.Grant)...); err != nil {
			return err
		}
		w.queueStatement(addToGrants, record.Grant.Store, 1)
		return nil
	case record.Participant != nil:
		m := record.Participant
		return w.insert(ctx, insertParticipant+orIgnore, m.Of, m.Agent, nullTime(m.ExpiresAt))
	case record.Session != nil:
		m := record.Session
		return w.insert(ctx, insertSession+orIgnore, m.Of, m.Agent, nullTime(m.ExpiresAt))
	case record.Settings != nil:
		return w.insert(ctx, insertSettings+orIgnore, settingsValues(record.Settings.Agent, record.Settings.Settings)...)
	case record.Name != nil:
		return w.insert(ctx, insertName, record.Name.ID, string(record.Name.Kind))
	case record.Meter != nil:
		return sqlcommon.LoadMeter(ctx, w, record.Meter)
	}
	return errRecord
}

// insert runs an INSERT … ON CONFLICT DO NOTHING. It returns ErrExists if the
// row exists.
func (w *writer) insert(ctx context.Context, query string, args ...any) error {
	n, err := w.affected(ctx, query, args...)
	if err == nil && n == 0 {
		return memory.ErrExists
	}
	return err
}

func (w *writer) loadEntry(ctx context.Context, e *memory.Entry, doc lexical.Document) error {
	store, err := w.store(ctx, e.Store)
	if err != nil {
		return err
	}
	old, clash, err := w.storedRow(ctx, e.ID, store.number, *e)
	if err != nil {
		return err
	}
	if old != nil || clash && e.DeletedAt.IsZero() {
		return memory.ErrExists
	}
	return w.put(ctx, e, doc, store, nil, time.Now())
}

const insertVersion = `INSERT INTO history (id, store, label, in_context, encrypted, revision, version, created_at, updated_at,
	expires_at, deleted_at, owner, updated_by, deleted_by, namespace, key, type, description, tags, source, value,
	type_by, description_by, occurred_at, occurred_date, occurred_precision)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) ON CONFLICT DO NOTHING`

func (w *writer) loadVersion(ctx context.Context, v *memory.Entry) error {
	row, _, err := w.storedRow(ctx, v.ID, 0, memory.Entry{})
	switch {
	case err != nil:
		return err
	case row == nil:
		return fmt.Errorf("version %d of entry %s precedes its entry", v.Version, v.ID)
	case v.Version == row.version:
		return memory.ErrExists
	}
	store, err := w.store(ctx, v.Store)
	if err != nil {
		return err
	}
	w.setRLSAll()
	if err := w.insert(ctx, insertVersion, append([]any{[16]byte(v.ID), store.number, int16(v.Label)}, entryValues(v)...)...); err != nil {
		return err
	}
	w.addPast(v.ID, row.past, int64(len(v.Value)+len(v.Source)))
	return nil
}
