//go:build unix

package faults

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/test/faults/oracle"
	"mneme/test/faulttest"
	"mneme/test/mnemetest"
	"mneme/test/size"
)

// trial is one database under a load of many clients. Its processes are killed
// repeatedly.
type trial struct {
	*database
	rng       *rand.Rand
	realModel bool
	plain     bool // the load has only clients, without sharing, purging and counting
	stats     *stats

	servers []*server // one or two
	started int       // number of started processes, for their names
	clients []*client
	facts   []*fact
	totals  []*total
	counter atomic.Int64 // the last number used
	purges  purgeLog
	etags   etagLog
	faulty  atomic.Bool // a fault is active: calls may be refused with 503
	unclear bool        // a refused call may have happened: its commit was cut off

	mu     sync.Mutex
	tokens map[string]string
}

// server is one `mneme serve`, with a proxy between the clients and it.
type server struct {
	*mnemetest.Process
	name  string
	proxy *faulttest.FaultProxy
}

// newTrial returns a trial. Its seed and number determine all of its random
// choices, but not how its processes and clients are scheduled.
func newTrial(t *testing.T, on stack, seed, number uint64, s *stats) *trial {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, number)) //nolint:gosec // reproducible
	realModel := rng.IntN(8) == 0
	r := &trial{
		database: newDatabase(t, on, realModel), rng: rng, realModel: realModel, stats: s,
		servers: make([]*server, 1+rng.IntN(2)), tokens: make(map[string]string),
	}
	newClient := func(agent, taint string, stores ...string) {
		c := &client{
			trial: r, name: fmt.Sprintf("c%d-", len(r.clients)), agent: agent, taint: taint,
			candidates: oracle.New(), rng: rand.New(rand.NewPCG(seed, number<<8+uint64(len(r.clients)))), //nolint:gosec // reproducible
			values: make(map[oracle.Path][]string), tags: make(map[oracle.Path][]string),
		}
		for _, store := range stores {
			for i := range size.Of(4, 8) / len(stores) {
				c.lasting = append(c.lasting, oracle.Path{Store: store, Key: fmt.Sprintf("%snote-%d", c.name, i)})
			}
			c.fleeting = append(c.fleeting, oracle.Path{Store: store, Key: c.name + "fleeting"})
		}
		r.clients = append(r.clients, c)
	}
	newClient("ada", "PUBLIC", "ada")
	newClient("ada", "CONFIDENTIAL", "ada")
	newClient("bob", "INTERNAL", "bob")
	newClient("bob", "PUBLIC", "bob", "ada") // by a grant of ada
	r.facts = []*fact{
		{trial: r, store: "ada", reader: "guest", owner: "ada", make: "/v1/stores/ada/grants/guest", body: map[string]any{"level": "read"}},
		{trial: r, store: "room", reader: "visitor", owner: "platform", make: "/v1/chats/room/participants/visitor", body: map[string]any{}},
	}
	r.totals = []*total{{trial: r, agent: "ada", number: "total-0"}, {trial: r, agent: "bob", number: "total-0"}}
	return r
}

// calm reduces the load to clients, without sharing, purging and counting. In a small
// run it keeps only the first two clients, which use one store at two labels.
func (r *trial) calm() {
	r.plain, r.clients = true, r.clients[:size.Of(2, len(r.clients))]
}

// word returns a new unique word.
func (r *trial) word() string { return word(int(r.counter.Add(1))) }

// violation fails the test because the service broke a promise.
func (r *trial) violation(format string, args ...any) {
	r.t.Helper()
	r.stats.add("violations", 1)
	r.t.Errorf(format, args...)
}

// unexpected records a failure that no fault explains.
func (r *trial) unexpected(what any, got reply) { r.violation("%+v failed: %v", what, got) }

// count counts the outcome of a call.
func (r *trial) count(kind string, status int) {
	switch {
	case status == 0:
		r.stats.add("calls: cut off", 1)
	case status < 300:
		r.stats.add(acknowledged, 1)
		r.stats.add("writes: acknowledged, "+kind, 1)
	default:
		r.stats.add("calls: refused by a rule", 1)
	}
}

// caller returns an agent that calls a server.
func (r *trial) caller(to *server, agent, taint string) remote {
	r.mu.Lock()
	defer r.mu.Unlock()
	signed, ok := r.tokens[agent+taint]
	if !ok {
		var err error
		if signed, err = r.token(agent, taint); err != nil {
			r.t.Error(err)
		}
		r.tokens[agent+taint] = signed
	}
	return remote{r.t, "http://" + to.proxy.Addr(), signed}
}

// token returns a token of an agent with a label.
func (r *trial) token(agent, taint string) (string, error) {
	label, err := acl.ParseLabel(taint)
	if err != nil {
		return "", err
	}
	return r.mint(acl.Principal{Agent: agent, Taint: label, Platform: agent == "platform", Share: agent != "platform"})
}

// remote is an agent that calls a server.
type remote struct {
	t              *testing.T
	address, token string
}

func (a remote) call(method, path string, body any, headers ...string) reply {
	return exchange(a.t.Context(), method, a.address+path, a.token, body, headers...)
}

// launch starts the i-th server.
func (r *trial) launch(i int) *server {
	r.started++
	name := fmt.Sprintf("mneme-%d", r.started)
	r.servers[i] = &server{Process: mnemetest.Launch(r.t, r.command(name, "serve", "--addr", "127.0.0.1:0", "--json")), name: name}
	return r.servers[i]
}

// start starts the i-th server, and moves its share of the clients to it. The server
// must start, whatever a kill interrupted before.
func (r *trial) start(i int) bool {
	s := r.launch(i)
	if err := s.AwaitListening(); err != nil {
		r.violation("after a kill, mneme does not start: %v: %s", err, s.Log.Last(30))
		return false
	}
	s.proxy = faulttest.NewFaultProxy(r.t, strings.TrimPrefix(s.Address, "http://"))
	for n, c := range r.clients {
		if n%len(r.servers) == i {
			c.to = s
		}
	}
	return true
}

// kill kills a server and waits until it cannot commit any more. Half of the
// time, it also drops the server's last answers, so that more of the cut-off calls
// have happened.
func (r *trial) kill(s *server) {
	if s.proxy != nil && r.rng.IntN(2) == 0 {
		r.stats.add("kills: with the last answers lost", 1)
		s.proxy.Discard(true)
		time.Sleep(time.Duration(r.rng.IntN(40)) * time.Millisecond) // a random instant
	}
	s.Kill()
	if s.proxy != nil {
		s.proxy.Disable()
	}
	r.stats.add("kills", 1)
	if err := r.waitGone(s.name); err != nil {
		r.t.Fatal(err)
	}
	if strings.Contains(s.Log.String(), "panic:") {
		r.violation("mneme panicked: %s", s.Log.Last(50))
	}
	if said := uniqueWord.FindString(s.Log.String()); said != "" {
		r.violation("the log contains text of a memory: %s", said)
	}
}

// killDuringStart starts a server and kills it before, or shortly after, it is ready.
func (r *trial) killDuringStart(i int) {
	s := r.launch(i)
	time.Sleep(time.Duration(r.rng.IntN(300)) * time.Millisecond) // a random instant
	r.kill(s)
	r.stats.add("kills: during the start", 1)
}

// prepare creates the grants that the clients need, and the entries that readers
// search for.
func (r *trial) prepare() {
	to := r.servers[0]
	must := func(got reply, want int) {
		if got.status != want {
			r.t.Fatalf("prepare: %v", got)
		}
	}
	ada, platform := r.caller(to, "ada", "PUBLIC"), r.caller(to, "platform", "PUBLIC")
	must(ada.call(http.MethodPut, "/v1/stores/ada/grants/bob", map[string]any{"level": "readwrite"}), http.StatusOK)
	must(platform.call(http.MethodPut, "/v1/chats/room/participants/host", map[string]any{}), http.StatusNoContent)
	note := map[string]any{"value": "the anchor of all readers"}
	must(ada.call(http.MethodPut, "/v1/stores/ada/memories/anchor", note), http.StatusCreated)
	must(r.caller(to, "host", "PUBLIC").call(http.MethodPut, "/v1/stores/room/memories/anchor", note), http.StatusCreated)
	must(ada.call(http.MethodPut, "/v1/stores/ada/memories/total-0", map[string]any{"value": 0}), http.StatusCreated)
}

// load runs all clients until stop is closed. The clients of a killed server end on
// their own.
func (r *trial) load(stop <-chan struct{}) *sync.WaitGroup {
	var running sync.WaitGroup
	loop := func(step func() bool) {
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if !step() {
					return
				}
			}
		})
	}
	for _, c := range r.clients {
		loop(c.step)
	}
	if r.plain {
		return &running
	}
	for i, f := range r.facts {
		to := r.servers[i%len(r.servers)]
		loop(func() bool { return f.step(to) })
	}
	for i, n := range r.totals {
		to := r.servers[i%len(r.servers)]
		loop(func() bool { return n.step(to) })
	}
	last := r.servers[len(r.servers)-1]
	loop(func() bool { return r.purge(last) })
	return &running
}

// loadUntil runs the clients until done returns nil.
func (r *trial) loadUntil(done func() error) {
	r.t.Helper()
	stop := make(chan struct{})
	running := r.load(stop)
	err := poll(r.t.Context(), done)
	close(stop)
	running.Wait()
	if err != nil {
		r.t.Fatal(err)
	}
}

// more returns a function that returns nil once a count has grown by n since the
// call of more.
func (s *stats) more(name string, n int) func() error {
	before := s.get(name)
	return func() error {
		if got := s.get(name) - before; got < n {
			return fmt.Errorf("%d of %d %s", got, n, name)
		}
		return nil
	}
}

// round runs the clients, kills one or all servers at a random instant, starts them
// again, and checks everything.
func (r *trial) round() {
	stop := make(chan struct{})
	running := r.load(stop)
	time.Sleep(time.Duration(30+r.rng.IntN(size.Of(400, 1200))) * time.Millisecond) // a random instant
	all := r.rng.IntN(2) == 0
	victim := r.rng.IntN(len(r.servers))
	var dead []int
	for i, s := range r.servers {
		if all || i == victim {
			r.kill(s)
			dead = append(dead, i)
		}
	}
	switch {
	case len(dead) == 2:
		r.stats.add("kills: of two processes at once", 1)
	case len(r.servers) == 2:
		r.stats.add("kills: of one of two processes", 1)
	}
	close(stop)
	running.Wait()
	at := time.Now()
	if r.rng.IntN(4) == 0 {
		r.killDuringStart(dead[0])
	}
	for _, i := range dead {
		if !r.start(i) {
			return
		}
	}
	r.purges.settle(at)
	for _, c := range r.clients {
		c.settle(at)
	}
	r.check()
}

// check compares the visible state of the service with the clients' candidates, at
// once and again when the queue is empty.
func (r *trial) check() {
	for _, c := range r.clients {
		c.check(false)
	}
	for i, f := range r.facts {
		f.check(r.servers[i%len(r.servers)])
	}
	for _, n := range r.totals[:1] {
		n.check(r.servers[0], r.totals)
	}
	if r.t.Failed() {
		return
	}
	r.awaitEmptyQueue()
	for _, c := range r.clients {
		c.checkVectors()
	}
	r.checkRows()
}
