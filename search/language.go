package search

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
)

// languages maps rows to the languages that a search detected in their texts: codes of
// ISO 639-1; "": unknown.
type languages map[rowVersion]string

// rowVersion is a row at one of its revisions.
type rowVersion struct {
	id       uuid.UUID
	revision int64
}

func (c *candidate) version() rowVersion { return rowVersion{c.entry.ID, c.entry.Revision} }

// addLanguages sets the languages of the candidates that the multilingual model scores, if the
// wording's language is known: the model scores an entry in another language on another scale.
// The language of a text is detected once for all wordings and snapshots of a search.
func (s *Searcher) addLanguages(ctx context.Context, in snapshot, known languages, asked *resolved, candidates []*candidate, found []assessment) error {
	if asked.language == "" {
		return nil
	}
	var unread []*candidate
	for i, c := range candidates {
		if !found[i].by[multilingualModel].judges {
			continue
		}
		if _, read := known[c.version()]; !read {
			unread = append(unread, c)
		}
	}
	if err := s.readLanguages(ctx, in, known, unread); err != nil {
		return err
	}
	for i, c := range candidates {
		if found[i].by[multilingualModel].judges {
			found[i].language = known[c.version()]
		}
	}
	return nil
}

// readLanguages detects the languages of unread candidates and adds them to known, a batch
// of texts at a time.
func (s *Searcher) readLanguages(ctx context.Context, in snapshot, known languages, unread []*candidate) error {
	for len(unread) > 0 {
		n := memory.BatchOf(len(unread), func(i int) int { return unread[i].entry.Size })
		entries, err := completed(ctx, in, unread[:n])
		if err != nil {
			return err
		}
		for i := range entries {
			e := &entries[i]
			known[rowVersion{e.ID, e.Revision}] = s.language(memory.ProseOf(e)).Language
		}
		unread = unread[n:]
	}
	return nil
}
