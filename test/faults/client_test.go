//go:build unix

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mneme/test/faults/oracle"
)

// client makes one call at a time on paths that only it writes, and tracks
// their possible states.
type client struct {
	*trial
	name       string // prefix of its keys
	agent      string
	taint      string
	lasting    []oracle.Path // paths of entries without a time to live
	fleeting   []oracle.Path // paths of entries with a short time to live, which it never deletes
	candidates oracle.Candidates
	rng        *rand.Rand
	to         *server  // the server that it calls
	pending    *pending // the call that was cut off; nil: none
	latest     *pending // the latest call, if it had an Idempotency-Key and succeeded
	values     map[oracle.Path][]string
	tags       map[oracle.Path][]string // ETags, the latest last
	undecided  bool                     // only later reads show whether the latest call happened
}

// Names of counts of acknowledged writes and of calls refused with 503.
const (
	acknowledged = "writes: acknowledged"
	refusals     = "calls: refused with 503 during a fault"
)

// pending is a call without an answer.
type pending struct {
	call oracle.Call
	key  string // its Idempotency-Key; "" if it had none
	from time.Time

	answer oracle.Answer // if it was answered
}

func (c *client) paths() []oracle.Path { return slices.Concat(c.lasting, c.fleeting) }

// newValue returns a value with a new unique word. One in six is long enough for
// several chunks.
func (c *client) newValue() string {
	text := "a note about " + c.word()
	if c.rng.IntN(6) == 0 {
		text += strings.Repeat("\nThe long rest of it says little, and says it at some length, like most notes.", 60)
	}
	return text
}

// pick returns one of the lasting paths, usually one whose slot fits.
func (c *client) pick(fits func(oracle.Slot) bool) (path oracle.Path) {
	for range 4 {
		path = c.lasting[c.rng.IntN(len(c.lasting))]
		if fits(c.candidates[0][path]) {
			break
		}
	}
	return path
}

// next chooses a call, usually one that can succeed.
func (c *client) next() (call oracle.Call, idempotent bool) {
	live := func(s oracle.Slot) bool { return s.Live != nil }
	empty := func(s oracle.Slot) bool { return s.Live == nil }
	path := c.lasting[c.rng.IntN(len(c.lasting))]
	put := oracle.Call{Kind: oracle.Put, Path: path, Value: c.newValue()}
	switch n := c.rng.IntN(100); {
	case n < 30:
		return put, false
	case n < 45:
		put.If = oracle.Condition(1 + c.rng.IntN(3))
		if put.If != oracle.Absent && len(c.tags[path]) < 2 {
			put.If = oracle.Absent
		}
		return put, false
	case n < 53:
		put.Path = c.fleeting[c.rng.IntN(len(c.fleeting))]
		put.TTL = time.Duration(1+c.rng.IntN(3)) * time.Second
		return put, false
	case n < 65:
		return oracle.Call{Kind: oracle.Delete, Path: c.pick(live)}, false
	case n < 75:
		path = c.pick(func(s oracle.Slot) bool { return s.Live == nil && len(s.Trash) > 0 })
		return oracle.Call{Kind: oracle.Undelete, Path: path}, true
	case n < 83:
		version := 1
		path = c.pick(live)
		if e := c.candidates[0][path].Live; e != nil {
			version = 1 + c.rng.IntN(len(e.Values))
		}
		return oracle.Call{Kind: oracle.Revert, Path: path, Version: version, Keep: keepVersions}, true
	case n < 92:
		path, to := c.pick(live), c.pick(empty)
		if to == path {
			return put, false
		}
		return oracle.Call{Kind: oracle.Rename, Path: path, To: to}, true
	}
	lines := oracle.Call{Kind: oracle.Import, Path: oracle.Path{Store: path.Store}}
	for _, other := range c.lasting {
		if other.Store == path.Store && c.rng.IntN(2) == 0 {
			lines.Lines = append(lines.Lines, oracle.Call{Kind: oracle.Put, Path: other, Value: c.newValue()})
		}
	}
	return lines, true
}

// step makes a call, or reads a path, and records the result. It returns false
// if the call was cut off.
func (c *client) step() bool {
	if c.rng.IntN(4) == 0 {
		return c.readPath()
	}
	if c.rng.IntN(4) == 0 && c.latest != nil {
		return c.repeat()
	}
	call, idempotent := c.next()
	p := &pending{call: call, from: time.Now()}
	if idempotent {
		p.key = fmt.Sprintf("%s-%d", c.name, c.counter.Add(1))
	}
	for _, put := range append([]oracle.Call{call}, call.Lines...) {
		if put.Kind == oracle.Put {
			c.values[put.Path] = append(c.values[put.Path], put.Value)
		}
	}
	r := c.send(call, p.key)
	return c.record(p, r)
}

// record records the answer to a call.
func (c *client) record(p *pending, r reply) bool {
	answer, refused := c.answerOf(p.call, r)
	if refused {
		return true
	}
	c.count(string(p.call.Kind), answer.Status)
	c.latest = nil
	if answer.Status == 0 {
		c.pending = p
		return c.faulty.Load() && c.resolve()
	}
	if p.key != "" && answer.Status < 300 {
		p.answer, c.latest = answer, p
	}
	next, err := c.candidates.Do(p.call, oracle.Window{From: p.from, To: time.Now()}, answer, c.purges.all())
	if err != nil {
		c.violation("%s: %v: %v", c.name, err, r)
	}
	c.candidates = next
	if tag := r.header.Get("ETag"); tag != "" && answer.Status < 300 {
		path := p.call.Path
		if p.call.Kind == oracle.Rename {
			path = p.call.To
		}
		c.sawTag(path, answer.ID, answer.Version, tag)
	}
	return true
}

// repeat sends the latest call again, with its key. The answer must be the same as
// the first time. Later reads check that the call did not happen twice.
func (c *client) repeat() bool {
	r := c.send(c.latest.call, c.latest.key)
	switch answer, refused := c.answerOf(c.latest.call, r); {
	case refused:
	case answer.Status == 0:
		return false // a repeated call changes nothing
	case answer != c.latest.answer:
		c.violation("%s: a %s was answered with %+v, and its repetition with the same key with %v", c.name, c.latest.call.Kind, c.latest.answer, r)
	default:
		c.stats.add("calls: answered, sent again with the same key", 1)
	}
	return true
}

// resolve settles a call that was cut off when the database ended, as soon as the
// service answers again.
func (c *client) resolve() bool {
	for c.pending != nil {
		err := poll(c.t.Context(), func() error {
			_, err := c.views(false)
			return err
		})
		if err != nil {
			c.violation("%s: the service does not recover: %v", c.name, err)
			return false
		}
		c.settle(time.Now())
	}
	if err := poll(c.t.Context(), func() error { return c.tryCheck(false) }); err != nil {
		c.violation("%s: %v", c.name, err)
		return false
	}
	return true
}

func (c *client) sawTag(path oracle.Path, id string, version int, tag string) {
	if err := c.etags.see(id, version, tag); err != nil {
		c.violation("%s: %v", c.name, err)
	}
	if !slices.Contains(c.tags[path], tag) {
		c.tags[path] = append(c.tags[path], tag)
	}
}

// send makes a call.
func (c *client) send(call oracle.Call, key string) reply {
	headers := []string{}
	if key != "" {
		headers = append(headers, "Idempotency-Key", key)
	}
	at := "/v1/stores/" + call.Path.Store + "/memories/" + url.PathEscape(call.Path.Key)
	switch call.Kind {
	case oracle.Put:
		tags := c.tags[call.Path]
		switch call.If {
		case oracle.Always:
		case oracle.Absent:
			headers = append(headers, "If-None-Match", "*")
		case oracle.Current:
			r := c.call(http.MethodGet, at, nil)
			if r.status == 0 {
				return r
			}
			if headers = append(headers, "If-Match", r.header.Get("ETag")); headers[1] == "" {
				headers[1] = `"none"` // no entry: 412
			}
		case oracle.Outdated:
			headers = append(headers, "If-Match", tags[0])
			if r := c.call(http.MethodGet, at, nil); r.header.Get("ETag") == tags[0] || r.status == 0 {
				headers[1] = `"none"`
			}
		}
		body := map[string]any{"value": call.Value}
		if call.TTL > 0 {
			body["ttl"] = int(call.TTL.Seconds())
		}
		if c.rng.IntN(3) == 0 {
			body["description"], body["tags"] = "one of the notes", []string{"note", c.name}
		}
		return c.call(http.MethodPut, at, body, headers...)
	case oracle.Delete:
		return c.call(http.MethodDelete, at, nil)
	case oracle.Undelete:
		return c.call(http.MethodPost, at+"/restore", map[string]any{}, headers...)
	case oracle.Revert:
		return c.call(http.MethodPost, at+"/restore", map[string]any{"version": call.Version}, headers...)
	case oracle.Rename:
		return c.call(http.MethodPost, at+"/rename", map[string]any{"to": call.To.Key, "to_store": call.To.Store}, headers...)
	default:
		var lines bytes.Buffer
		for _, put := range call.Lines {
			_ = json.NewEncoder(&lines).Encode(map[string]any{"key": put.Path.Key, "value": put.Value}) // strings
		}
		return c.call(http.MethodPost, "/v1/stores/"+call.Path.Store+"/import", lines.Bytes(), headers...)
	}
}

// call makes a request of the client's agent.
func (c *client) call(method, path string, body any, headers ...string) reply {
	return c.caller(c.to, c.agent, c.taint).call(method, path, body, headers...)
}

// answerOf decodes an answer. refused means that the service did not perform the
// call. An answer that must not occur is a violation, and its outcome is unknown.
func (c *client) answerOf(call oracle.Call, r reply) (_ oracle.Answer, refused bool) {
	switch {
	case r.status == 0:
		return oracle.Answer{}, false
	case r.status == http.StatusTooManyRequests && r.header.Get("Retry-After") != "":
		return oracle.Answer{}, true
	case r.status == http.StatusServiceUnavailable && c.faulty.Load():
		if err := r.refused(); err != nil {
			c.violation("%s: %v", c.name, err)
		}
		c.stats.add(refusals, 1)
		// A refused call did not happen, which later reads check. Lines of an import may
		// have been written: the lines and the record of the import are written in
		// separate transactions.
		return oracle.Answer{}, !c.unclear && call.Kind != oracle.Import
	case r.status >= 500 || r.status == http.StatusTooManyRequests:
		c.unexpected(call, r)
		return oracle.Answer{}, false
	case r.status >= 300 || len(r.body) == 0:
		return oracle.Answer{Status: r.status}, false
	}
	if call.Kind == oracle.Import {
		var result struct{ Created, Updated, Unchanged, Refused int }
		if err := json.Unmarshal(r.body, &result); err != nil || result.Created+result.Updated+result.Unchanged != len(call.Lines) {
			c.violation("%s: an import of %d lines answered %v", c.name, len(call.Lines), r)
		}
		return oracle.Answer{Status: r.status}, false
	}
	var e entry
	if err := json.Unmarshal(r.body, &e); err != nil {
		c.violation("%s: an unreadable answer: %v", c.name, r)
	}
	return oracle.Answer{Status: r.status, ID: e.ID, Version: e.Version, Expires: e.ExpiresAt}, false
}
