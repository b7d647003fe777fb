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
	// minCredit is the credit that passages need to start while queries are in flight. They
	// then run until it is used up. Otherwise passages and queries would alternate every
	// millisecond.
	minCredit = 5 * time.Millisecond
	// maxCredit bounds the credit, per slot. Credit above minCredit is left over only if fewer
	// passages run than slots are due to them.
	maxCredit = 4 * minCredit
	// maxDebt bounds how far the credit of passages may become negative: passages without
	// credit run on until their next pause.
	maxDebt = 200 * time.Millisecond
	// maxDeferral is how long passages leave the processors entirely to urgent work other than
	// queries, such as writes. If that work goes on, they then get their share. A burst of
	// writes is shorter than this. It is two fifths of the lag from which searches report that
	// vectors are late (search.LagVector).
	maxDeferral = 2 * time.Second
)

// gate shares the processors between queries and passages. A run of the model holds one
// slot of the gate, which has one slot per processor.
//
// Queries come first, since a caller waits for their answer. Urgent work is a query that runs
// or waits for a slot, or other work that is announced by hold. During urgent work, passages
// run on credit only. Credit grows by passageShare of the slots' time while there are both
// passages and urgent work, and shrinks by the time for which passages run, also between
// queries. Passages with enough credit take a free slot, or else the slot of a query; that
// query then gets the next free one. So an endless stream of queries leaves passages their
// share, and passages slow queries down by no more than that. If hold is the only urgent work,
// passages earn no credit for the first maxDeferral, unless a caller waits for them. As long a
// time without hold resets this deferral.
//
// Short queries overtake long ones, even a running one at its next pause. Each query is due
// once other queries have run patience times its own number of tokens. So a long query delays a
// short one by at most a pause, and only a bounded number of short queries can overtake it.
type gate struct {
	slots int

	mu                sync.Mutex
	queries, passages lane
	held              int         // number of calls of hold without release
	awaited           int         // number of calls of awaitPassages without arrived
	due               *time.Timer // calls grant once passages have the credit to run; nil: not set
	credit            time.Duration
	deferred          time.Duration // how much of maxDeferral is used up
	at                time.Time     // time up to which credit is counted
}

// patience bounds the work of other queries that overtake a query, as a multiple of its own
// work. With this value, a short query still overtakes the last of 16 concurrent long
// queries.
const patience = 16

// lane holds the runs of one kind.
type lane struct {
	running int
	waiting []*run // ordered by due
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

// hold makes passages run on credit only, as during a query. release ends it.
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

// awaitPassages lets passages earn their share at once during hold. arrived ends it.
func (g *gate) awaitPassages() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count()
	g.awaited++
	if g.due != nil && g.due.Stop() {
		g.due = nil // passages may have enough credit earlier now
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

// deferral returns for how long passages will not earn credit from now on.
func (g *gate) deferral() time.Duration {
	if g.awaited > 0 || g.held == 0 || !g.queries.empty() {
		return 0
	}
	return maxDeferral - g.deferred
}

// idle reports whether there is no urgent work.
func (g *gate) idle() bool { return g.queries.empty() && g.held == 0 }

// enter waits for a slot for a run with a number of tokens. With an error, the run has no slot.
func (g *gate) enter(ctx context.Context, l *lane, tokens int) (*run, error) {
	r := &run{lane: l, tokens: tokens}
	return r, g.admit(ctx, r)
}

// admit puts a new run into its lane and waits for its slot.
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

// await waits until a run gets its slot or joins a pass.
func (g *gate) await(ctx context.Context, r *run) error {
	select {
	case <-r.turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.pass != nil && !r.begun {
		r.pass.giveUp() // the context ended just when the run joined the pass
		return ctx.Err()
	}
	g.count()
	if i := slices.Index(r.lane.waiting, r); i >= 0 {
		r.lane.waiting = slices.Delete(r.lane.waiting, i, i+1)
	} else {
		r.lane.running-- // the context ended just when the run got the slot
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

// pause is called by a run about every millisecond. If it is another run's turn, this run
// releases its slot and waits, ahead of runs that have not begun and are not due earlier. With
// an error, it has no slot.
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

// stays reports whether a run may keep its slot after a pause.
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

// passagesFirst reports whether waiting passages come before waiting queries: they have enough
// credit, and hold fewer slots than their share.
func (g *gate) passagesFirst() bool {
	return g.credit >= minCredit && float64(g.passages.running) < passageShare*float64(g.slots)
}

// count updates the credit for the time since the last call. It must be called before any state
// of the gate changes.
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

// spend reduces the credit, but not below 0: at this time passages may run without credit.
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

// wakeLater sets a timer that calls grant when waiting passages have enough credit. While
// queries run, no timer is needed: their pauses call grant.
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

// wait adds a run to the waiting runs. If others have the same due, it comes before or after
// them, as before says.
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
