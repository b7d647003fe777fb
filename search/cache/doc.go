// Package cache keeps what searches have read and embedded, since similar questions read
// mostly the same: Rows of entries, the Evidence that they are scored by, and the
// embeddings of Queries. Each is bounded by bytes and safe for concurrent use. Its speed
// shows nobody what others have asked, but for what a full cache drops.
package cache
