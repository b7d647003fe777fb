// Package cache keeps what searches have read and embedded, since similar questions read
// mostly the same: Rows of entries, the Evidence that they are scored by, which entries
// Documents are, and the embeddings of Queries. Each is bounded by bytes and safe for
// concurrent use. Who may use what they hold is a Reader.
package cache
