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
	// maxDebt bounds what passages owe that ran on where they had no credit, up to a pause.
	maxDebt = 200 * time.Millisecond
	// maxDeferral is how long passages leave the processors wholly to other work than
	// queries, such as writes, before they get their share beside it. A burst of writes
	// ends before. It is two fifths of the lag that answers report (search.LagVector).
	maxDeferral = 2 * time.Second
)

// gate shares the processors between queries and passages. A run of the model
// holds one of its slots, of which there is one a processor.
//
// Queries come first: someone waits for their answer. While a query is in
// flight, running or waiting for a slot, or other work of the process that someone
// waits for (hold), passages run on credit alone. Credit
// grows by passageShare of the slots' time while both are there, and shrinks by
// the time that passages run, between queries too. Passages that have enough of
// it take a free slot, else that of a query, which gets the next one back. So an
// endless stream of queries leaves passages their share, and queries are slowed
// down by no more. Beside hold alone they earn no credit for the first maxDeferral, which
// is won back in as much time without it, unless someone waits for them.
//
// Among queries a short one passes a long one, at its next pause if it runs: each
// is due once others have had patience times its own work, counted in tokens. So a
// long question delays short ones by no more than a pause, and waits for a bounded
// number of them.
type gate struct {
	slots int

	mu                sync.Mutex
	queries, passages lane
	held              int         // calls of hold without their release
	awaited           int         // calls of awaitPassages without their arrived
	due               *time.Timer // calls grant when passages have the credit to run; nil: not set
	credit            time.Duration
	deferred          time.Duration // of maxDeferral
	at                time.Time     // up to which credit is counted
}

// patience is how much work of others goes before a query at most, as a multiple of
// its own. Of as many long questions at once, the last is still passed by a short one.
const patience = 16

// lane has the runs of one kind.
type lane struct {
	running int
	waiting []*run // in the order of due
	done    int    // tokens of all runs that ended
}

// run is a run of the model: a query or a batch of passages.
type run struct {
	lane     *lane
	tokens   int
	due      int           // the value of lane.done by which its turn should come
	turn     chan struct{} // closed when it gets a slot, or joins a pass
	question *question     // nil: it runs alone
	begun    bool          // it had a slot
	pass     *pass         // that it joined, or leads; nil: none
}

func (l *lane) empty() bool { return l.running == 0 && len(l.waiting) == 0 }

// hold has passages run on credit alone, as beside a query, until release.
func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	g.held++
}

// release ends a hold.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	g.held--
	g.grant()
}

// awaitPassages has passages earn their share beside hold at once, until arrived.
func (g *gate) awaitPassages() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	g.awaited++
	if g.due != nil && g.due.Stop() {
		g.due = nil // they have the credit earlier
	}
	g.grant()
}

// arrived ends an awaitPassages.
func (g *gate) arrived() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	g.awaited--
}

// deferral returns how long passages will earn no credit yet.
func (g *gate) deferral() time.Duration {
	if g.awaited > 0 || g.held == 0 || !g.queries.empty() {
		return 0
	}
	return maxDeferral - g.deferred
}

// idle reports whether nobody waits for anything but passages.
func (g *gate) idle() bool { return g.queries.empty() && g.held == 0 }

// enter waits for a slot, for a run over some tokens. After an error the run holds none.
func (g *gate) enter(ctx context.Context, l *lane, tokens int) (*run, error) {
	r := &run{lane: l, tokens: tokens}
	return r, g.admit(ctx, r)
}

// admit is enter for a new run.
func (g *gate) admit(ctx context.Context, r *run) error {
	g.mu.Lock()
	g.count()
	r.due = r.lane.done
	if r.lane == &g.queries {
		r.due += patience * r.tokens
	}
	r.lane.wait(r, false)
	g.grant()
	g.mu.Unlock()
	return g.await(ctx, r)
}

// await waits for the turn of a run.
func (g *gate) await(ctx context.Context, r *run) error {
	select {
	case <-r.turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.pass != nil && !r.begun {
		r.pass.giveUp() // it joined as the context ended
		return ctx.Err()
	}
	g.count()
	if i := slices.Index(r.lane.waiting, r); i >= 0 {
		r.lane.waiting = slices.Delete(r.lane.waiting, i, i+1)
	} else {
		r.lane.running-- // the slot came as the context ended
	}
	g.grant()
	return ctx.Err()
}

// leave gives a slot back.
func (g *gate) leave(r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	r.lane.running--
	r.lane.done += r.tokens
	g.grant()
}

// pause is called by a run every millisecond or so. While it is another's turn,
// the run gives its slot back and waits, before those that have not begun and are
// due no earlier. After an error it holds none.
func (g *gate) pause(ctx context.Context, r *run) error {
	g.mu.Lock()
	g.count()
	if g.stays(r) {
		g.grant()
		g.mu.Unlock()
		if err := ctx.Err(); err != nil {
			g.leave(r)
			return err
		}
		return nil
	}
	r.lane.running--
	r.lane.wait(r, true)
	g.grant()
	g.mu.Unlock()
	return g.await(ctx, r)
}

// stays reports whether a run keeps its slot.
func (g *gate) stays(r *run) bool {
	if r.lane == &g.passages {
		return g.idle() || g.credit > 0
	}
	if g.queries.running+g.passages.running < g.slots {
		return true
	}
	if len(g.passages.waiting) > 0 && g.passagesFirst() {
		return false
	}
	return len(g.queries.waiting) == 0 || g.queries.waiting[0].due >= r.due
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
	if g.held == 0 {
		g.deferred = max(0, g.deferred-elapsed)
	}
	switch {
	case g.passages.empty():
	case g.idle():
		g.spend(time.Duration(g.passages.running) * elapsed)
	default:
		deferred := min(elapsed, g.deferral())
		g.deferred += deferred
		g.spend(time.Duration(g.passages.running) * deferred)
		elapsed -= deferred
		earned := time.Duration(passageShare * float64(g.slots) * float64(elapsed))
		spent := time.Duration(g.passages.running) * elapsed
		g.credit = max(-maxDebt, min(g.credit+earned-spent, time.Duration(g.slots)*maxCredit))
	}
}

// spend takes credit, but leaves no debt: nothing is earned meanwhile.
func (g *gate) spend(spent time.Duration) { g.credit = max(g.credit-spent, min(g.credit, 0)) }

// grant gives free slots to those who wait.
func (g *gate) grant() {
	for g.queries.running+g.passages.running < g.slots {
		switch {
		case len(g.passages.waiting) > 0 && g.passagesFirst():
			g.passages.next()
		case len(g.queries.waiting) > 0:
			g.queries.next()
		case len(g.passages.waiting) > 0 && (g.idle() || g.credit >= minCredit):
			g.passages.next()
		default:
			g.wakeLater()
			return
		}
	}
}

// wakeLater has passages that wait granted their slots when they have the credit. Beside
// queries, these call grant at their pauses.
func (g *gate) wakeLater() {
	if len(g.passages.waiting) == 0 || !g.queries.empty() || g.due != nil {
		return
	}
	wait := g.deferral() + time.Duration(float64(minCredit-g.credit)/(passageShare*float64(g.slots)))
	g.due = time.AfterFunc(wait, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.due = nil
		g.count()
		g.grant()
	})
}

// wait puts a run among those that wait: after those that are due as it is, or
// before them.
func (l *lane) wait(r *run, before bool) {
	r.turn = make(chan struct{})
	at := slices.IndexFunc(l.waiting, func(w *run) bool { return w.due > r.due || before && w.due == r.due })
	if at < 0 {
		at = len(l.waiting)
	}
	l.waiting = slices.Insert(l.waiting, at, r)
}

// next gives a slot to the first that waits.
func (l *lane) next() {
	r := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.running++
	r.begun = true
	close(r.turn)
}
