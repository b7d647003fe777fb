package cache

import (
	"context"
	"unsafe"

	"github.com/google/uuid"

	"mneme/memory"
)

// Contents keeps what the rows of Rows lack: the values of entries that were shown, and by whom
// their type and description are. Similar questions have mostly the same first hits.
//
// A cached value is used for a row that has the same revision. So nothing that is kept becomes
// invalid.
//
// SECURITY: only entries that the search's snapshot shows to the caller are looked up.
type Contents struct {
	entries *shared[uuid.UUID, *content]
}

// content is what a row of Rows lacks.
type content struct {
	stamp
	revision int64 // of the row
	of       memory.Entry
}

// maxContent is the size of a value, in bytes, up to which it is kept.
const maxContent = 16 << 10

// NewContents returns a cache of at most maxBytes bytes.
func NewContents(maxBytes int) *Contents {
	return &Contents{newShared(maxBytes, func(_ uuid.UUID, c *content) int {
		return int(unsafe.Sizeof(*c)) + len(c.of.Value) + len(c.of.TypeBy) + len(c.of.DescriptionBy)
	})}
}

// Of returns the contents that reader has read.
func (c *Contents) Of(reader Reader) ReadContents { return ReadContents{c, reader} }

// ReadContents are the contents that one Reader has read. The zero value has none and keeps none.
type ReadContents struct {
	contents *Contents
	reader   Reader
}

// Complete adds to rows, which Rows has returned, what they lack. The rows must not share memory
// with those of a cache; their values must not be changed.
func (r ReadContents) Complete(ctx context.Context, tx memory.EntryReader, rows []*memory.Entry) error {
	missing := r.complete(rows)
	if len(missing) == 0 {
		return nil
	}
	ids, index := make([]uuid.UUID, len(missing)), make(map[uuid.UUID]*memory.Entry, len(missing))
	for i, row := range missing {
		ids[i], index[row.ID] = row.ID, row
	}
	read, err := tx.Contents(ctx, ids)
	for i := range read {
		row := index[read[i].ID]
		add(row, &read[i])
		r.keep(row, &read[i])
	}
	return err
}

// complete adds the cached contents to rows, and returns the rows that have none.
func (r ReadContents) complete(rows []*memory.Entry) (missing []*memory.Entry) {
	if r.contents == nil {
		return rows
	}
	key := func(i int) uuid.UUID { return rows[i].ID }
	found := r.contents.entries.get(len(rows), key, func(i int, c *content) Reader {
		if c.revision != rows[i].Revision {
			return Reader{}
		}
		return r.reader
	})
	for i, c := range found {
		if c == nil {
			missing = append(missing, rows[i])
			continue
		}
		add(rows[i], &c.of)
	}
	return missing
}

// keep caches what was read of a row.
func (r ReadContents) keep(row, read *memory.Entry) {
	if r.contents == nil || len(read.Value) > maxContent {
		return
	}
	c := &content{revision: row.Revision, of: *read}
	r.contents.entries.put(r.reader, c, func(held *content) bool { return held.revision == c.revision }, row.ID)
}

// add adds contents to a row.
func add(row, contents *memory.Entry) {
	row.Value, row.Size, row.TypeBy, row.DescriptionBy = contents.Value, 0, contents.TypeBy, contents.DescriptionBy
}
