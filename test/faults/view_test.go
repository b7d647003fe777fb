//go:build unix

package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"mneme/search"
	"mneme/test/faults/oracle"
	"mneme/test/size"
)

// errCutOff means that a read had no answer, or that the service refused it.
var errCutOff = errors.New("the read had no answer")

// readPath reads one path under load, and searches for its latest values. It
// returns false if a read was cut off without a fault.
func (c *client) readPath() bool {
	paths := c.paths()
	path := paths[c.rng.IntN(len(paths))]
	view, err := c.view(path, c.values[path], false)
	if errors.Is(err, errCutOff) {
		return c.faulty.Load()
	}
	if err == nil {
		view.NoTrash = true
		c.candidates, err = c.candidates.See([]oracle.View{view}, c.purges.all())
	}
	if err != nil {
		c.violation("%s under load: %v", c.name, err)
	}
	return true
}

// settle resolves the call that was cut off. It sends half of the calls with an
// Idempotency-Key again: they must have happened once. The outcome of other calls
// shows only in later reads. dead is the time after which no process can still run
// the call.
func (c *client) settle(dead time.Time) {
	p := c.pending
	c.pending = nil
	if p == nil {
		if c.latest != nil {
			c.repeat()
		}
		return
	}
	if p.key != "" && c.rng.IntN(2) == 0 {
		r := c.send(p.call, p.key)
		if r.status == http.StatusServiceUnavailable && c.faulty.Load() {
			c.pending = p
			return
		}
		if c.record(p, r) && r.status < 500 {
			c.stats.add("calls: cut off, sent again with the same key", 1)
			return
		}
		c.violation("%s: a %s was sent again and not answered: %v", c.name, p.call.Kind, r)
		c.pending = nil
	}
	c.candidates, _ = c.candidates.Do(p.call, oracle.Window{From: p.from, To: dead}, oracle.Answer{}, c.purges.all())
	c.undecided = true
}

// check reads the visible state of all of the client's paths, and compares it
// with the candidates. Set vectors only if the queue is empty.
func (c *client) check(vectors bool) {
	if err := c.tryCheck(vectors); err != nil {
		c.violation("%s: %v", c.name, err)
	}
}

func (c *client) tryCheck(vectors bool) error {
	views, err := c.views(vectors)
	if err != nil {
		return err
	}
	before := c.candidates
	if c.candidates, err = c.candidates.See(views, c.purges.all()); err != nil {
		return err
	}
	if c.undecided {
		c.undecided = false
		if c.candidates.Are(before[0]) {
			c.stats.add("calls: cut off, had not happened", 1)
		} else {
			c.stats.add("calls: cut off, had happened", 1)
		}
	}
	return nil
}

// views reads all paths.
func (c *client) views(vectors bool) ([]oracle.View, error) {
	listed, trash := make(map[oracle.Path]int), make(map[oracle.Path][]oracle.TrashRow)
	from := time.Now()
	for _, store := range c.stores() {
		err := c.pages("/v1/stores/"+store+"/memories?prefix="+c.name, func(e entry, _ string) {
			listed[oracle.Path{Store: store, Key: e.Key}] = e.Version
		})
		if err != nil {
			return nil, err
		}
		err = c.pages("/v1/stores/"+store+"/trash?", func(e entry, value string) {
			path := oracle.Path{Store: store, Key: e.Key}
			trash[path] = append(trash[path], oracle.TrashRow{ID: e.ID, Version: e.Version, Value: value})
		})
		if err != nil {
			return nil, err
		}
	}
	var views []oracle.View
	for _, path := range c.paths() {
		v, err := c.view(path, c.values[path], vectors)
		if err != nil {
			return nil, err
		}
		v.At.From, v.Listed, v.Trash, v.NoTrash = from, listed[path], trash[path], false
		views = append(views, v)
	}
	return views, nil
}

// stores returns the stores of the client's paths.
func (c *client) stores() (stores []string) {
	seen := make(map[string]bool)
	for _, path := range c.paths() {
		if !seen[path.Store] {
			seen[path.Store] = true
			stores = append(stores, path.Store)
		}
	}
	return stores
}

// recent returns how many of a path's latest values a view searches for.
func recent() int { return size.Of(2, 4) }

// view reads one path with a get, a list of its versions, and a search for each of
// its latest values. It sets Listed to the version from the get.
func (c *client) view(path oracle.Path, values []string, vectors bool) (v oracle.View, err error) {
	v = oracle.View{Path: path, At: oracle.Window{From: time.Now()}, Keep: keepVersions, Words: make(map[string]bool)}
	if vectors {
		v.Vectors = make(map[string]bool)
	}
	at := "/v1/stores/" + path.Store + "/memories/" + url.PathEscape(path.Key)
	r := c.call(http.MethodGet, at, nil)
	switch r.status {
	case http.StatusOK:
		var e entry
		if err := json.Unmarshal(r.body, &e); err != nil {
			return v, fmt.Errorf("unreadable entry: %v", r)
		}
		v.Found, v.ID, v.Version, v.Value, v.Listed = true, e.ID, e.Version, e.text(), e.Version
		v.Expires = e.ExpiresAt
		c.sawTag(path, e.ID, e.Version, r.header.Get("ETag"))
		err := c.pages(at+"/versions?", func(_ entry, value string) { v.Versions = append(v.Versions, value) })
		if err != nil && !errors.Is(err, errAbsent) { // it may have expired
			return v, err
		}
	case http.StatusNotFound:
	default:
		return v, c.failed(r)
	}
	for _, value := range values[max(0, len(values)-recent()):] {
		if err := c.searchFor(value, &v); err != nil {
			return v, err
		}
	}
	v.At.To = time.Now()
	return v, nil
}

// errAbsent reports that the resource to read does not exist.
var errAbsent = errors.New("not found")

// failed returns the error of a read that must not fail.
func (c *client) failed(r reply) error {
	if r.status == http.StatusNotFound {
		return fmt.Errorf("%w: %v", errAbsent, r)
	}
	if r.status == 0 || r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable && c.faulty.Load() {
		return fmt.Errorf("%w: %v", errCutOff, r)
	}
	return fmt.Errorf("a read failed: %v", r)
}

// searchFor searches the store of a view's path for the unique word of a value,
// and records the legs that find the path.
func (c *client) searchFor(value string, v *oracle.View) error {
	r := c.call(http.MethodPost, "/v1/search", map[string]any{
		"query": uniqueWord.FindString(value), "stores": []string{v.Path.Store}, "explain": true, "typos": false, "limit": 100,
	})
	if r.status != http.StatusOK {
		return c.failed(r)
	}
	var answer struct {
		Hits []struct {
			entry
			Explain struct{ Lexical, Vector *struct{ Score float64 } }
		}
		Degraded []string
	}
	if err := json.Unmarshal(r.body, &answer); err != nil {
		return fmt.Errorf("unreadable hits: %v", r)
	}
	if c.faulty.Load() && slices.Contains(answer.Degraded, search.LegLexical) {
		return fmt.Errorf("%w: the lexical leg of the search failed", errCutOff)
	}
	if v.Vectors != nil {
		v.Vectors[value] = false
		if len(answer.Degraded) > 0 {
			return fmt.Errorf("the queue is empty, but a search is degraded: %v", answer.Degraded)
		}
	}
	v.Words[value] = false
	for _, h := range answer.Hits {
		if h.Key != v.Path.Key {
			continue
		}
		v.Hits = append(v.Hits, h.text())
		v.Words[value] = h.Explain.Lexical != nil
		switch near := h.Explain.Vector != nil; {
		case v.Vectors == nil:
		case c.realModel: // related texts have near vectors, too
			v.Vectors[value] = near && h.text() == value
		default: // the vector of the value itself
			v.Vectors[value] = near && h.Explain.Vector.Score > .99
		}
	}
	return nil
}

// pages reads all pages of a list. url includes a "?".
func (c *client) pages(url string, each func(e entry, value string)) error {
	for cursor := ""; ; {
		r := c.call(http.MethodGet, url+"&limit=100"+cursor, nil)
		var page struct {
			Items      []entry
			NextCursor string `json:"next_cursor"`
		}
		if r.status != http.StatusOK {
			return c.failed(r)
		}
		if err := json.Unmarshal(r.body, &page); err != nil {
			return fmt.Errorf("unreadable page: %v", r)
		}
		for _, e := range page.Items {
			each(e, e.text())
		}
		if page.NextCursor == "" {
			return nil
		}
		cursor = "&cursor=" + page.NextCursor
	}
}

// text returns the value if it is a string, and otherwise "".
func (e entry) text() (text string) {
	_ = json.Unmarshal(e.Value, &text) // any other value has no text
	return text
}
