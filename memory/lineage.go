package memory

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
)

// Lineage is where an entry came from, as its writer said: nothing in it is
// checked when it is stored.
type Lineage struct {
	Tool    string   `json:"tool,omitempty"`    // that saved it
	Session string   `json:"session,omitempty"` // of the agent, by a name of the client's
	Read    []string `json:"read,omitempty"`    // ids of entries that the session had read
}

// showSources reduces the sources of found entries to what the reader may see:
// tool, session, and of the ids only those of live entries that it may get. A
// source that cannot be understood, or of which nothing is left, is not shown.
func (s *Service) showSources(ctx context.Context, tx ReadTx, c Caller, found ...*Found) error {
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
		if f.Source, err = json.Marshal(l); err != nil {
			return err
		}
	}
	return nil
}

// readable keeps the ids of entries that the caller may get, in their order.
// Nothing tells it which of the others exist.
func (s *Service) readable(ctx context.Context, tx ReadTx, c Caller, names []string) ([]string, error) {
	var ids []uuid.UUID
	for _, name := range names {
		if id, err := uuid.Parse(name); err == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	entries, err := tx.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	may := make(map[uuid.UUID]bool, len(entries))
	for i := range entries {
		_, shown, err := s.see(ctx, tx, c, entries[i].Path, acl.Read)
		switch {
		case errors.Is(err, acl.ErrDenied), errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, err
		default:
			may[entries[i].ID] = shown.ID == entries[i].ID
		}
	}
	var kept []string
	for _, id := range ids {
		if may[id] {
			kept = append(kept, id.String())
			may[id] = false // once
		}
	}
	return kept, nil
}
