// Package cache keeps what searches have read and embedded, since similar questions read mostly
// the same. Rows keeps rows of entries, Contents their values, Evidence what entries are scored
// by, Documents the entries that postings refer to, and Queries the embeddings of queries. Each
// cache is bounded by bytes and safe for concurrent use. A Reader identifies who may use what a
// cache holds.
package cache
