package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mneme/acl"
)

const (
	// maxWaits is the maximum number of calls of Changes that an agent may have waiting in a
	// process.
	maxWaits = 4
	// feedPoll is the interval between polls of the feeds for which calls wait, since another
	// process may have written. A commit of this process triggers a poll at once, but polls are
	// at least feedPause apart.
	feedPoll  = 500 * time.Millisecond
	feedPause = 5 * time.Millisecond
	// feedTimeout bounds one poll.
	feedTimeout = 10 * time.Second
)

// WaitError says that as many of an agent's calls of Changes as are allowed are already
// waiting.
type WaitError struct {
	Max        int
	RetryAfter time.Duration
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("%d calls of an agent may wait for changes at a time", e.Max)
}

// announcing is a Storage that calls committed after each commit, and makes embedding yield to
// its writes.
type announcing struct {
	Storage
	indexer   Indexer
	committed func()
}

// Update implements Storage.
func (a announcing) Update(ctx context.Context, fn func(Tx) error) error {
	return a.announce(func() error { return a.Storage.Update(ctx, fn) })
}

// UpdateBatched implements Storage.
func (a announcing) UpdateBatched(ctx context.Context, fn func(Tx) error) error {
	return a.announce(func() error { return a.Storage.UpdateBatched(ctx, fn) })
}

func (a announcing) announce(update func() error) error {
	a.indexer.Hold()
	defer a.indexer.Release()
	err := update()
	if err == nil {
		a.committed()
	}
	return err
}

// feedWaits are the calls that wait for changes. While there are any, a goroutine polls the
// last positions of the feeds of their stores.
type feedWaits struct {
	storage Storage
	wakeCh  chan struct{} // buffer of one

	mu      sync.Mutex
	agents  map[string]int
	waits   map[*feedWait]struct{}
	polling bool
}

// feedWait is one call that waits until a feed has records after a cursor.
type feedWait struct {
	store string
	since feedCursor
	ready chan struct{} // buffer of one
}

func newFeedWaits(storage Storage) *feedWaits {
	return &feedWaits{storage: storage, wakeCh: make(chan struct{}, 1), agents: make(map[string]int), waits: make(map[*feedWait]struct{})}
}

// wake triggers a poll of the feeds.
func (f *feedWaits) wake() {
	select {
	case f.wakeCh <- struct{}{}:
	default:
	}
}

// enter adds a wait of an agent, until leave is called.
func (f *feedWaits) enter(agent string, w *feedWait) (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.agents[agent] >= maxWaits {
		return nil, &WaitError{Max: maxWaits, RetryAfter: time.Second}
	}
	f.agents[agent]++
	f.waits[w] = struct{}{}
	if !f.polling {
		f.polling = true
		go f.poll()
	}
	f.wake() // for commits since the caller read the feed
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.waits, w)
		if f.agents[agent]--; f.agents[agent] == 0 {
			delete(f.agents, agent)
		}
		f.wake() // lets poll end
	}, nil
}

// count returns the number of waiting calls.
func (f *feedWaits) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.waits)
}

// stores returns the stores for which calls wait. If there are none, the goroutine that runs
// poll must end.
func (f *feedWaits) stores() (stores []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := make(map[string]bool)
	for w := range f.waits {
		if !seen[w.store] {
			seen[w.store] = true
			stores = append(stores, w.store)
		}
	}
	f.polling = len(stores) > 0
	return stores
}

// poll reads the last positions of feeds at intervals, and wakes the calls whose feeds have new
// records.
func (f *feedWaits) poll() {
	timer := time.NewTimer(feedPoll)
	defer timer.Stop()
	for {
		stores := f.stores()
		if len(stores) == 0 {
			return
		}
		f.look(stores)
		time.Sleep(feedPause)
		timer.Reset(feedPoll)
		select {
		case <-f.wakeCh:
		case <-timer.C:
		}
	}
}

// look wakes the calls whose feeds have new records. If the storage fails, it wakes none: the
// next poll does.
func (f *feedWaits) look(stores []string) {
	ctx, cancel := context.WithTimeout(context.Background(), feedTimeout)
	defer cancel()
	queries := make([]FeedQuery, len(stores))
	for i, store := range stores {
		queries[i] = FeedQuery{Store: store, Ceiling: acl.Restricted}
	}
	heads := make(map[string]FeedPositions, len(stores))
	err := f.storage.View(ctx, func(tx ReadTx) error {
		feeds, err := tx.Feed(ctx, queries...)
		for i := range feeds {
			heads[stores[i]] = feeds[i].Last
		}
		return err
	})
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.waits {
		if w.behind(heads[w.store]) {
			select {
			case w.ready <- struct{}{}:
			default:
			}
		}
	}
}

// behind reports whether the feed has records after the call's cursor, at labels that the
// caller may read.
func (w *feedWait) behind(last FeedPositions) bool {
	for label := acl.Public; label <= w.since.ceiling; label++ {
		if *last.Of(label) > *w.since.positions.Of(label) {
			return true
		}
	}
	return false
}

// waitForChanges waits until there are changes, and returns them. Whenever there may be some,
// and at the end of the wait, it checks the token and the access again. If that check fails
// before the end, the call only waits for the end, since otherwise each commit would repeat the
// check.
//
// SECURITY: an answer without changes always comes at the end of the wait. If it came earlier,
// it would reveal that something happened that the caller may not read.
func (s *Service) waitForChanges(ctx context.Context, c Caller, r ChangesRequest, since *feedCursor, now changesNow) (ChangePage, error) {
	w := &feedWait{store: r.Store, since: *since, ready: make(chan struct{}, 1)}
	leave, err := s.waits.enter(c.Agent, w)
	if err != nil {
		return ChangePage{}, err
	}
	defer leave()
	end := time.NewTimer(r.Wait)
	defer end.Stop()
	expiry := time.NewTimer(r.Wait)
	defer expiry.Stop()
	ready, expired := w.ready, expiry.C
	for {
		if expiry.Stop(); !now.nextExpiry.IsZero() {
			expiry.Reset(now.nextExpiry.Sub(s.now()))
		}
		ended := false
		select {
		case <-ctx.Done():
			return ChangePage{}, ctx.Err()
		case <-ready:
		case <-expired:
		case <-end.C:
			ended = true
		case <-r.Stop:
			ended = true
		}
		now, err = s.judgeChanges(ctx, c, r, ended)
		if ended || err == nil && len(now.page.Changes) > 0 {
			return now.page, err
		}
		if err != nil {
			ready, expired = nil, nil
		}
	}
}

// judgeChanges reads the feed for the caller that a token has now: see ChangesRequest.Judge.
// ended reports whether the wait is over.
func (s *Service) judgeChanges(ctx context.Context, c Caller, r ChangesRequest, ended bool) (now changesNow, err error) {
	if r.Judge != nil {
		if c, err = r.Judge(ctx, ended); err != nil {
			return now, err
		}
	}
	since, err := s.openFeedCursor(c, r)
	if err != nil {
		return now, err
	}
	return s.changes(ctx, c, r, since)
}
