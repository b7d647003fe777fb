package memory

import (
	"context"
	"time"

	"mneme/acl"
)

// FeedPositions are positions in the feed of a store, one for each label: that of
// PUBLIC is the first. A feed has positions of its own for each label, from 1, so
// that they reveal nothing of other labels.
type FeedPositions [acl.Restricted]int64

// Of returns the position of a label.
func (p *FeedPositions) Of(label acl.Label) *int64 { return &p[label-1] }

// FeedRecord says that a path of a store has changed at a label: an entry in
// context was written, renamed, deleted, restored or swept there.
type FeedRecord struct {
	Label    acl.Label
	Position int64
	// Namespace and Key are the path. Key is "" if the entry was purged since.
	Namespace, Key string
	At             time.Time
}

// FeedQuery asks for records of a store.
type FeedQuery struct {
	Store   string
	Ceiling acl.Label // the highest label of records
	After   FeedPositions
	Limit   int // of the records of each label; 0: the positions alone
}

// Feed is a part of the feed of a store. Positions of labels above the ceiling
// are 0.
type Feed struct {
	Records []FeedRecord  // of each label in the order of positions
	Last    FeedPositions // of all records
	Removed FeedPositions // the last positions that were removed
}

// FeedLimits bound what is kept of the feed of each store and label.
type FeedLimits struct {
	Age     time.Duration
	Records int64
}

// FeedReader reads the feeds of stores.
type FeedReader interface {
	// Feed returns a part of the feed of each query's store, in the order of the
	// queries. Records have no gaps, and are seen in the order of their positions: who
	// has seen a record misses none before it. Records of the transaction itself are not
	// returned.
	Feed(ctx context.Context, queries ...FeedQuery) ([]Feed, error)
}

// FeedTrimmer removes old records of feeds.
type FeedTrimmer interface {
	// TrimFeed removes records of before a time, and those of a store and label that
	// precede its last keep ones, limit or so of them, and reports whether there may be
	// more.
	TrimFeed(ctx context.Context, before time.Time, keep int64, limit int) (more bool, err error)
}
