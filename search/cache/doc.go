// Package cache keeps what searches have read and embedded, since similar questions read
// mostly the same: Rows of entries, the Evidence that they are scored by, and the
// embeddings of Queries. Each is bounded by bytes, safe for concurrent use, and shows
// nobody by its speed what others have asked.
package cache
