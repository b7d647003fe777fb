package sqlcommon

import (
	"mneme/acl"
	"mneme/memory"
)

// UsageKey identifies a row of table usage.
type UsageKey struct {
	Store  int64
	Label  acl.Label
	Writer string
}

// UsageChanges are one transaction's changes to table usage, collected until the commit: nearly
// every entry of an import changes the same rows.
type UsageChanges map[UsageKey]memory.Usage

// Add adds to the usage of a row.
func (c UsageChanges) Add(key UsageKey, entries, bytes int64) {
	u := c[key]
	c[key] = memory.Usage{Entries: u.Entries + entries, Bytes: u.Bytes + bytes}
}
