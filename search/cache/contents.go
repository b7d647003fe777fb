package cache

import (
	"context"
	"encoding/json"
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
	revision              int64 // of the row
	value                 json.RawMessage
	typeBy, descriptionBy string
}

// maxContent is the size of a value, in bytes, up to which it is kept.
const maxContent = 16 << 10

// NewContents returns a cache of at most maxBytes bytes.
func NewContents(maxBytes int) *Contents {
	return &Contents{newShared(maxBytes, func(_ uuid.UUID, c *content) int {
		return int(unsafe.Sizeof(*c)) + len(c.value) + len(c.typeBy) + len(c.descriptionBy)
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
		c := &content{revision: row.Revision, value: read[i].Value, typeBy: read[i].TypeBy, descriptionBy: read[i].DescriptionBy}
		c.addTo(row)
		r.keep(row.ID, c)
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
		c.addTo(rows[i])
	}
	return missing
}

// keep caches what was read of a row, unless it is large.
func (r ReadContents) keep(id uuid.UUID, c *content) {
	if r.contents == nil || len(c.value) > maxContent {
		return
	}
	r.contents.entries.put(r.reader, c, func(held *content) bool { return held.revision == c.revision }, id)
}

// addTo adds the content to its row.
func (c *content) addTo(row *memory.Entry) {
	row.Value, row.Size, row.TypeBy, row.DescriptionBy = c.value, 0, c.typeBy, c.descriptionBy
}
