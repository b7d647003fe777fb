//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"mneme/test/faults/oracle"
)

// fact is a grant or a membership that a test repeatedly creates and revokes, with
// the reader whose access depends on it.
type fact struct {
	*trial
	store, reader, owner string
	make                 string // the path of its PUT and DELETE
	body                 any
	holds                oracle.Fact
	turn                 int
}

// step creates or revokes the fact and checks the reader's access.
func (f *fact) step(to *server) bool {
	f.turn++
	owner := f.caller(to, f.owner, "PUBLIC")
	holds := f.turn%2 == 1
	var r reply
	if holds {
		r = owner.call(http.MethodPut, f.make, f.body)
	} else {
		r = owner.call(http.MethodDelete, f.make, nil)
	}
	switch r.status {
	case http.StatusOK, http.StatusNoContent:
	case http.StatusNotFound: // there was none
		if !f.holds.May(false) {
			f.violation("a grant was lost: %v", r)
		}
	case 0:
	default:
		f.unexpected(f.make, r)
	}
	f.count("share or unshare", r.status)
	f.holds.Set(holds, r.status != 0)
	return r.status != 0 && f.check(to)
}

// check compares the reader's results of a get, a list and a search with the fact.
// It returns false if a call was cut off.
func (f *fact) check(to *server) bool {
	reader := f.caller(to, f.reader, "PUBLIC")
	replies := []reply{
		reader.call(http.MethodGet, "/v1/stores/"+f.store+"/memories/anchor", nil),
		reader.call(http.MethodGet, "/v1/stores/"+f.store+"/memories", nil),
		reader.call(http.MethodPost, "/v1/search", map[string]any{"query": "anchor of all readers", "stores": []string{f.store}}),
	}
	for _, r := range replies {
		switch r.status {
		case http.StatusOK, http.StatusForbidden:
			if err := f.holds.See(r.status == http.StatusOK); err != nil {
				f.violation("%s of %s: %v: %v", f.reader, f.store, err, r)
			}
		case 0:
			return false
		default:
			f.unexpected(f.reader, r)
		}
	}
	return true
}

// total is a number that several agents increment through several servers.
type total struct {
	*trial
	agent, number string
	count         oracle.Counter
}

// step increments the number with a precondition.
func (n *total) step(to *server) bool {
	c := n.caller(to, n.agent, "PUBLIC")
	at := "/v1/stores/ada/memories/" + n.number
	r := c.call(http.MethodGet, at, nil)
	if r.status != http.StatusOK {
		if r.status != 0 {
			n.unexpected("reading the total", r)
		}
		return false
	}
	value, _, err := numberIn(r)
	if err != nil {
		n.violation("%v", err)
		return false
	}
	switch w := c.call(http.MethodPut, at, map[string]any{"value": value + 1}, "If-Match", r.header.Get("ETag")); w.status {
	case http.StatusOK:
		n.count.Acked++
		n.trial.count("increment", w.status)
	case http.StatusPreconditionFailed: // another client was first
		n.stats.add("calls: increments that lost a race", 1)
	case 0:
		n.count.Unknown++
		n.trial.count("increment", 0)
		return false
	default:
		n.unexpected("incrementing the total", w)
		return false
	}
	return true
}

func numberIn(r reply) (value, version int, err error) {
	var e entry
	if err := json.Unmarshal(r.body, &e); err != nil {
		return 0, 0, err
	}
	return value, e.Version, json.Unmarshal(e.Value, &value)
}

// check compares the number with the increments of all agents.
func (n *total) check(to *server, all []*total) {
	r := n.caller(to, n.agent, "PUBLIC").call(http.MethodGet, "/v1/stores/ada/memories/"+n.number, nil)
	value, version, err := numberIn(r)
	if err != nil {
		n.violation("the total: %v: %v", err, r)
		return
	}
	var sum oracle.Counter
	for _, one := range all {
		sum.Acked += one.count.Acked
		sum.Unknown += one.count.Unknown
		one.count = oracle.Counter{}
	}
	if err := sum.See(value, version-1); err != nil { // version 1 is 0
		n.violation("%v", err)
	}
	n.count = sum
}

// purge erases all entries deleted so far.
func (r *trial) purge(to *server) bool {
	platform := r.caller(to, "platform", "PUBLIC")
	before := time.Now().Add(-time.Millisecond).UTC().Truncate(time.Microsecond)
	done := r.purges.begin(before)
	got := platform.call(http.MethodPost, "/v1/admin/purge", map[string]any{"before": before},
		"Idempotency-Key", fmt.Sprint("purge-", r.counter.Add(1)))
	r.count("purge", got.status)
	switch got.status {
	case http.StatusOK:
		done()
	case 0:
		return false
	default:
		r.unexpected("purge", got)
		return false
	}
	select { // a pause, in which other clients find deleted entries to restore
	case <-r.t.Context().Done():
		return false
	case <-time.After(400 * time.Millisecond):
		return true
	}
}

// purgeLog records all purges. It is safe for concurrent use.
type purgeLog struct {
	mu   sync.Mutex
	done oracle.Purges
}

// distant is later than the end of any test.
var distant = time.Now().Add(24 * time.Hour)

// begin records a purge that begins now. done records its acknowledgement.
func (l *purgeLog) begin(cutoff time.Time) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.done)
	l.done = append(l.done, oracle.Purge{Cutoff: cutoff, At: oracle.Window{From: time.Now(), To: distant}})
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.done[n].At.To, l.done[n].Acked = time.Now(), true
	}
}

// settle records that the purges that were cut off had ended at the time dead.
func (l *purgeLog) settle(dead time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.done {
		if !l.done[i].Acked && l.done[i].At.To.Equal(distant) {
			l.done[i].At.To = dead
		}
	}
}

func (l *purgeLog) all() oracle.Purges {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.done)
}

// etagLog is an oracle.ETags for concurrent use.
type etagLog struct {
	mu   sync.Mutex
	tags oracle.ETags
}

func (l *etagLog) see(id string, version int, tag string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tags.See(id, version, tag)
}
