package memory

import (
	"context"
	"time"

	"mneme/acl"
)

// FeedPositions are positions in the feed of a store, one per label, with PUBLIC first.
// Positions are counted separately for each label, from 1, so that they reveal nothing about
// other labels.
type FeedPositions [acl.Restricted]int64

// Of returns the position of a label.
func (p *FeedPositions) Of(label acl.Label) *int64 { return &p[label-1] }

// FeedRecord says that a path of a store has changed at a label: an entry in context was
// written, renamed, deleted, restored or swept there.
type FeedRecord struct {
	Label    acl.Label
	Position int64
	// Namespace and Key are the path. Key is "" if the entry has been purged.
	Namespace, Key string
	At             time.Time
}

// FeedQuery asks for records of a store.
type FeedQuery struct {
	Store   string
	Ceiling acl.Label // the highest label of the records
	After   FeedPositions
	Limit   int // maximum records per label; 0: only the positions
}

// Feed is a part of a store's feed. The positions of labels above the ceiling are 0.
type Feed struct {
	Records []FeedRecord  // for each label in order of positions
	Last    FeedPositions // positions of the last records
	Removed FeedPositions // positions up to which records were removed
}

// FeedLimits bound the stored feed of each store and label.
type FeedLimits struct {
	Age     time.Duration
	Records int64
}

// FeedReader reads the feeds of stores.
type FeedReader interface {
	// Feed returns a part of the feed of each query's store, in the order of the queries.
	// Records have no gaps, and become visible in the order of their positions: a reader that
	// has seen a record misses none before it. Feed does not return the transaction's own
	// records.
	Feed(ctx context.Context, queries ...FeedQuery) ([]Feed, error)
}

// FeedTrimmer removes old records of feeds.
type FeedTrimmer interface {
	// TrimFeed removes about limit records that are older than a time, or that precede the last
	// keep records of a store and label. It reports whether there may be more.
	TrimFeed(ctx context.Context, before time.Time, keep int64, limit int) (more bool, err error)
}
