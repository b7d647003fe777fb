package e5

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// passageShare is the minimum share of all processors' time that waiting passages get,
	// however many queries there are.
	passageShare = 0.25
	// minCredit is the credit with which passages start while queries are in flight. They
	// run until it is used up, so that passages and queries do not alternate every
	// millisecond.
	minCredit = 5 * time.Millisecond
	// maxCredit bounds the credit per slot. Passages have more than minCredit left only if
	// fewer of them run than they have slots due.
	maxCredit = 4 * minCredit
	// maxDebt bounds the debt of passages that run without credit until their next pause.
	maxDebt = 200 * time.Millisecond
	// maxDeferral is how long passages leave the processors entirely to other work than
	// queries, such as writes, before they get their share while it goes on. A burst of
	// writes is shorter. It is two fifths of the lag that answers report
	// (search.LagVector).
	maxDeferral = 2 * time.Second
)

// gate shares the processors between queries and passages. A run of the model holds one
// slot of the gate, which has one slot per processor.
//
// Queries come first, since a caller waits for their answer. While a query is running or
// waiting for a slot, or other urgent work of the process is in progress (hold), passages
// run on credit only. Credit grows by passageShare of the slots' time while both passages
// and such work exist, and shrinks by the time that passages run, also between queries.
// Passages with enough credit take a free slot, or else the slot of a query, which gets
// the next free one. So an endless stream of queries leaves passages their share, and
// passages slow queries down by no more than that. If only hold is in effect, passages
// earn no credit for the first maxDeferral, unless a caller waits for them; the same time
// without hold resets this deferral.
//
// Short queries overtake long ones, running ones at their next pause: each query is due
// once other queries have run patience times its own number of tokens. So a long query
// delays short ones by at most a pause, and waits for a bounded number of them.
type gate struct {
	slots int

	mu                sync.Mutex
	queries, passages lane
	held              int         // number of calls of hold without release
	awaited           int         // number of calls of awaitPassages without arrived
	due               *time.Timer // calls grant once passages have the credit to run; nil: not set
	credit            time.Duration
	deferred          time.Duration // used part of maxDeferral
	at                time.Time     // time up to which credit is counted
}

// patience bounds the work of other queries that run before a query, as a multiple of its
// own work. A short query still overtakes the last of that many concurrent long queries.
const patience = 16

// lane holds the runs of one kind.
type lane struct {
	running int
	waiting []*run // in the order of due
	done    int    // tokens of all completed runs
}

// run is a run of the model: a query or a batch of passages.
type run struct {
	lane     *lane
	tokens   int
	due      int           // the value of lane.done at which its turn should come
	turn     chan struct{} // closed when it gets a slot, or joins a pass
	question *question     // nil: it cannot join a pass
	begun    bool          // whether it has had a slot
	pass     *pass         // the pass that it joined or leads; nil: none
}

func (l *lane) empty() bool { return l.running == 0 && len(l.waiting) == 0 }

// hold makes passages run on credit only, as during a query, until release.
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

// awaitPassages lets passages earn their share during hold at once, until arrived.
func (g *gate) awaitPassages() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	g.awaited++
	if g.due != nil && g.due.Stop() {
		g.due = nil // they have the credit earlier now
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

// deferral returns how long passages will not earn credit.
func (g *gate) deferral() time.Duration {
	if g.awaited > 0 || g.held == 0 || !g.queries.empty() {
		return 0
	}
	return maxDeferral - g.deferred
}

// idle reports whether only passages wait.
func (g *gate) idle() bool { return g.queries.empty() && g.held == 0 }

// enter waits for a slot for a run of a number of tokens. After an error the run holds
// none.
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
		r.pass.giveUp() // the context ended as it joined
		return ctx.Err()
	}
	g.count()
	if i := slices.Index(r.lane.waiting, r); i >= 0 {
		r.lane.waiting = slices.Delete(r.lane.waiting, i, i+1)
	} else {
		r.lane.running-- // the context ended as it got the slot
	}
	g.grant()
	return ctx.Err()
}

// leave releases a slot.
func (g *gate) leave(r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	r.lane.running--
	r.lane.done += r.tokens
	g.grant()
}

// pause is called by a run every millisecond or so. If it is another run's turn, the run
// releases its slot and waits, ahead of runs that have not begun and are due no earlier.
// After an error it holds none.
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

// stays reports whether a run may continue in its slot.
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

// passagesFirst reports whether waiting passages come before queries: they have the
// credit, and hold fewer slots than their share.
func (g *gate) passagesFirst() bool {
	return g.credit >= minCredit && float64(g.passages.running) < passageShare*float64(g.slots)
}

// count updates the credit. The caller calls it before it changes anything else.
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

// spend reduces the credit to at least 0, since nothing is earned meanwhile.
func (g *gate) spend(spent time.Duration) { g.credit = max(g.credit-spent, min(g.credit, 0)) }

// grant gives free slots to waiting runs.
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

// wakeLater calls grant once waiting passages have the credit. While queries run, their
// pauses call grant instead.
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

// wait adds a run to the waiting runs, after those that are due at the same time, or
// before them.
func (l *lane) wait(r *run, before bool) {
	r.turn = make(chan struct{})
	at := slices.IndexFunc(l.waiting, func(w *run) bool { return w.due > r.due || before && w.due == r.due })
	if at < 0 {
		at = len(l.waiting)
	}
	l.waiting = slices.Insert(l.waiting, at, r)
}

// next gives a slot to the first waiting run.
func (l *lane) next() {
	r := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.running++
	r.begun = true
	close(r.turn)
}
