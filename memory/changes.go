package memory

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"mneme/acl"
)

// Limits of a call of Changes.
const (
	MaxChanges    = 1000
	MaxChangeWait = 30 * time.Second
)

// ErrFeed: the feed no longer has all changes since a cursor, or the caller's read access to
// the store has changed. The caller must list the store again.
var ErrFeed = errors.New("the changes since this cursor are not known: read the store again, and follow it from a new cursor")

// ChangesRequest asks for the changes of a store since an earlier call.
type ChangesRequest struct {
	Store string
	Since string        // the Next of an earlier call; "": from now on
	Limit int           // 1–1000
	Wait  time.Duration // how long to wait for a change if there is none; 0–30 s
	// Judge returns the caller as its token is now, for example after a key was revoked. It is
	// called when there may be changes, and when the wait has ended. Its error is returned only
	// at the end of the wait. If Judge is nil, the caller does not change.
	Judge func(ctx context.Context, ended bool) (Caller, error)
	Stop  <-chan struct{} // ends a wait early; nil: no early end
}

// Change is the state of a path that has changed.
type Change struct {
	Namespace, Key string
	Version        int // version of the entry that Get returns; 0: none, it was deleted
	At             time.Time
}

// ChangePage is a page of changes. If it is empty, the caller has seen all changes.
type ChangePage struct {
	Changes []Change
	Next    string
}

// Changes returns what has changed in a store for the caller: each path once, with its current
// state, ordered by latest change. It omits entries that are not in context.
//
// SECURITY: it does not look at records of labels that the caller may not read. They end no
// wait, and a cursor contains nothing about them.
func (s *Service) Changes(ctx context.Context, c Caller, r ChangesRequest) (ChangePage, error) {
	var since *feedCursor
	if r.Since != "" {
		var err error
		if since, err = s.openFeedCursor(c, r); err != nil {
			return ChangePage{}, err
		}
	}
	now, err := s.changes(ctx, c, r, since)
	if err != nil || since == nil || r.Wait == 0 || len(now.page.Changes) > 0 {
		return now.page, err
	}
	return s.waitForChanges(ctx, c, r, since, now)
}

// changesNow is the result of reading a feed once.
type changesNow struct {
	page       ChangePage
	position   feedCursor
	nextExpiry time.Time // zero: none
}

// maxSweeps bounds how often one call of changes sweeps expired entries, sweepBatch entries at
// a time.
const (
	maxSweeps  = 5
	sweepBatch = 200
)

// changes reads the feed. An expired entry has a record in the feed only once it is swept, so
// changes first sweeps the entries of the store that have expired.
func (s *Service) changes(ctx context.Context, c Caller, r ChangesRequest, since *feedCursor) (now changesNow, err error) {
	for sweeps := 0; ; sweeps++ {
		var due bool
		var ceiling acl.Label
		var a acl.Access
		err := s.view(ctx, c, func(tx ReadTx) (err error) {
			instant := s.Instant()
			a, err = access(ctx, tx, c, r.Store, acl.Read, instant)
			if err != nil {
				return err
			}
			if err := checkChanges(r); err != nil {
				return err
			}
			ceiling = a.Ceiling
			next, err := nextExpiry(ctx, tx, r.Store, a.Ceiling)
			if err != nil {
				return err
			}
			if due = !next.IsZero() && !instant.Before(next) && sweeps < maxSweeps; due {
				return nil
			}
			now, err = s.readFeed(ctx, tx, c, a, r, since, instant)
			now.nextExpiry = next
			return err
		})
		if err == nil {
			s.Named(ctx, c, a)
		}
		if err != nil || !due {
			return now, err
		}
		if err := s.sweepStore(ctx, c, r.Store, ceiling); err != nil {
			return now, err
		}
	}
}

// nextExpiry returns the earliest time of expiry among the entries of a store, at labels up to
// a ceiling, that are neither deleted nor swept. It may be in the past; it is zero if no entry
// expires.
func nextExpiry(ctx context.Context, tx ExpiryReader, store string, ceiling acl.Label) (time.Time, error) {
	first, err := tx.Expiring(ctx, ExpiryQuery{Store: store, Ceiling: ceiling, Limit: 1})
	if err != nil || len(first) == 0 {
		return time.Time{}, err
	}
	return first[0].At, nil
}

// sweepStore sweeps expired entries of a store.
func (s *Service) sweepStore(ctx context.Context, c Caller, store string, ceiling acl.Label) error {
	err := s.update(ctx, c, Work{Stores: []string{store}, Entries: sweepBatch}, func(tx Tx) error {
		now := s.Instant()
		due, err := tx.Expiring(ctx, ExpiryQuery{store, ceiling, now, sweepBatch})
		if err != nil || len(due) == 0 {
			return err
		}
		_, err = sweepDue(ctx, tx, due, now)
		return err
	})
	if err == nil {
		s.indexer.Wake()
	}
	return err
}

func checkChanges(r ChangesRequest) error {
	if r.Limit < 1 || r.Limit > MaxChanges {
		return rule("limit", "must be 1 to %d", MaxChanges)
	}
	if r.Wait < 0 || r.Wait > MaxChangeWait {
		return rule("wait", "must be 0 to %d seconds", MaxChangeWait/time.Second)
	}
	return nil
}

// readFeed reads a page of the feed in a snapshot. If since is nil, it returns only the current
// position.
func (s *Service) readFeed(ctx context.Context, tx ReadTx, c Caller, a acl.Access, r ChangesRequest, since *feedCursor, instant time.Time) (now changesNow, err error) {
	query := FeedQuery{Store: r.Store, Ceiling: a.Ceiling}
	if since != nil {
		if since.ceiling != a.Ceiling {
			return now, ErrFeed
		}
		query.After, query.Limit = since.positions, r.Limit
	}
	feeds, err := tx.Feed(ctx, query)
	if err != nil {
		return now, err
	}
	feed := feeds[0]
	now.position = feedCursor{ceiling: a.Ceiling, positions: feed.Last}
	if since != nil {
		for i, position := range since.positions {
			if feed.Removed[i] > position || feed.Last[i] < position { // removed, or from a database that was restored from a backup
				return now, ErrFeed
			}
		}
		records := firstRecords(feed.Records, r.Limit)
		now.position.positions = since.positions
		for _, record := range records {
			if record.Key == "" {
				return now, ErrFeed
			}
			*now.position.positions.Of(record.Label) = record.Position
		}
		if now.page.Changes, err = latestChanges(ctx, tx, c, a, r.Store, records, instant); err != nil {
			return now, err
		}
	}
	now.page.Next, err = s.sealFeedCursor(c, r, now.position)
	return now, err
}

// firstRecords merges the records of several labels by time and returns the first ones. Of each
// label, it returns the first records without a gap.
func firstRecords(records []FeedRecord, limit int) []FeedRecord {
	var labels [acl.Restricted][]FeedRecord
	for _, r := range records {
		labels[r.Label-1] = append(labels[r.Label-1], r)
	}
	merged := make([]FeedRecord, 0, min(limit, len(records)))
	for len(merged) < limit {
		first := -1
		for i := range labels {
			if len(labels[i]) > 0 && (first < 0 || labels[i][0].At.Before(labels[first][0].At)) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		merged, labels[first] = append(merged, labels[first][0]), labels[first][1:]
	}
	return merged
}

// latestChanges returns the current state of the paths of records. Each path occurs once; paths
// are ordered by their last record.
func latestChanges(ctx context.Context, tx PathReader, c Caller, a acl.Access, store string, records []FeedRecord, now time.Time) ([]Change, error) {
	if len(records) == 0 {
		return nil, nil
	}
	last := make(map[Path]int, len(records))
	for i, r := range records {
		last[Path{store, r.Namespace, r.Key}] = i
	}
	var paths []Path
	for path := range last {
		paths = append(paths, path)
	}
	rows, err := tx.At(ctx, AtPaths{Paths: paths, Ceiling: a.Ceiling, InContext: true})
	if err != nil {
		return nil, err
	}
	at := make(map[Path][]Entry, len(paths))
	for _, e := range rows {
		at[e.Path] = append(at[e.Path], e)
	}
	reader := Caller{Principal: c.Principal} // entries that are not in context are never listed
	var changes []Change
	for i, r := range records {
		path := Path{store, r.Namespace, r.Key}
		if last[path] != i {
			continue
		}
		change := Change{Namespace: r.Namespace, Key: r.Key, At: r.At}
		if e := Resolve(reader, a, at[path], now); e != nil {
			change.Version = e.Version
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// feedCursor is the position up to which a caller has followed a feed, and the caller's ceiling
// then. If the ceiling is another one now, the caller may read more or less than before.
type feedCursor struct {
	ceiling   acl.Label
	positions FeedPositions
}

// feedCursorBytes is the size of every cursor. It does not vary, so that it reveals nothing
// about the positions.
const feedCursorBytes = 1 + 8*len(FeedPositions{})

func feedBound(c Caller, r ChangesRequest) []string {
	return []string{"changes", c.Agent, c.Taint.String(), r.Store}
}

func (s *Service) sealFeedCursor(c Caller, r ChangesRequest, at feedCursor) (string, error) {
	b := append(make([]byte, 0, feedCursorBytes), byte(at.ceiling))
	for _, position := range at.positions {
		b = binary.BigEndian.AppendUint64(b, uint64(position))
	}
	return s.secret.SealCursor(b, feedBound(c, r))
}

func (s *Service) openFeedCursor(c Caller, r ChangesRequest) (*feedCursor, error) {
	var b []byte
	if err := s.secret.OpenCursor(r.Since, &b, feedBound(c, r)); err != nil {
		return nil, err
	}
	if len(b) != feedCursorBytes {
		return nil, ErrCursor
	}
	at := feedCursor{ceiling: acl.Label(b[0])}
	for i := range at.positions {
		at.positions[i] = int64(binary.BigEndian.Uint64(b[1+8*i:]))
	}
	return &at, nil
}
