package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
)

// Lineage says where an entry came from, according to its writer. It is stored unchecked.
type Lineage struct {
	Tool    string   `json:"tool,omitempty"`    // tool that wrote the entry
	Session string   `json:"session,omitempty"` // session of the agent, named by its client
	Read    []string `json:"read,omitempty"`    // ids of entries that the session had read before
}

// restoredSource returns the source for a version that restores older contents. It omits the
// tool: a tool wrote those contents, but no tool writes the restoring version.
func restoredSource(source json.RawMessage) json.RawMessage {
	var l Lineage
	if json.Unmarshal(source, &l) != nil || l.Tool == "" {
		return source
	}
	l.Tool = ""
	if l.Session == "" && len(l.Read) == 0 {
		return nil
	}
	text, err := marshalPlain(l)
	if err != nil { // it contains only text
		return nil
	}
	return text
}

// showSources reduces the sources of found entries to what the caller may see: the tool, the
// session, and the ids of live entries that the caller may get. It removes a source that is not
// a Lineage or becomes empty.
func (s *Service) showSources(ctx context.Context, tx accessReader, c Caller, found ...*Found) error {
	for _, f := range found {
		if f.Source == nil {
			continue
		}
		var l Lineage
		if json.Unmarshal(f.Source, &l) != nil {
			f.Source = nil
			continue
		}
		var err error
		if l.Read, err = s.readable(ctx, tx, c, l.Read); err != nil {
			return err
		}
		if l.Tool == "" && l.Session == "" && len(l.Read) == 0 {
			f.Source = nil
			continue
		}
		if f.Source, err = marshalPlain(l); err != nil {
			return err
		}
	}
	return nil
}

// showTools reduces the sources of found entries to the tool. It reads nothing.
func showTools(found []Found) (err error) {
	for i := range found {
		var l Lineage
		f := &found[i]
		if json.Unmarshal(f.Source, &l) != nil || l.Tool == "" {
			f.Source = nil
		} else if f.Source, err = marshalPlain(Lineage{Tool: l.Tool}); err != nil {
			return err
		}
	}
	return nil
}

// showWritten is showSources for entries that a committed transaction wrote, in a snapshot of
// its own. The write is durable already, so an error only omits the source.
//
// SECURITY: showSources inside the writing transaction would lock the stores of the ids until
// the commit and wait for these locks, even for stores to which the caller has no access.
func (s *Service) showWritten(ctx context.Context, c Caller, found ...*Found) {
	var err error
	show := func(tx ReadTx) error { return s.showSources(ctx, tx, c, found...) }
	if slices.ContainsFunc(found, namesEntries) {
		err = s.view(ctx, c, show)
	} else {
		err = show(nil) // nothing to read
	}
	if err == nil {
		return
	}
	for _, f := range found {
		f.Source = nil
	}
	if ctx.Err() == nil {
		s.log.WarnContext(ctx, "the sources of written entries are not shown", "error", err)
	}
}

// namesEntries reports whether an entry's source has ids of other entries.
func namesEntries(f *Found) bool {
	var l Lineage
	return f.Source != nil && json.Unmarshal(f.Source, &l) == nil && len(l.Read) > 0
}

// keepsSource reports whether a write would leave the stored source unchanged. given is the
// write's source, nil if it has none. alike is the result of alikeSources for the write.
func keepsSource(stored, given, alike json.RawMessage) bool {
	return given == nil || bytes.Equal(stored, given) || alike != nil && bytes.Equal(stored, alike)
}

// alikeSources finds the writes that would change the stored source although the caller could
// see no difference. For each write whose value the entry already has, it returns the entry's
// source, if that differs from the write's source but looks the same to the caller; it is then
// empty but not nil if the entry has no source. For other writes it returns nil. It must be
// called before the writing transaction, for the reason given at showWritten.
//
// SECURITY: it compares both sources as they are shown to the caller. So an import's count of
// unchanged entries reveals nothing about ids that are hidden from the caller, and importing an
// export does not remove these ids from the sources.
func (s *Service) alikeSources(ctx context.Context, c Caller, requests []PutRequest) ([]json.RawMessage, error) {
	alike := make([]json.RawMessage, len(requests))
	if !slices.ContainsFunc(requests, func(r PutRequest) bool { return r.Source != nil }) {
		return alike, nil
	}
	err := s.view(ctx, c, func(tx ReadTx) error {
		for first, end := range storeRuns(requests) {
			if err := s.alikeRun(ctx, tx, c, requests[first:end], alike[first:end]); err != nil {
				return err
			}
		}
		return nil
	})
	return alike, err
}

// alikeRun is alikeSources for one store.
func (s *Service) alikeRun(ctx context.Context, tx ReadTx, c Caller, requests []PutRequest, alike []json.RawMessage) error {
	now := s.Instant()
	a, err := writeAccess(ctx, tx, c, requests[0].Path.Store, now)
	if err != nil {
		if isRefusal(err) { // each write is refused with this error later
			return nil
		}
		return err
	}
	var paths []Path
	for _, r := range requests {
		if r.Source != nil && CheckPath(r.Path) == nil {
			paths = append(paths, r.Path)
		}
	}
	entries, err := tx.At(ctx, AtPaths{Paths: paths, Ceiling: a.Ceiling})
	if err != nil {
		return err
	}
	at := make(map[Path][]Entry, len(entries))
	for _, e := range entries {
		at[e.Path] = append(at[e.Path], e)
	}
	var targets []Entry
	var of []int // the writes of these entries
	for i, r := range requests {
		if old := writeTarget(c, a, at[r.Path], now); r.Source != nil && old != nil && old.Size == len(r.Value) {
			targets, of = append(targets, *old), append(of, i)
		}
	}
	for len(targets) > 0 {
		n := BatchOf(len(targets), func(i int) int { return targets[i].Size })
		whole, err := s.withValues(ctx, tx, targets[:n])
		if err != nil {
			return err
		}
		for k, stored := range whole {
			r, source := requests[of[k]], stored.Source
			if !bytes.Equal(stored.Value, r.Value) || bytes.Equal(source, r.Source) {
				continue
			}
			given := Found{Entry: Entry{Source: r.Source}}
			if err := s.showSources(ctx, tx, c, &stored, &given); err != nil {
				return err
			}
			if bytes.Equal(stored.Source, given.Source) {
				alike[of[k]] = append(json.RawMessage{}, source...)
			}
		}
		targets, of = targets[n:], of[n:]
	}
	return nil
}

// marshalPlain is json.Marshal without HTML escapes, which would make a source longer than
// MaxSource.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// readable returns the ids of entries that the caller may get, in order. It does not reveal
// which of the others exist.
func (s *Service) readable(ctx context.Context, tx accessReader, c Caller, names []string) ([]string, error) {
	var ids []uuid.UUID
	for _, name := range names {
		if id, err := uuid.Parse(name); err == nil {
			ids = append(ids, id)
		}
	}
	allowed := make(map[uuid.UUID]bool, len(ids))
	for few := range slices.Chunk(ids, max(1, BatchBytes/s.limits.Value)) { // Get reads their values
		entries, err := tx.Get(ctx, few)
		if err != nil {
			return nil, err
		}
		for i := range entries {
			_, e, err := s.getVisible(ctx, tx, c, entries[i].Path, acl.Read)
			switch {
			case errors.Is(err, acl.ErrDenied), errors.Is(err, ErrNotFound):
			case err != nil:
				return nil, err
			default:
				allowed[entries[i].ID] = e.ID == entries[i].ID
			}
		}
	}
	var kept []string
	for _, id := range ids {
		if allowed[id] {
			kept = append(kept, id.String())
			allowed[id] = false // each id once
		}
	}
	return kept, nil
}
