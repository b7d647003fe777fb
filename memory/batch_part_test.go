package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// large returns a value of 12,000 words, which fills most of a transaction.
func large(about string) string {
	words := []string{about}
	for i := range 12_000 {
		words = append(words, fmt.Sprint("ww", i))
	}
	return strings.Join(words, " ")
}

// largePuts returns puts of large values.
func largePuts(n int) (items []memory.BatchItem) {
	for i := range n {
		r := memory.PutRequest{Path: memory.Path{Key: fmt.Sprint("k/", i)}, Value: text(large(fmt.Sprint("rock", i)))}
		items = append(items, memory.BatchItem{Op: memory.BatchPut, PutRequest: r})
	}
	return items
}

// A batch that is not atomic, and an import, are written in several transactions. The cost of
// each is bounded, whatever the number of items.
func TestLargeBatchesAreSplitIntoTransactions(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{})
		me := agent("me", acl.Public)
		count := func(what string, want int64, call func() error) {
			t.Helper()
			rows.count.Store(0)
			must(h, call())
			if n := rows.count.Load(); n != want {
				t.Errorf("%s: %d transactions, want %d", what, n, want)
			}
		}
		batch := func(r memory.BatchRequest) func() error {
			return func() error {
				r.Store = "me"
				outcomes, err := h.Batch(background, me, r)
				for i := range outcomes {
					if outcomes[i].Err != nil {
						t.Errorf("item %d: %v", i, outcomes[i].Err)
					}
				}
				if err == nil && len(outcomes) != len(r.Items) {
					t.Errorf("%d outcomes", len(outcomes))
				}
				return err
			}
		}
		var small, gone []memory.BatchItem
		for i := range 300 {
			r := memory.PutRequest{Path: memory.Path{Key: fmt.Sprint("small/", i)}, Value: text("a line of a diary")}
			small = append(small, memory.BatchItem{Op: memory.BatchPut, PutRequest: r})
		}
		count("small puts", 1, batch(memory.BatchRequest{Items: small}))
		count("large puts", 3, batch(memory.BatchRequest{Items: largePuts(3)}))
		count("an atomic batch", 1, batch(memory.BatchRequest{Items: largePuts(3), Atomic: true}))
		for i := range 3 {
			gone = append(gone, memory.BatchItem{Op: memory.BatchDelete, PutRequest: memory.PutRequest{Path: memory.Path{Key: fmt.Sprint("k/", i)}}})
		}
		count("deletions of large values", 2, batch(memory.BatchRequest{Items: gone}))
		var imports []memory.PutRequest
		for _, item := range largePuts(3) {
			item.Path.Store = "me"
			imports = append(imports, item.PutRequest)
		}
		count("an import", 3, func() error {
			outcomes, err := h.PutAll(background, me, imports)
			for i := range outcomes {
				if outcomes[i].Err != nil || !outcomes[i].Created {
					t.Errorf("line %d: %+v", i, outcomes[i])
				}
			}
			return err
		})
	})
}

// Work that must be done in one transaction is refused if it would block others for too long.
func TestIndivisibleWorkIsBounded(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("me", acl.Public)
		items := largePuts(28)
		for i := range items { // few words, so that they are written fast
			items[i].Value = text(strings.Repeat("granite ", 12_000))
		}
		outcomes, err := h.Batch(background, me, memory.BatchRequest{Store: "me", Items: items})
		must(h, err)
		for i := range outcomes {
			must(h, outcomes[i].Err)
		}
		again := make([]memory.BatchItem, len(items))
		for i := range items {
			again[i] = items[i]
			again[i].Value = text("short")
		}
		var broken *memory.RuleError
		if _, err := h.Batch(background, me, memory.BatchRequest{Store: "me", Items: again, Atomic: true}); !errors.As(err, &broken) || !broken.TooLarge {
			t.Errorf("an atomic batch over large values: %v", err)
		}
		if _, err := h.DeleteTree(background, me, memory.Tree{Store: "me", Folder: "k"}); !errors.As(err, &broken) {
			t.Errorf("the deletion of a large folder: %v", err)
		}
		if _, err := h.RenameTree(background, me, memory.Tree{Store: "me", Folder: "k"}, "me", "other"); !errors.As(err, &broken) {
			t.Errorf("the move of a large folder: %v", err)
		}
		for i := range items {
			found, err := h.Get(background, me, path("me", items[i].Path.Key))
			must(h, err)
			if found.Version != 1 {
				t.Errorf("%s has version %d", found.Key, found.Version)
			}
		}
	})
}

// A batch of several transactions ended early. When the call is repeated, it continues where it
// ended, and performs each item only once.
func TestABatchOfSeveralTransactionsHappensOnce(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{})
		me := agent("me", acl.Public)
		items := append(largePuts(4), memory.BatchItem{Op: memory.BatchGet, PutRequest: memory.PutRequest{Path: memory.Path{Key: "k/0"}}},
			memory.BatchItem{Op: memory.BatchDelete, PutRequest: memory.PutRequest{Path: memory.Path{Key: "none"}}})
		r := memory.BatchRequest{Store: "me", Items: items, Idempotency: &memory.Idempotency{Operation: "batch", Key: "k", Digest: "d"}}
		rows.count.Store(0)
		rows.before = func(n int) error {
			if n == 3 {
				return memory.ErrUnavailable
			}
			return nil
		}
		if _, err := h.Batch(background, me, r); !errors.Is(err, memory.ErrUnavailable) {
			t.Fatal(err)
		}
		rows.before = nil
		for range 3 {
			outcomes, err := h.Batch(background, me, r)
			must(h, err)
			if len(outcomes) != len(items) {
				t.Fatalf("%d outcomes", len(outcomes))
			}
			for i := range 4 {
				if o := outcomes[i]; o.Err != nil || !o.Created || o.Version != 1 || len(o.Value) == 0 {
					t.Errorf("put %d: created %v, version %d, %v", i, o.Created, o.Version, o.Err)
				}
			}
			if o := outcomes[4]; o.Err != nil || o.Version != 1 {
				t.Errorf("the get: version %d, %v", o.Version, o.Err)
			}
			if o := outcomes[5]; !errors.Is(o.Err, memory.ErrNotFound) {
				t.Errorf("the deletion: %v", o.Err)
			}
		}
		other := r
		other.Idempotency = &memory.Idempotency{Operation: "batch", Key: "k", Digest: "another"}
		if _, err := h.Batch(background, me, other); !errors.Is(err, memory.ErrKeyReused) {
			t.Errorf("the key with another body: %v", err)
		}
	})
}

// Each transaction of a batch checks the access. If the caller loses access meanwhile, the
// items of earlier transactions have their outcomes, and the others are refused.
func TestABatchEndsWhereAccessEnds(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{})
		guest := agent("guest", acl.Public)
		_, err := h.Share(background, agent("host", acl.Public), memory.ShareRequest{Store: "host", Grantee: "guest", Level: acl.ReadWrite})
		must(h, err)
		rows.count.Store(0)
		rows.before = func(n int) error {
			if n != 3 {
				return nil
			}
			return rows.Storage.Update(background, func(tx memory.Tx) error {
				return tx.PutGrant(background, acl.Grant{Store: "host", Grantee: "guest", Label: acl.Public})
			})
		}
		outcomes, err := h.Batch(background, guest, memory.BatchRequest{Store: "host", Items: largePuts(4)})
		must(h, err)
		for i, o := range outcomes {
			if refused := errors.Is(o.Err, acl.ErrDenied); refused != (i >= 2) {
				t.Errorf("item %d: %v", i, o.Err)
			}
		}
	})
}

// A batch that the previous version of mneme recorded can be repeated, too.
func TestRecordsOfFormerBatchesAreRead(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{})
		me := agent("me", acl.Public)
		put := h.PutText(me, "me", "k", "tea", 201)
		i := &memory.Idempotency{Operation: "batch", Key: "k", Digest: "d"}
		must(h, rows.Storage.Update(background, func(tx memory.Tx) error {
			return h.Outcomes().Record(background, tx, me, i, memory.IdempotencyRecord{IDs: []uuid.UUID{put.ID}, Numbers: []byte(`[{"c":true},{"r":{"k":"not-found"}}]`)})
		}))
		outcomes, err := h.Batch(background, me, memory.BatchRequest{Store: "me", Idempotency: i, Items: []memory.BatchItem{
			{Op: memory.BatchPut, PutRequest: memory.PutRequest{Path: memory.Path{Key: "k"}, Value: text("coffee")}},
			{Op: memory.BatchDelete, PutRequest: memory.PutRequest{Path: memory.Path{Key: "none"}}},
		}})
		must(h, err)
		if o := outcomes[0]; o.Err != nil || !o.Created || string(o.Value) != `"tea"` {
			t.Errorf("the put: %+v", o)
		}
		if o := outcomes[1]; !errors.Is(o.Err, memory.ErrNotFound) {
			t.Errorf("the deletion: %v", o.Err)
		}
	})
}
