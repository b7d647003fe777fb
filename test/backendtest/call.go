package backendtest

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
)

// PutText writes a text and checks the HTTP status that REST would answer with: 201 if the entry
// is new, 200 if it is replaced.
func (f *Fixture) PutText(c memory.Caller, store, key, value string, want int, change ...func(*memory.PutRequest)) memory.PutResult {
	f.t.Helper()
	return f.putAt(c, memory.Path{Store: store, Key: key}, Text(value), want, change)
}

// PutJSON writes an entry with a JSON value. The write must succeed.
func (f *Fixture) PutJSON(c memory.Caller, store, key, value string, change ...func(*memory.PutRequest)) {
	f.t.Helper()
	f.putAt(c, memory.Path{Store: store, Key: key}, json.RawMessage(value), 0, change)
}

// putAt writes a value. want is the status; 0 means any success.
func (f *Fixture) putAt(c memory.Caller, path memory.Path, value json.RawMessage, want int, change []func(*memory.PutRequest)) memory.PutResult {
	f.t.Helper()
	r := memory.PutRequest{Path: path, Value: value}
	for _, set := range change {
		set(&r)
	}
	result, err := f.Put(context.Background(), c, r)
	got := Status(err)
	if err == nil && result.Created {
		got = 201
	}
	if got != want && (want != 0 || err != nil) {
		f.t.Fatalf("put %s/%s: status %d (%v), want %d", path.Store, path.Key, got, err, want)
	}
	return result
}

// WantText reads an entry and checks its text; "" means that it must not exist.
func (f *Fixture) WantText(c memory.Caller, store, key, want string) memory.Found {
	f.t.Helper()
	found, err := f.Get(context.Background(), c, memory.Path{Store: store, Key: key})
	if want == "" {
		if Status(err) != 404 {
			f.t.Fatalf("get %s/%s: status %d, want 404", store, key, Status(err))
		}
		return found
	}
	if err != nil {
		f.t.Fatalf("get %s/%s: %v", store, key, err)
	}
	var got string
	if json.Unmarshal(found.Value, &got) != nil || got != want {
		f.t.Fatalf("get %s/%s: %s, want %q", store, key, found.Value, want)
	}
	return found
}

// WantStatus checks the status of an error.
func (f *Fixture) WantStatus(err error, want int) {
	f.t.Helper()
	if got := Status(err); got != want {
		f.t.Fatalf("status %d (%v), want %d", got, err, want)
	}
}

// MustSearch runs a search that must succeed, with a limit of 10 unless set.
func (f *Fixture) MustSearch(c memory.Caller, r search.Request) search.Answer {
	f.t.Helper()
	if r.Limit == 0 {
		r.Limit = 10
	}
	a, err := f.Search(context.Background(), c, r)
	f.must(err)
	return a
}

// Trash returns the page that EachTrashed yields.
func (f *Fixture) Trash(ctx context.Context, c memory.Caller, r memory.TrashRequest) (page memory.Page, err error) {
	page.Next, err = f.EachTrashed(ctx, c, r, addTo(&page))
	return page, err
}

// Versions returns the page that EachVersion yields.
func (f *Fixture) Versions(ctx context.Context, c memory.Caller, path memory.Path, limit int, cursor string) (page memory.Page, err error) {
	page.Next, err = f.EachVersion(ctx, c, path, limit, cursor, addTo(&page))
	return page, err
}

// addTo returns a function that appends an item to a page.
func addTo(page *memory.Page) func(memory.Found) error {
	return func(item memory.Found) error {
		page.Items = append(page.Items, item)
		return nil
	}
}

// MustShare grants the caller's own store to another agent, which accepts it.
func (f *Fixture) MustShare(c memory.Caller, grantee string, level acl.Level) {
	f.t.Helper()
	_, err := f.Share(context.Background(), c, memory.ShareRequest{Store: c.Agent, Grantee: grantee, Level: level})
	f.must(err)
	_, err = f.AcceptGrant(context.Background(), Caller(Principal(grantee, c.Taint)), c.Agent)
	f.must(err)
}

// Caller returns p as the caller of a surface with access to entries that are not in
// context.
func Caller(p acl.Principal) memory.Caller { return memory.Caller{Principal: p, Internal: true} }

// Agent returns an agent as a Caller.
func Agent(name string, taint acl.Label) memory.Caller { return Caller(Principal(name, taint)) }

// Keys returns the keys of an answer's hits.
func Keys(a search.Answer) []string {
	var keys []string
	for _, hit := range a.Hits {
		keys = append(keys, hit.Key)
	}
	return keys
}

// Text returns a string as the value of an entry.
func Text(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

// Long returns a text of about 90 kB about a topic.
func Long(about string) string { return about + " " + strings.Repeat("and so on ", 9000) }

// Match parses exact words.
func Match(text string) *lexical.Match {
	m, err := memory.ParseMatch([]byte(text))
	if err != nil {
		panic(err)
	}
	return m
}

// Where parses a condition.
func Where(text string) *condition.Condition {
	c, err := memory.ParseWhere([]byte(text))
	if err != nil {
		panic(err)
	}
	return c
}

// NotInContext excludes the entry from context. Like Sealed and TTL, it is an option of
// PutText and PutJSON.
func NotInContext(r *memory.PutRequest) { r.InContext = new(bool) }

// Sealed marks the value as encrypted.
func Sealed(r *memory.PutRequest) { r.Encrypted = new(true) }

// TTL makes the entry expire.
func TTL(d time.Duration) func(*memory.PutRequest) {
	return func(r *memory.PutRequest) { r.TTL = &d }
}
