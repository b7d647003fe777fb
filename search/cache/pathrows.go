package cache

import (
	"unique"
	"unsafe"

	"mneme/acl"
	"mneme/memory"
)

// pathRows are all rows that Siblings returns for one path. They must not be changed.
type pathRows struct {
	stamp
	path  uint64 // hash of namespace and key
	store unique.Handle[string]
	rows  []memory.Entry
	bytes int // of rows
}

// keys returns the keys of the rows.
func (p *pathRows) keys(ceiling acl.Label) []rowKey {
	keys := make([]rowKey, len(p.rows))
	for i := range p.rows {
		keys[i] = rowKey{ceiling, p.rows[i].ID}
	}
	return keys
}

// rowBytes returns the memory of a row in bytes. A string that many rows share counts for each
// of them.
func rowBytes(e *memory.Entry) int {
	n := int(unsafe.Sizeof(*e)) + len(e.Store) + len(e.Namespace) + len(e.Key) + len(e.Owner) + len(e.UpdatedBy) + len(e.Type) + len(e.Description)
	for _, tag := range e.Tags {
		n += len(tag) + int(unsafe.Sizeof(tag))
	}
	return n
}

// isSame reports whether p has the rows of q, in any order.
func (p *pathRows) isSame(q *pathRows) bool {
	same := 0
	for i := range p.rows {
		for k := range q.rows {
			if isSameRow(&p.rows[i], &q.rows[k]) {
				same++
			}
		}
	}
	return same == len(p.rows) && same == len(q.rows)
}

// isSameRow reports whether two rows are the same. It need not compare all fields, since each
// change of a row has a revision of its own.
func isSameRow(a, b *memory.Entry) bool {
	return a.ID == b.ID && a.Revision == b.Revision && a.Version == b.Version && a.UpdatedAt.Equal(b.UpdatedAt) &&
		a.Path == b.Path && a.Label == b.Label && a.Owner == b.Owner && a.Size == b.Size
}
