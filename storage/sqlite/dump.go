package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

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
	return r.each(ctx, func(rows *sql.Rows) error {
		var name memory.DumpName
		if err := rows.Scan(&name.ID, &name.Kind); err != nil {
			return err
		}
		return yield(memory.DumpRecord{Name: &name})
	}, "SELECT id, kind FROM name ORDER BY id")
}

func (r *reader) dumpSettings(ctx context.Context, yield func(memory.DumpRecord) error) error {
	return r.each(ctx, func(rows *sql.Rows) error {
		var s memory.DumpSettings
		var ttl int64
		if err := rows.Scan(&s.Agent, &s.Enabled, &s.Self, &s.Chat, &s.User, &ttl); err != nil {
			return err
		}
		s.DefaultTTL = time.Duration(ttl)
		return yield(memory.DumpRecord{Settings: &s})
	}, "SELECT agent, enabled, self, chat, user, default_ttl FROM setting ORDER BY agent")
}

func (r *reader) dumpMemberships(ctx context.Context, yield func(memory.DumpRecord) error) error {
	scan := func(rows *sql.Rows) (*memory.DumpMembership, error) {
		m := memory.DumpMembership{Membership: acl.Membership{Present: true}}
		var expires sql.NullInt64
		err := rows.Scan(&m.Of, &m.Agent, &expires)
		m.ExpiresAt = fromNullMicros(expires)
		return &m, err
	}
	err := r.each(ctx, func(rows *sql.Rows) error {
		m, err := scan(rows)
		if err != nil {
			return err
		}
		return yield(memory.DumpRecord{Participant: m})
	}, "SELECT of, agent, expires_at FROM participant ORDER BY of, agent")
	if err != nil {
		return err
	}
	return r.each(ctx, func(rows *sql.Rows) error {
		m, err := scan(rows)
		if err != nil {
			return err
		}
		return yield(memory.DumpRecord{Session: m})
	}, "SELECT of, agent, expires_at FROM session ORDER BY of, agent")
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
	selectAllEntries  = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store` + joinFields + `WHERE e.state < 2 ORDER BY e.id`
	selectAllVersions = `SELECT ` + formerColumns + ` FROM (SELECT h.*, ?2 AS id FROM history h WHERE h.doc = ?1) e
	JOIN store s ON s.number = e.store ORDER BY e.version`
)

func (r *reader) dumpEntries(ctx context.Context, yield func(memory.DumpRecord) error) error {
	return r.each(ctx, func(rows *sql.Rows) error {
		doc, e, err := scanEntry(rows)
		if err != nil {
			return err
		}
		if err := yield(memory.DumpRecord{Entry: &e}); err != nil {
			return err
		}
		return r.each(ctx, func(rows *sql.Rows) error {
			_, v, err := scanEntry(rows)
			if err != nil {
				return err
			}
			return yield(memory.DumpRecord{Version: &v})
		}, selectAllVersions, doc, e.ID[:])
	}, selectAllEntries)
}

var errRecord = errors.New("a dump record must have exactly one field")

// Load implements memory.Loader.
func (w *writer) Load(ctx context.Context, record memory.DumpRecord, doc lexical.Document) (err error) {
	switch {
	case record.Entry != nil:
		return w.loadEntry(ctx, record.Entry, doc)
	case record.Version != nil:
		return w.loadVersion(ctx, record.Version)
	case record.Grant != nil:
		if _, err := w.exec(ctx, "INSERT "+insertGrant, grantValues(*record.Grant)...); err != nil {
			return err
		}
		return w.countGrants(ctx, record.Grant.Store, 1)
	case record.Participant != nil:
		m := record.Participant
		_, err = w.exec(ctx, "INSERT INTO participant (of, agent, expires_at) VALUES (?, ?, ?)", m.Of, m.Agent, nullMicros(m.ExpiresAt))
	case record.Session != nil:
		m := record.Session
		_, err = w.exec(ctx, "INSERT INTO session (of, agent, expires_at) VALUES (?, ?, ?)", m.Of, m.Agent, nullMicros(m.ExpiresAt))
	case record.Settings != nil:
		_, err = w.exec(ctx, "INSERT "+insertSettings, settingsValues(record.Settings.Agent, record.Settings.Settings)...)
	case record.Name != nil:
		_, err = w.exec(ctx, "INSERT INTO name (id, kind) VALUES (?, ?)", record.Name.ID, record.Name.Kind)
	case record.Meter != nil:
		return sqlcommon.LoadMeter(ctx, w, record.Meter)
	default:
		return errRecord
	}
	return err
}

func (w *writer) loadEntry(ctx context.Context, e *memory.Entry, doc lexical.Document) error {
	_, found, err := w.storedRow(ctx, e.ID)
	if err != nil {
		return err
	}
	if found {
		return memory.ErrExists
	}
	return w.put(ctx, e, doc, storedRow{}, false, time.Now())
}

const insertVersion = `INSERT INTO history (doc, store, label, revision, version, in_context, encrypted, created_at, updated_at,
	expires_at, deleted_at, owner, updated_by, deleted_by, namespace, key, type, description, tags, source, value, type_by, description_by,
	occurred_at, occurred_date) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (w *writer) loadVersion(ctx context.Context, v *memory.Entry) error {
	row, found, err := w.storedRow(ctx, v.ID)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("version %d of entry %s precedes its entry", v.Version, v.ID)
	case v.Version == row.version:
		return memory.ErrExists
	}
	store, err := w.storeNumber(ctx, v.Store)
	if err != nil {
		return err
	}
	values, err := entryValues(v)
	if err != nil {
		return err
	}
	at, precision := occurrenceValues(v.OccurredAt)
	args := append([]any{row.doc, store, v.Label}, values...)
	args = append(args, unlessOwner(v, v.TypeBy), unlessOwner(v, v.DescriptionBy), at, precision)
	if _, err := w.exec(ctx, insertVersion, args...); err != nil {
		return err
	}
	w.addPast(v.ID, row, int64(len(v.Value)+len(v.Source)))
	return nil
}
