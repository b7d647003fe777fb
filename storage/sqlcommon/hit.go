package sqlcommon

import (
	"github.com/google/uuid"

	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
)

// Hits resolves ranked documents to entries. It looks them up in known, which may be nil, and
// reads the missing ones by read, which calls found with each document's index in missing. Hits
// adds these to known.
func Hits(ranked []posting.Scored, known memory.DocumentIDs,
	read func(missing []posting.Scored, found func(i int, entry uuid.UUID)) error,
) ([]lexical.Hit, error) {
	hits, resolved := make([]lexical.Hit, len(ranked)), make([]bool, len(ranked))
	if known != nil {
		document := func(i int) (store, doc int64) { return ranked[i].Store, ranked[i].Doc }
		known.Get(len(ranked), document, func(i int, entry uuid.UUID) { hits[i].Entry, resolved[i] = entry, true })
	}
	var missing []posting.Scored
	var indexes []int
	for i, s := range ranked {
		hits[i].Score = s.Score
		if !resolved[i] {
			missing, indexes = append(missing, s), append(indexes, i)
		}
	}
	if len(missing) == 0 {
		return hits, nil
	}
	err := read(missing, func(i int, entry uuid.UUID) {
		hits[indexes[i]].Entry = entry
		if known != nil {
			known.Put(missing[i].Store, missing[i].Doc, entry)
		}
	})
	return hits, err
}
