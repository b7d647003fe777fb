package sqlcommon

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/lexical"
	"mneme/memory"
)

// ErrRecord means that a record of a dump has no field or several fields.
var ErrRecord = errors.New("a dump record must have exactly one field")

// Yield receives the records of a dump.
type Yield func(memory.DumpRecord) error

// Dump implements memory.Dumper: first names, settings, memberships, grants and the models
// chosen for stores, then entries, and then the records of package meter.
func (r Reads) Dump(ctx context.Context, yield func(memory.DumpRecord) error) error {
	for _, part := range [...]func(context.Context, Yield) error{
		r.dumpNames, r.dumpSettings, r.dumpParticipants, r.dumpSessions, r.dumpGrants, r.dumpReadings, r.dumpEntries,
	} {
		if err := part(ctx, yield); err != nil {
			return err
		}
	}
	return DumpMeter(ctx, r.r, yield)
}

func (r Reads) dumpNames(ctx context.Context, yield Yield) error {
	return r.r.Stream(ctx, func(row Row) error {
		var name memory.DumpName
		if err := row.Scan(&name.ID, (*string)(&name.Kind)); err != nil {
			return err
		}
		return yield(memory.DumpRecord{Name: &name})
	}, "name.all")
}

func (r Reads) dumpSettings(ctx context.Context, yield Yield) error {
	return r.r.Stream(ctx, func(row Row) error {
		s, err := ScanSettings(row)
		if err != nil {
			return err
		}
		return yield(memory.DumpRecord{Settings: &s})
	}, "setting.all")
}

func (r Reads) dumpParticipants(ctx context.Context, yield Yield) error {
	return r.dumpMembers(ctx, participants, func(m *memory.DumpMembership) error { return yield(memory.DumpRecord{Participant: m}) })
}

func (r Reads) dumpSessions(ctx context.Context, yield Yield) error {
	return r.dumpMembers(ctx, sessions, func(m *memory.DumpMembership) error { return yield(memory.DumpRecord{Session: m}) })
}

func (r Reads) dumpMembers(ctx context.Context, names members, yield func(*memory.DumpMembership) error) error {
	return r.r.Stream(ctx, func(row Row) error {
		m := memory.DumpMembership{Membership: acl.Membership{Present: true}}
		if err := row.Scan(&m.Of, &m.Agent, &m.ExpiresAt); err != nil {
			return err
		}
		return yield(&m)
	}, names.all)
}

func (r Reads) dumpGrants(ctx context.Context, yield Yield) error {
	return r.r.Stream(ctx, func(row Row) error {
		g, err := scanGrant(row)
		if err != nil {
			return err
		}
		g.Rests = false // set by the offers
		return yield(memory.DumpRecord{Grant: &g})
	}, "grant.all")
}

func (r Reads) dumpReadings(ctx context.Context, yield Yield) error {
	return r.r.Stream(ctx, func(row Row) error {
		var reading memory.DumpReading
		var language int64
		if err := row.Scan(&reading.Store, &language, &reading.Asked, &reading.Mixed); err != nil {
			return err
		}
		reading.Language = choice.Language(language)
		return yield(memory.DumpRecord{Reading: &reading})
	}, "reading.all")
}

// dumpEntries yields entries by ID, each followed by its former versions, oldest first. It
// reads page by page, so that a slow yield does not exceed the statement timeout.
func (r Reads) dumpEntries(ctx context.Context, yield Yield) error {
	const page = 200
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return err
	}
	var last uuid.UUID
	for {
		entries, err := List(ctx, r.r, ScanEntries(), "entry.page", last, page)
		if err != nil || len(entries) == 0 {
			return err
		}
		var versions []memory.Entry
		read := 0 // number of entries whose former versions were read
		for i := range entries {
			if i == read {
				n := 0
				if versions, n, err = r.versionsOfFirst(ctx, entries[i:]); err != nil {
					return err
				}
				read += n
			}
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

// versionsAtOnce is the maximum number of former versions that a dump holds in memory, unless
// one entry has more: memory.HistoryLimits bound the versions of each entry, and a value has
// its own limit.
const versionsAtOnce = 200

// versionsOfFirst returns the former versions of the first n entries, and n, which is at least
// 1: as many entries as have no more than versionsAtOnce former versions together.
func (r Reads) versionsOfFirst(ctx context.Context, entries []memory.Entry) (versions []memory.Entry, n int, err error) {
	var ids []uuid.UUID
	for sum := 0; n < len(entries); n++ {
		former := entries[n].Version - 1
		if sum += former; n > 0 && sum > versionsAtOnce {
			break
		}
		if former > 0 {
			ids = append(ids, entries[n].ID)
		}
	}
	if len(ids) > 0 {
		versions, err = List(ctx, r.r, ScanEntries(), "entry.versions_of", ids)
	}
	return versions, n, err
}

// Loading is a transaction that loads entries and their former versions.
type Loading interface {
	Writer
	LoadEntry(ctx context.Context, e *memory.Entry, doc lexical.Document) error
	LoadVersion(ctx context.Context, v *memory.Entry) error
}

// Load implements memory.Loader for both storages.
func Load(ctx context.Context, w Loading, facts Writes, record memory.DumpRecord, doc lexical.Document) error {
	switch {
	case record.Entry != nil:
		return w.LoadEntry(ctx, record.Entry, doc)
	case record.Version != nil:
		return w.LoadVersion(ctx, record.Version)
	case record.Meter != nil:
		return LoadMeter(ctx, w, record.Meter)
	}
	return facts.loadFact(ctx, record)
}

// loadFact loads a record that is not an entry, not a version and not of package meter: for
// example a grant. The error is ErrRecord if the record has no field at all.
func (w Writes) loadFact(ctx context.Context, record memory.DumpRecord) error {
	switch {
	case record.Grant != nil:
		g := *record.Grant
		if g.Label == 0 { // from an older version: grants without labels and acceptance
			g.Label, g.Accepted = acl.Public, acl.Public
		}
		return w.insertGrant(ctx, g)
	case record.Participant != nil:
		m := record.Participant
		return Insert(ctx, w.w, participants.insert, m.Of, m.Agent, orNull(m.ExpiresAt))
	case record.Session != nil:
		m := record.Session
		return Insert(ctx, w.w, sessions.insert, m.Of, m.Agent, orNull(m.ExpiresAt))
	case record.Settings != nil:
		return Insert(ctx, w.w, "setting.insert", settingsValues(record.Settings.Agent, record.Settings.Settings)...)
	case record.Reading != nil:
		r := record.Reading
		return Insert(ctx, w.w, "reading.insert", r.Store, int64(r.Language), r.Asked, int64(0), r.Mixed)
	case record.Name != nil:
		return Insert(ctx, w.w, "name.insert", record.Name.ID, string(record.Name.Kind))
	}
	return ErrRecord
}
