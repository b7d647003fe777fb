package e5

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// passageShare is the part of all processors' time that passages get at
	// least, while some wait, however many queries there are.
	passageShare = 0.25
	// minCredit is the credit with which passages begin to run beside queries.
	// They run until it is used up, so that they do not change places with
	// queries every millisecond.
	minCredit = 5 * time.Millisecond
	// maxCredit bounds the credit, for each slot. More than minCredit is left
	// over only where there are fewer passages than they have slots due.
	maxCredit = 4 * minCredit
)

// gate shares the processors between queries and passages. A run of the model
// holds one of its slots, of which there is one a processor.
//
// Queries come first: someone waits for their answer. While a query is in
// flight, running or waiting for a slot, passages run on credit alone. Credit
// grows by passageShare of the slots' time while both are there, and shrinks by
// the time that passages run, between queries too. Passages that have enough of
// it take a free slot, else that of a query, which gets the next one back. So an
// endless stream of queries leaves passages their share, and queries are slowed
// down by no more.
type gate struct {
	slots int

	mu                sync.Mutex
	queries, passages lane
	credit            time.Duration
	at                time.Time // up to which credit is counted
}

// lane counts the runs of one kind.
type lane struct {
	running int
	waiting []chan struct{} // in order; closed when its run gets a slot
}

func (l *lane) empty() bool { return l.running == 0 && len(l.waiting) == 0 }

// enter waits for a slot. After an error the run holds none.
func (g *gate) enter(ctx context.Context, l *lane) error {
	g.mu.Lock()
	g.count()
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	g.grant()
	g.mu.Unlock()
	return g.await(ctx, l, turn)
}

// await waits for the turn of a run.
func (g *gate) await(ctx context.Context, l *lane, turn chan struct{}) error {
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	if i := slices.Index(l.waiting, turn); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.running-- // the slot came as the context ended
	}
	g.grant()
	return ctx.Err()
}

// leave gives a slot back.
func (g *gate) leave(l *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	l.running--
	g.grant()
}

// pause is called by a run every millisecond or so. While it is another's turn,
// the run gives its slot back and waits, before those that have not begun. After
// an error it holds none.
func (g *gate) pause(ctx context.Context, l *lane) error {
	g.mu.Lock()
	g.count()
	if g.stays(l) {
		g.grant()
		g.mu.Unlock()
		if err := ctx.Err(); err != nil {
			g.leave(l)
			return err
		}
		return nil
	}
	turn := make(chan struct{})
	l.running--
	l.waiting = slices.Insert(l.waiting, 0, turn)
	g.grant()
	g.mu.Unlock()
	return g.await(ctx, l, turn)
}

// stays reports whether a run of a kind keeps its slot.
func (g *gate) stays(l *lane) bool {
	if l == &g.passages {
		return g.queries.empty() || g.credit > 0
	}
	return len(g.passages.waiting) == 0 || !g.passagesFirst() || g.queries.running+g.passages.running < g.slots
}

// passagesFirst reports whether passages that wait come before queries: they
// have the credit, and hold fewer slots than their share of them.
func (g *gate) passagesFirst() bool {
	return g.credit >= minCredit && float64(g.passages.running) < passageShare*float64(g.slots)
}

// count brings credit up to date. It is called before anything changes.
func (g *gate) count() {
	now := time.Now()
	elapsed := now.Sub(g.at)
	g.at = now
	spent := time.Duration(g.passages.running) * elapsed
	switch {
	case g.passages.empty():
	case g.queries.empty():
		g.credit = max(g.credit-spent, min(g.credit, 0)) // time that no query wants leaves no debt
	default:
		earned := time.Duration(passageShare * float64(g.slots) * float64(elapsed))
		g.credit = min(g.credit+earned-spent, time.Duration(g.slots)*maxCredit)
	}
}

// grant gives free slots to those who wait.
func (g *gate) grant() {
	for g.queries.running+g.passages.running < g.slots {
		switch {
		case len(g.passages.waiting) > 0 && g.passagesFirst():
			g.passages.next()
		case len(g.queries.waiting) > 0:
			g.queries.next()
		case len(g.passages.waiting) > 0 && (g.queries.empty() || g.credit >= minCredit):
			g.passages.next()
		default:
			return
		}
	}
}

// next gives a slot to the first that waits.
func (l *lane) next() {
	close(l.waiting[0])
	l.waiting = l.waiting[1:]
	l.running++
}
