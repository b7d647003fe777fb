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

// Lineage says where an entry came from, according to its writer. It is stored
// unchecked.
type Lineage struct {
	Tool    string   `json:"tool,omitempty"`    // that wrote the entry
	Session string   `json:"session,omitempty"` // of the agent, named by its client
	Read    []string `json:"read,omitempty"`    // ids of entries that the session had read before
}

// restoredSource returns the source of contents that are brought back: without the tool,
// which wrote them before, but not the version that brings them back.
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
	if err != nil { // it holds texts alone
		return nil
	}
	return text
}

// showSources reduces the sources of found entries to what the caller may see:
// the tool, the session, and the ids of live entries that it may get. A source
// that is not a Lineage, or of which nothing remains, is removed.
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

// keepsSource reports whether a write with this source, nil for none, would leave that of
// an entry as it is.
//
// SECURITY: it compares what the caller is shown of both, so that an import's counts tell
// nothing of ids that are hidden, nor does the import of an export remove those.
func (s *Service) keepsSource(ctx context.Context, tx accessReader, c Caller, e *Entry, given json.RawMessage) (bool, error) {
	if given == nil {
		return true, nil
	}
	before, after := Found{Entry: *e}, Found{Entry: Entry{Source: given}}
	err := s.showSources(ctx, tx, c, &before, &after)
	return bytes.Equal(before.Source, after.Source), err
}

// marshalPlain is json.Marshal without escapes for HTML, which would make a
// source longer than MaxSource.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// readable returns the ids of entries that the caller may get, in their order.
// It does not reveal which of the others exist.
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
			allowed[id] = false // each once
		}
	}
	return kept, nil
}
