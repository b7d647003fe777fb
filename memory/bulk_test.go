package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/accesstest"
	"mneme/test/backendtest"
)

// batchSurface performs puts, gets and deletes as batches of one item.
type batchSurface struct {
	*serviceSurface
	atomic bool
}

func (d *batchSurface) Offers(op string) bool {
	return op == accesstest.Put || op == accesstest.Get || op == accesstest.Delete
}

func (d *batchSurface) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	item := memory.BatchItem{PutRequest: memory.PutRequest{Path: memory.Path{Key: op.Key}}}
	switch op.Name {
	case accesstest.Put:
		item.Op, item.Value, item.InContext, item.Encrypted = memory.BatchPut, text(op.Value), op.InContext, op.Encrypted
	case accesstest.Get:
		item.Op = memory.BatchGet
	case accesstest.Delete:
		item.Op = memory.BatchDelete
	default:
		return d.serviceSurface.Do(p, op)
	}
	outcomes, err := d.harness.Batch(background, caller(p), memory.BatchRequest{Store: op.Store, Items: []memory.BatchItem{item}, Atomic: d.atomic})
	if err != nil {
		return accesstest.Outcome{Status: status(err)}
	}
	out := written(outcomes[0].PutResult, outcomes[0].Err)
	out.Label = outcomes[0].Label
	if op.Name == accesstest.Get && out.Status == 200 {
		out.Value = unquote(outcomes[0].Value)
	}
	return out
}

func unquote(value []byte) string { return strings.Trim(string(value), `"`) }

func TestABatchPassesTheAccessMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("the matrix runs nothing concurrently, and -short looks for races")
	}
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		for _, atomic := range []bool{false, true} {
			t.Run(fmt.Sprint("atomic ", atomic), func(t *testing.T) {
				accesstest.Run(t, &batchSurface{&serviceSurface{open(t, b, memory.Limits{})}, atomic})
			})
		}
	})
}

// drawItem draws an item, which may be refused for various reasons. It may contain the entity
// tag "current", for withTags.
func drawItem(t *rapid.T) memory.BatchItem {
	item := memory.BatchItem{Op: rapid.SampledFrom([]memory.BatchOp{memory.BatchPut, memory.BatchPut, memory.BatchGet, memory.BatchDelete}).Draw(t, "op")}
	item.Path.Key = rapid.SampledFrom([]string{"a", "b", "c", "d", "low", "high", "theirs", "private", "a//b"}).Draw(t, "key")
	item.Path.Namespace = rapid.SampledFrom([]string{"", "", "", "n", "\x00"}).Draw(t, "namespace")
	if item.Op != memory.BatchGet {
		tags := rapid.SampledFrom([][]string{nil, nil, nil, {"*"}, {"stale"}, {"current"}})
		item.If.Match, item.If.NoneMatch = tags.Draw(t, "match"), tags.Draw(t, "none match")
	}
	if item.Op != memory.BatchPut {
		return item
	}
	item.Value = []byte(rapid.SampledFrom([]string{`"one"`, `"two"`, `null`, `{"a":[1]}`, `"` + strings.Repeat("x", 60) + `"`, `{`}).Draw(t, "value"))
	if rapid.Bool().Draw(t, "fields") {
		item.Type = rapid.SampledFrom([]*string{nil, new("user"), new("poem")}).Draw(t, "type")
		item.Tags = rapid.SampledFrom([]*[]string{nil, {"t"}, {""}}).Draw(t, "tags")
		item.InContext = rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "in_context")
		item.Encrypted = rapid.SampledFrom([]*bool{nil, new(true)}).Draw(t, "encrypted")
		item.TTL = rapid.SampledFrom([]*time.Duration{nil, new(time.Duration(0)), new(time.Hour), new(-time.Second)}).Draw(t, "ttl")
		item.OccurredAt = rapid.SampledFrom([]*string{nil, new("2023-05-08"), new("soon")}).Draw(t, "occurred_at")
	}
	return item
}

// single performs an item by the call for one item: Put, Get or Delete.
func (h *harness) single(c memory.Caller, store string, item memory.BatchItem) (o memory.BatchOutcome) {
	item.Path.Store = store
	switch item.Op {
	case memory.BatchPut:
		o.PutResult, o.Err = h.Put(background, c, item.PutRequest)
	case memory.BatchGet:
		o.Found, o.Err = h.Get(background, c, item.Path)
	default:
		o.Err = h.Delete(background, c, item.Path, item.If)
	}
	return o
}

// withTags replaces the entity tag "current" in items by the current tag of the item's entry.
func (h *harness) withTags(c memory.Caller, store string, items []memory.BatchItem) []memory.BatchItem {
	out := make([]memory.BatchItem, len(items))
	for i, item := range items {
		found, _ := h.Get(background, c, memory.Path{Store: store, Namespace: item.Path.Namespace, Key: item.Path.Key})
		for _, tags := range []*[]string{&item.If.Match, &item.If.NoneMatch} {
			if len(*tags) > 0 && (*tags)[0] == "current" {
				*tags = []string{found.ETag}
			}
		}
		out[i] = item
	}
	return out
}

// described returns an outcome as text, without ids and entity tags.
func described(o memory.BatchOutcome) string {
	return fmt.Sprintf("%d %v %v %s", status(o.Err), o.Err, o.Created, entryText(o.Entry))
}

func entryText(e memory.Entry) string {
	return fmt.Sprintf("%v v%d %v %s %s %q %v %v %v %v %v %v %v %s", e.Path, e.Version, e.Label, e.Owner, e.UpdatedBy, e.Value, e.Type, e.Tags, e.InContext, e.Encrypted, e.OccurredAt, e.ExpiresAt, e.UpdatedAt, e.Source)
}

// state returns what agents see of a store, as text.
func (h *harness) state(store string, callers ...memory.Caller) string {
	h.t.Helper()
	var out strings.Builder
	for _, c := range callers {
		list, err := h.List(background, c, memory.ListRequest{Store: store, Limit: 100})
		must(h, err)
		for _, f := range list.Items {
			fmt.Fprintln(&out, entryText(f.Entry))
			versions, err := h.Versions(background, c, f.Path, 100, "")
			must(h, err)
			for _, v := range versions.Items {
				fmt.Fprintln(&out, "  ", entryText(v.Entry))
			}
		}
		trash, err := h.Trash(background, c, memory.TrashRequest{Store: store, Limit: 100})
		must(h, err)
		for _, f := range trash.Items {
			fmt.Fprintln(&out, "trash", f.DeletedBy, f.Key, f.Version, string(f.Value))
		}
		found := h.MustSearch(c, search.Request{Query: "one two", Stores: []string{store}, Mode: search.ModeLexical, Limit: 100})
		for _, hit := range found.Hits {
			fmt.Fprintln(&out, "hit", hit.Key, hit.Score)
		}
	}
	return out.String()
}

func TestABatchGivesTheOutcomesAndTheStateOfItsSingleCalls(t *testing.T) {
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, map[string]int{"sqlite": 1, "postgres": 5}[strings.Split(b.Name, "+")[0]], func(t testing.TB, rt *rapid.T) {
				batched, single := open(t, b, memory.Limits{Keys: 5, Value: 50}), open(t, b, memory.Limits{Keys: 5, Value: 50})
				owner, writer, reader := agent("owner", acl.Internal), agent("writer", acl.Internal), agent("reader", acl.Internal)
				for _, h := range []*harness{batched, single} {
					no := false
					h.MustShare(owner, "writer", acl.ReadWrite)
					h.MustShare(owner, "reader", acl.Read)
					h.PutText(agent("owner", acl.Public), "owner", "low", "one", 201)
					h.PutText(agent("owner", acl.Confidential), "owner", "high", "one", 201)
					h.PutText(owner, "owner", "theirs", "one", 201)
					h.PutText(owner, "owner", "private", "one", 201, func(r *memory.PutRequest) { r.InContext = &no })
				}
				for range rapid.IntRange(1, 3).Draw(rt, "batches") {
					c := rapid.SampledFrom([]memory.Caller{owner, writer, reader}).Draw(rt, "caller")
					items := rapid.SliceOfN(rapid.Custom(drawItem), 1, 12).Draw(rt, "items")
					batched.Clock.Advance(time.Minute)
					single.Clock.Advance(time.Minute)
					outcomes, err := batched.Batch(background, c, memory.BatchRequest{Store: "owner", Items: batched.withTags(c, "owner", items)})
					if err != nil {
						rt.Fatal(err)
					}
					for i, item := range single.withTags(c, "owner", items) {
						want, got := described(single.single(c, "owner", item)), described(outcomes[i])
						if got != want {
							rt.Fatalf("item %d:\nbatch:  %s\nsingle: %s", i, got, want)
						}
					}
				}
				all := []memory.Caller{owner, writer, agent("owner", acl.Public), agent("owner", acl.Confidential)}
				if got, want := batched.state("owner", all...), single.state("owner", all[:]...); got != want {
					rt.Fatalf("the state differs:\n%s", backendtest.Difference(got, want))
				}
			})
		})
	}
}

// item returns an item at a key; a put has a value.
func item(op memory.BatchOp, key string, value ...string) memory.BatchItem {
	i := memory.BatchItem{Op: op, PutRequest: memory.PutRequest{Path: memory.Path{Key: key}}}
	if len(value) > 0 {
		i.Value = text(value[0])
	}
	return i
}

func TestAnAtomicBatchDoesAllItemsOrNone(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, me := open(t, b, memory.Limits{}), agent("a", acl.Public)
		h.PutText(me, "a", "old", "one", 201)
		r := memory.BatchRequest{Store: "a", Atomic: true, Items: []memory.BatchItem{
			item(memory.BatchPut, "new", "two"), item(memory.BatchDelete, "old"), item(memory.BatchDelete, "absent"), item(memory.BatchPut, "more", "three"),
		}}
		before := h.state("a", me)
		_, err := h.Batch(background, me, r)
		var failed *memory.BatchError
		if !errors.As(err, &failed) || failed.Item != 2 || !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("the error is %v", err)
		}
		if after := h.state("a", me); after != before {
			t.Errorf("something was done:\n%s", backendtest.Difference(after, before))
		}
		r.Items[2] = item(memory.BatchGet, "new")
		outcomes, err := h.Batch(background, me, r)
		must(h, err)
		if !outcomes[0].Created || string(outcomes[2].Value) != `"two"` || outcomes[1].Err != nil {
			t.Errorf("the outcomes are %v", outcomes)
		}
		h.WantText(me, "a", "old", "")
		h.WantText(me, "a", "more", "three")
	})
}

func TestABatchNeedsReadAndHasLimits(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{Batch: memory.BatchLimits{Items: 3, Bytes: 30}})
		me, other := agent("a", acl.Public), agent("b", acl.Public)
		four := memory.BatchRequest{Store: "a", Items: make([]memory.BatchItem, 4)}
		for i := range four.Items {
			four.Items[i] = item(memory.BatchGet, "k")
		}
		_, err := h.Batch(background, other, four)
		h.WantStatus(err, 403)
		_, err = h.Batch(background, me, four)
		h.WantStatus(err, 422)
		_, err = h.Batch(background, me, memory.BatchRequest{Store: "a"})
		h.WantStatus(err, 422)
		h.PutText(me, "a", "k", "twelve bytes", 201)
		four.Items = four.Items[:3]
		outcomes, err := h.Batch(background, me, four)
		must(h, err)
		if status(outcomes[0].Err) != 200 || status(outcomes[1].Err) != 200 || status(outcomes[2].Err) != 413 {
			t.Errorf("three times 14 bytes where 30 fit: %v", outcomes)
		}
		four.Items[0] = item(memory.BatchPut, "l", "twelve bytes")
		if outcomes, err = h.Batch(background, me, four); err != nil || status(outcomes[1].Err) != 200 || status(outcomes[2].Err) != 413 {
			t.Errorf("what is put takes room too: %v %v", outcomes, err)
		}
		h.MustShare(me, "b", acl.Search)
		_, err = h.Batch(background, other, four)
		h.WantStatus(err, 403)
	})
}

func TestARepeatedBatchIsNotDoneAgain(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, me, other := open(t, b, memory.Limits{Keys: 3}), agent("a", acl.Public), agent("b", acl.Public)
		h.PutText(me, "a", "gone", "one", 201)
		h.MustShare(me, "b", acl.ReadWrite)
		stale := item(memory.BatchPut, "new", "x")
		stale.If.Match = []string{"stale"}
		clash := item(memory.BatchPut, "new", "x")
		clash.Encrypted = new(true)
		invalid := item(memory.BatchPut, "bad", "x")
		invalid.Type = new("poem")
		r := memory.BatchRequest{
			Store: "a", Idempotency: &memory.Idempotency{Operation: "batch", Path: "p", Key: "k", Digest: "d"},
			Items: []memory.BatchItem{
				item(memory.BatchPut, "new", "one"), item(memory.BatchDelete, "gone"), item(memory.BatchDelete, "gone"), item(memory.BatchGet, "new"),
				stale, clash, invalid, item(memory.BatchPut, "new", "two"), item(memory.BatchPut, "second", "s"), item(memory.BatchPut, "third", "t"),
				item(memory.BatchPut, "fourth", "f"),
			},
		}
		statuses := func(outcomes []memory.BatchOutcome, err error) string {
			must(h, err)
			var all []string
			for _, o := range outcomes {
				word := fmt.Sprint(status(o.Err))
				if o.Err != nil {
					word += " " + o.Err.Error()
				} else if o.Created {
					word = "201"
				}
				all = append(all, word)
			}
			return strings.Join(all, ", ")
		}
		first := statuses(h.Batch(background, me, r))
		before := h.state("a", me)
		outcomes, err := h.Batch(background, me, r)
		if again := statuses(outcomes, err); again != first {
			t.Errorf("first %s\nagain %s", first, again)
		}
		if after := h.state("a", me); after != before {
			t.Errorf("the repetition did something:\n%s", backendtest.Difference(after, before))
		}
		if string(outcomes[0].Value) != `"two"` || string(outcomes[7].Value) != `"two"` {
			t.Errorf("a repeated put shows %s, and not what is there now", outcomes[0].Value)
		}
		changed := *r.Idempotency
		changed.Digest = "another body"
		reused := r
		reused.Idempotency = &changed
		if _, err := h.Batch(background, me, reused); !errors.Is(err, memory.ErrKeyReused) {
			t.Errorf("another body with the key: %v", err)
		}

		// A batch that another caller repeats under its own key is authorised again.
		r.Items = []memory.BatchItem{item(memory.BatchPut, "b/1", "one"), item(memory.BatchGet, "new")}
		if got := statuses(h.Batch(background, other, r)); got != "201, 200" {
			t.Fatal(got)
		}
		h.MustShare(me, "b", acl.Read)
		if got := statuses(h.Batch(background, other, r)); !strings.HasPrefix(got, "403") || !strings.HasSuffix(got, ", 200") {
			t.Errorf("with level read the repetition is %s", got)
		}
		must(h, h.Unshare(background, me, "a", "b"))
		_, err = h.Batch(background, other, r)
		h.WantStatus(err, 403)
	})
}
