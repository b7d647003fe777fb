package backendtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/indexer"
	"mneme/memory"
)

// Clock is a clock that a test advances. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows noon of 1 March 2026, UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Fixture is a Process under test, with its clock.
type Fixture struct {
	*Process
	Clock *Clock // nil if the options have a clock
	t     testing.TB
}

// Open opens a Service over a fresh database of b. It sets Clock unless the
// options have a clock. The first embedder is the configured one; without any,
// searches are lexical. The Service is closed when the test ends.
func Open(t testing.TB, b Backend, options Options, embedders ...embed.Embedder) *Fixture {
	t.Helper()
	var clock *Clock
	if options.Memory.Now == nil {
		clock = NewClock()
		options.Memory.Now = clock.Now
	}
	f := OpenOver(t, b.Open(t), options, embedders...)
	f.Clock = clock
	return f
}

// OpenOver opens a Service over a database that other Services may use, like
// another process. Unless the options have a clock, it uses the system's.
func OpenOver(t testing.TB, data *Data, options Options, embedders ...embed.Embedder) *Fixture {
	t.Helper()
	var models []indexer.Model
	for _, e := range embedders {
		models = append(models, data.Model(t, e))
	}
	if options.Second != nil {
		options.Multilingual = []indexer.Model{data.Model(t, options.Second)}
	}
	return Wrap(t, OpenProcess(t, data.Storage(t), options, models...))
}

// Wrap returns a Fixture for a Process that the test has opened itself.
func Wrap(t testing.TB, p *Process) *Fixture { return &Fixture{Process: p, t: t} }

// For returns the Fixture with another TB, for a part of its test such as an input of
// a fuzz target.
func (f *Fixture) For(t testing.TB) *Fixture { return &Fixture{f.Process, f.Clock, t} }

// Index processes the indexing queue until it is empty.
func (f *Fixture) Index() {
	f.t.Helper()
	if err := f.Drain(context.Background(), nil); err != nil {
		f.t.Fatal(err)
	}
}

// Principal returns a principal with only a name and a taint.
func Principal(agent string, taint acl.Label) acl.Principal {
	return acl.Principal{Agent: agent, Taint: taint}
}

// SetUpAccess makes the agents reader and other participants of the chat room.
// It grants reader the store lender at level read, up to PUBLIC, and the store
// seller at level search.
func (f *Fixture) SetUpAccess() {
	f.t.Helper()
	ctx := context.Background()
	platform := memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}, Internal: true}
	for _, member := range []string{"reader", "other"} {
		f.must(f.PutParticipant(ctx, platform, "room", member, nil))
	}
	_, err := f.Share(ctx, memory.Caller{Principal: Principal("lender", acl.Public), Internal: true}, memory.ShareRequest{Store: "lender", Grantee: "reader", Level: acl.Read})
	f.must(err)
	_, err = f.AcceptGrant(ctx, memory.Caller{Principal: Principal("reader", acl.Public), Internal: true}, "lender")
	f.must(err)
	f.Lend("seller", "reader", acl.Search)
}

// Lend shares an agent's own store at every label, so that every session of the grantee
// has access up to the session's label, and accepts the grant.
func (f *Fixture) Lend(store, grantee string, level acl.Level) {
	f.t.Helper()
	ctx := context.Background()
	for label := acl.Public; label <= acl.Restricted; label++ {
		_, err := f.Share(ctx, memory.Caller{Principal: Principal(store, label), Internal: true}, memory.ShareRequest{Store: store, Grantee: grantee, Level: level})
		f.must(err)
	}
	_, err := f.AcceptGrant(ctx, memory.Caller{Principal: Principal(grantee, acl.Public), Internal: true}, store)
	f.must(err)
}

func (f *Fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}
