//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// load writes from several concurrent clients and records which writes were
// acknowledged. Each client creates, overwrites and deletes entries that no other
// client writes, and increments shared counters with If-Match.
type load struct {
	mu            sync.Mutex
	acked         map[string]int   // by key of a single client: the last acknowledged number, 0 if deleted
	unacked       map[string][]int // by key of a single client: later writes without a response, which may be stored
	counts        map[string]int   // by counter: acknowledged increments
	unackedCounts map[string]int   // by counter: increments without a response
	acks          int              // acknowledged writes of all kinds
	unexpected    []string         // responses that must not occur
	number        int              // the last number used
}

const (
	loadClients  = 4
	loadCounters = 2
	loadKeys     = 4 // per client
)

func newLoad() *load {
	return &load{
		acked: make(map[string]int), unacked: make(map[string][]int),
		counts: make(map[string]int), unackedCounts: make(map[string]int),
	}
}

// run runs the clients until stop is closed. Each client uses the callers in turn.
// allowed returns an error if a failed reply must not occur.
func (l *load) run(callers []caller, stop <-chan struct{}, allowed func(reply) error) *sync.WaitGroup {
	var running sync.WaitGroup
	for n := range loadClients {
		running.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				c := callers[(n+i)%len(callers)]
				var r reply
				switch key := fmt.Sprintf("own-%d-%d", n, i%loadKeys); i % 5 {
				case 0, 1, 2:
					r = l.put(c, key)
				case 3:
					r = l.remove(c, key)
				default:
					r = l.count(c, fmt.Sprintf("counter-%d", i/5%loadCounters))
				}
				if r.status >= 200 && r.status < 300 || r.status == http.StatusPreconditionFailed {
					continue
				}
				if err := allowed(r); err != nil {
					l.mu.Lock()
					l.unexpected = append(l.unexpected, err.Error())
					l.mu.Unlock()
				}
			}
		})
	}
	return &running
}

// word encodes a number as a word that every analyzer maps to one term.
func word(n int) string {
	return "w" + strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(n)) + "q"
}

func (l *load) next() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	return l.number
}

// put writes a new number to a key that no other client writes.
func (l *load) put(c caller, key string) reply {
	n := l.next()
	r := c.put(key, fmt.Sprintf("the number is %s", word(n)))
	l.recordWrite(key, n, r.status == http.StatusOK || r.status == http.StatusCreated)
	return r
}

func (l *load) remove(c caller, key string) reply {
	r := c.remove(key)
	l.recordWrite(key, 0, r.status == http.StatusNoContent || r.status == http.StatusNotFound)
	if r.status == http.StatusNotFound {
		r.status = http.StatusNoContent // no entry existed
	}
	return r
}

// recordWrite records the outcome of a write to a key that only one client writes.
func (l *load) recordWrite(key string, n int, acknowledged bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if acknowledged {
		l.acks++
		l.acked[key] = n
		delete(l.unacked, key)
		return
	}
	l.unacked[key] = append(l.unacked[key], n)
}

// count increments a counter, or creates it.
func (l *load) count(c caller, key string) reply {
	r := c.get(key)
	var write reply
	switch r.status {
	case http.StatusNotFound:
		write = c.put(key, 1, "If-None-Match", "*")
	case http.StatusOK:
		var e entry
		var n int
		if json.Unmarshal(r.body, &e) != nil || json.Unmarshal(e.Value, &n) != nil {
			return reply{err: fmt.Errorf("unreadable counter: %s", r.body)}
		}
		write = c.put(key, n+1, "If-Match", r.header.Get("ETag"))
	default:
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch write.status {
	case http.StatusOK, http.StatusCreated:
		l.acks++
		l.counts[key]++
	case http.StatusPreconditionFailed: // another client incremented it first
	default:
		l.unackedCounts[key]++
	}
	return write
}

// acknowledged returns the number of acknowledged writes.
func (l *load) acknowledged() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acks
}

// waitWrites waits until n more writes are acknowledged.
func (l *load) waitWrites(t *testing.T, n int) {
	t.Helper()
	before := l.acknowledged()
	eventually(t, func() error {
		if got := l.acknowledged() - before; got < n {
			return fmt.Errorf("%d of %d writes acknowledged", got, n)
		}
		return nil
	})
}

// check compares the stored entries, their histories and their lexical hits
// with the acknowledged writes, and returns the number of live entries.
func (l *load) check(c caller) (live int) {
	c.t.Helper()
	for _, response := range l.unexpected {
		c.t.Errorf("under load: %s", response)
	}
	for key, counted := range l.counts {
		e := read[entry](c, c.get(key), http.StatusOK)
		var n int
		if err := json.Unmarshal(e.Value, &n); err != nil {
			c.t.Fatal(err)
		}
		if n < counted || n > counted+l.unackedCounts[key] {
			c.t.Errorf("%s is %d: %d increments were acknowledged, and %d had no response", key, n, counted, l.unackedCounts[key])
		}
		if e.Version != n {
			c.t.Errorf("%s is %d in version %d", key, n, e.Version)
		}
		l.checkHistory(c, e)
		live++
	}
	for n := range loadClients {
		for i := range loadKeys {
			if l.checkOwn(c, fmt.Sprintf("own-%d-%d", n, i)) {
				live++
			}
		}
	}
	found := 0
	for _, h := range c.search("what is the number?").Hits {
		if h.Explain.Lexical != nil {
			found++
		}
	}
	if want := live - len(l.counts); found != want {
		c.t.Errorf("a search for a word of all entries finds %d of %d", found, want)
	}
	return live
}

// checkOwn checks a key of a single client and reports whether its entry is live.
func (l *load) checkOwn(c caller, key string) bool {
	c.t.Helper()
	r := c.get(key)
	acked := l.acked[key]
	matches := func(n int) bool {
		if n == 0 {
			return r.status == http.StatusNotFound
		}
		var e entry
		return r.status == http.StatusOK && json.Unmarshal(r.body, &e) == nil &&
			string(e.Value) == fmt.Sprintf("%q", "the number is "+word(n))
	}
	// A key that was never written counts as deleted: 0.
	if !matches(acked) && !slices.ContainsFunc(l.unacked[key], matches) {
		c.t.Errorf("%s: %d was acknowledged, %v had no response, but the store has %v", key, acked, l.unacked[key], r)
	}
	for _, n := range append(slices.Clone(l.unacked[key]), acked) {
		if n == 0 {
			continue
		}
		h := c.search(word(n)).hit(key)
		if found := h != nil && h.Explain.Lexical != nil; found != matches(n) {
			c.t.Errorf("%s: number %d is found: %v, is stored: %v", key, n, found, matches(n))
		}
	}
	if r.status != http.StatusOK {
		return false
	}
	l.checkHistory(c, read[entry](c, r, http.StatusOK))
	return true
}

// checkHistory checks that every version is listed, newest first.
func (l *load) checkHistory(c caller, e entry) {
	c.t.Helper()
	want := e.Version
	for cursor := ""; ; {
		page := read[struct {
			Items      []entry
			NextCursor string `json:"next_cursor"`
		}](c, c.call(http.MethodGet, memories+e.Key+"/versions?limit=100"+cursor, nil), http.StatusOK)
		for _, v := range page.Items {
			if v.Version != want {
				c.t.Errorf("%s: version %d, want %d", e.Key, v.Version, want)
			}
			want--
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	if want != 0 {
		c.t.Errorf("%s: the history ends before version %d", e.Key, want)
	}
}
