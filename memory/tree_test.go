package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/size"
)

// putKeys writes an entry for each key as a caller.
func (h *harness) putKeys(c memory.Caller, store string, keys ...string) {
	h.t.Helper()
	for _, key := range keys {
		if _, err := h.Put(context.Background(), c, memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: text("of " + key)}); err != nil {
			h.t.Fatal(err)
		}
	}
}

// keysOf returns the keys that a caller sees in a store.
func (h *harness) keysOf(c memory.Caller, store string) []string {
	h.t.Helper()
	page, err := h.List(context.Background(), c, memory.ListRequest{Store: store, Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	var keys []string
	for _, item := range page.Items {
		keys = append(keys, item.Key)
	}
	return keys
}

func TestDeleteTreeDeletesOnlyWhatIsBelowTheFolder(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("me", acl.Public)
		h.putKeys(me, "me", "a", "a/b", "a/b/c", "a/d", "ab", "b/a/x")
		n, err := h.DeleteTree(context.Background(), me, memory.Tree{Store: "me", Folder: "a"})
		if want := []string{"a", "ab", "b/a/x"}; err != nil || n != 3 || !slices.Equal(h.keysOf(me, "me"), want) {
			t.Errorf("%d, %v, left %q", n, err, h.keysOf(me, "me"))
		}
		if _, err := h.DeleteTree(context.Background(), me, memory.Tree{Store: "me", Folder: "a"}); !errors.Is(err, memory.ErrNotFound) {
			t.Error(err)
		}
		if trash, err := h.Trash(context.Background(), me, memory.TrashRequest{Store: "me", Limit: 100}); err != nil || len(trash.Items) != 3 {
			t.Errorf("%d in the trash, %v", len(trash.Items), err)
		}
	})
}

// If one entry may not be deleted or moved, none is.
func TestTreeOperationsAreAllOrNothing(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		owner, guest := agent("owner", acl.Internal), agent("guest", acl.Internal)
		h.MustShare(owner, "guest", acl.ReadWrite)
		h.putKeys(guest, "owner", "a/1", "a/3", "b/1")
		h.putKeys(owner, "owner", "a/2")
		h.putKeys(agent("owner", acl.Public), "owner", "low/1")
		h.putKeys(owner, "owner", "low/2")
		h.putKeys(guest, "guest", "mine/1")
		if _, err := h.Put(context.Background(), guest, memory.PutRequest{
			Path: memory.Path{Store: "guest", Key: "mine/2"}, Value: text("blob"), Encrypted: new(true),
		}); err != nil {
			t.Fatal(err)
		}
		before, mine := h.keysOf(owner, "owner"), h.keysOf(guest, "guest")
		ctx := context.Background()
		for name, c := range map[string]struct {
			status int
			try    func() (int, error)
		}{
			"delete with another's entry": {403, func() (int, error) { return h.DeleteTree(ctx, guest, memory.Tree{Store: "owner", Folder: "a"}) }},
			"rename with another's entry": {403, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "owner", Folder: "a"}, "", "z")
			}},
			"delete with a lower label": {409, func() (int, error) { return h.DeleteTree(ctx, owner, memory.Tree{Store: "owner", Folder: "low"}) }},
			"rename with a lower label": {409, func() (int, error) {
				return h.RenameTree(ctx, owner, memory.Tree{Store: "owner", Folder: "low"}, "", "z")
			}},
			"rename with an encrypted entry": {422, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "guest", Folder: "mine"}, "", "z")
			}},
			"rename onto a folder": {409, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "owner", Folder: "b"}, "", "a")
			}},
			"rename onto an entry": {409, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "guest", Folder: "mine"}, "owner", "b/1")
			}},
			"rename onto itself": {409, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "owner", Folder: "b"}, "", "b")
			}},
			"rename into itself": {422, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "owner", Folder: "b"}, "", "b/c")
			}},
			"rename to keys that are too long": {422, func() (int, error) {
				return h.RenameTree(ctx, guest, memory.Tree{Store: "owner", Folder: "b"}, "", strings.Repeat("x", memory.MaxKey))
			}},
			"a bad folder":   {422, func() (int, error) { return h.DeleteTree(ctx, owner, memory.Tree{Store: "owner", Folder: "../a"}) }},
			"the root":       {422, func() (int, error) { return h.DeleteTree(ctx, owner, memory.Tree{Store: "owner"}) }},
			"without access": {403, func() (int, error) { return h.DeleteTree(ctx, owner, memory.Tree{Store: "guest", Folder: "mine"}) }},
			"into a store without access": {403, func() (int, error) {
				return h.RenameTree(ctx, owner, memory.Tree{Store: "owner", Folder: "b"}, "guest", "z")
			}},
			"an empty folder": {404, func() (int, error) { return h.DeleteTree(ctx, owner, memory.Tree{Store: "owner", Folder: "none"}) }},
		} {
			if n, err := c.try(); status(err) != c.status || n != 0 {
				t.Errorf("%s: %d entries, status %d (%v), want %d", name, n, status(err), err, c.status)
			}
			if !slices.Equal(h.keysOf(owner, "owner"), before) || !slices.Equal(h.keysOf(guest, "guest"), mine) {
				t.Fatalf("%s changed something", name)
			}
		}
	})
}

func TestRenameTree(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me, friend := agent("me", acl.Public), agent("friend", acl.Public)
		h.putKeys(me, "me", "a/b", "a/c/d", "a")
		n, err := h.RenameTree(context.Background(), me, memory.Tree{Store: "me", Folder: "a"}, "", "x/y")
		if want := []string{"a", "x/y/b", "x/y/c/d"}; err != nil || n != 2 || !slices.Equal(h.keysOf(me, "me"), want) {
			t.Errorf("%d, %v, %q", n, err, h.keysOf(me, "me"))
		}
		h.MustShare(friend, "me", acl.ReadWrite)
		n, err = h.RenameTree(context.Background(), me, memory.Tree{Store: "me", Folder: "x/y"}, "friend", "z")
		if err != nil || n != 2 || !slices.Equal(h.keysOf(friend, "friend"), []string{"z/b", "z/c/d"}) || !slices.Equal(h.keysOf(me, "me"), []string{"a"}) {
			t.Errorf("%d, %v, %q, %q", n, err, h.keysOf(me, "me"), h.keysOf(friend, "friend"))
		}
		found, err := h.Get(context.Background(), friend, memory.Path{Store: "friend", Key: "z/c/d"})
		if err != nil || string(found.Value) != `"of a/c/d"` || found.Owner != "me" {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// Entries above the taint neither block a tree operation nor take part in it.
func TestTreeOperationsIgnoreHiddenEntries(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		low, high := agent("me", acl.Public), agent("me", acl.Restricted)
		h.putKeys(low, "me", "a/1")
		h.putKeys(high, "me", "a/1", "a/2", "b", "b/1")
		if n, err := h.RenameTree(context.Background(), low, memory.Tree{Store: "me", Folder: "a"}, "", "b"); err != nil || n != 1 {
			t.Errorf("%d, %v", n, err)
		}
		if n, err := h.DeleteTree(context.Background(), low, memory.Tree{Store: "me", Folder: "b"}); err != nil || n != 1 {
			t.Errorf("%d, %v", n, err)
		}
		if got := h.keysOf(high, "me"); !slices.Equal(got, []string{"a/1", "a/2", "b", "b/1"}) {
			t.Errorf("%q", got)
		}
		if _, err := h.DeleteTree(context.Background(), low, memory.Tree{Store: "me", Folder: "a"}); !errors.Is(err, memory.ErrNotFound) {
			t.Error(err)
		}
	})
}

// valueReads is a storage that counts the values that writing transactions read.
type valueReads struct {
	storage.Storage
	calls, most int // most: bytes of one call
}

func (v *valueReads) Update(ctx context.Context, fn func(memory.Tx) error) error {
	return v.Storage.Update(ctx, func(tx memory.Tx) error { return fn(valueReadsTx{tx, v}) })
}

type valueReadsTx struct {
	memory.Tx
	reads *valueReads
}

func (t valueReadsTx) Get(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	found, err := t.Tx.Get(ctx, ids)
	bytes := 0
	for _, e := range found {
		bytes += len(e.Value)
	}
	t.reads.calls, t.reads.most = t.reads.calls+1, max(t.reads.most, bytes)
	return found, err
}

func TestTreeOperationsReadValuesInBatchesOnceTheyMay(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		reads := &valueReads{}
		data := b.Open(t)
		rows := data.Storage
		data.Storage = func(t testing.TB) storage.Storage { reads.Storage = rows(t); return reads }
		h := openOver(t, data, memory.Options{})
		owner, guest := agent("owner", acl.Internal), agent("guest", acl.Internal)
		h.MustShare(owner, "guest", acl.ReadWrite)
		value := strings.Repeat("x", memory.BatchBytes/8)
		for i := range 20 {
			h.PutText(guest, "owner", fmt.Sprintf("a/%02d", i), value, 201)
		}
		h.PutText(owner, "owner", "a/last", value, 201)
		*reads = valueReads{Storage: reads.Storage}
		if _, err := h.DeleteTree(context.Background(), guest, memory.Tree{Store: "owner", Folder: "a"}); !errors.Is(err, acl.ErrDenied) || reads.calls > 0 {
			t.Errorf("refused with %v after %d reads of values", err, reads.calls)
		}
		if _, err := h.RenameTree(context.Background(), owner, memory.Tree{Store: "owner", Folder: "a"}, "", "z"); !errors.Is(err, acl.ErrDenied) || reads.calls > 0 {
			t.Errorf("refused with %v after %d reads of values", err, reads.calls)
		}
		if n, err := h.DeleteTree(context.Background(), owner, memory.Tree{Store: "owner", Folder: "a"}); err != nil || n != 21 || reads.calls == 0 || reads.most > memory.BatchBytes {
			t.Errorf("%d, %v, up to %d bytes in one of %d reads", n, err, reads.most, reads.calls)
		}
		trash, err := h.Trash(context.Background(), owner, memory.TrashRequest{Store: "owner", Limit: 100})
		must(h, err)
		for _, item := range trash.Items {
			if string(item.Value) != string(text(value)) {
				t.Errorf("%s has lost its value", item.Key)
			}
		}
		if len(trash.Items) != 21 {
			t.Errorf("%d in the trash", len(trash.Items))
		}
	})
}

// The limit is the same for all storages, so one is enough.
func TestTreeOperationsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("writes ten thousand entries")
	}
	t.Parallel()
	h := open(t, backendtest.Embedded(), memory.Limits{})
	me := agent("me", acl.Public)
	var puts []memory.PutRequest
	for i := range memory.MaxTree + 1 {
		puts = append(puts, memory.PutRequest{Path: path("me", fmt.Sprintf("a/%d", i)), Value: json.RawMessage(`1`)})
	}
	if _, err := h.PutAll(context.Background(), me, puts); err != nil {
		t.Fatal(err)
	}
	tree := memory.Tree{Store: "me", Folder: "a"}
	if _, err := h.DeleteTree(context.Background(), me, tree); status(err) != 422 {
		t.Errorf("%d entries: %v", memory.MaxTree+1, err)
	}
	if err := h.Delete(context.Background(), me, memory.Path{Store: "me", Key: "a/0"}, memory.Preconditions{}); err != nil {
		t.Fatal(err)
	}
	h.putKeys(me, "me", "b/0")
	if _, err := h.RenameTree(context.Background(), me, tree, "", "b"); status(err) != 409 { // there are not too many entries
		t.Errorf("%d entries to a folder that exists: %v", memory.MaxTree, err)
	}
	if !size.Full() {
		return
	}
	if n, err := h.DeleteTree(context.Background(), me, tree); err != nil || n != memory.MaxTree {
		t.Errorf("%d, %v", n, err)
	}
}

func TestSourceShowsOnlyIDsThatItsReaderMayGet(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me, other := agent("me", acl.Internal), agent("other", acl.Internal)
		id := func(c memory.Caller, store, key string) string {
			h.putKeys(c, store, key)
			found, err := h.Get(context.Background(), c, memory.Path{Store: store, Key: key})
			if err != nil {
				t.Fatal(err)
			}
			return found.ID.String()
		}
		own, secret, above := id(me, "me", "a"), id(other, "other", "b"), id(agent("me", acl.Restricted), "me", "c")
		deleted := id(me, "me", "d")
		if err := h.Delete(context.Background(), me, memory.Path{Store: "me", Key: "d"}, memory.Preconditions{}); err != nil {
			t.Fatal(err)
		}
		shadowed := id(agent("me", acl.Public), "me", "e")
		id(me, "me", "e")
		all := fmt.Sprintf(`{"tool":"t","session":"s","read":["%s","%s","%s","%s","%s","nonsense","%s"],"extra":1}`, own, secret, above, deleted, shadowed, own)
		h.SetUpAccess()
		must(h, h.PutParticipant(context.Background(), caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true}), "room", "me", nil))
		writer := agent("other", acl.Public)
		for name, c := range map[string]struct {
			as            memory.Caller
			source, shown string
		}{
			"its owner's session": {me, all, fmt.Sprintf(`{"tool":"t","session":"s","read":["%s"]}`, own)},
			"a higher session":    {agent("me", acl.Restricted), all, fmt.Sprintf(`{"tool":"t","session":"s","read":["%s","%s"]}`, own, above)},
			"another participant": {agent("reader", acl.Restricted), all, `{"tool":"t","session":"s"}`},
			"ids alone":           {other, `{"read":["` + own + `"]}`, ``},
			"another shape":       {me, `["x"]`, ``},
			"none":                {me, ``, ``},
		} {
			h.PutText(writer, "room", "k/"+name, "x", 201, func(r *memory.PutRequest) {
				if c.source != "" {
					r.Source = json.RawMessage(c.source)
				}
			})
			at := memory.Path{Store: "room", Key: "k/" + name}
			got, err := h.Get(context.Background(), c.as, at)
			must(h, err)
			listed, err := h.List(context.Background(), c.as, memory.ListRequest{Store: "room", Prefix: at.Key, Limit: 1})
			must(h, err)
			versions, err := h.Versions(context.Background(), c.as, at, 1, "")
			must(h, err)
			for operation, f := range map[string]memory.Found{"get": got, "list": listed.Items[0], "versions": versions.Items[0]} {
				if string(f.Source) != c.shown {
					t.Errorf("%s, %s: %s, want %s", name, operation, f.Source, c.shown)
				}
			}
		}
	})
}

// A source may name entries of any store. On PostgreSQL a writing transaction locks each store
// of which it reads an entry, so it must not read these entries.
func TestWritesWaitForNoStoreThatTheirSourcesName(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		data := b.Open(t)
		h, another := openOver(t, data, memory.Options{}), data.Storage(t)
		me := agent("me", acl.Public)
		secret := h.PutText(agent("other", acl.Public), "other", "secret", "v", 201).ID
		own := h.PutText(me, "me", "own", "v", 201).ID
		shown := fmt.Sprintf(`{"read":["%s"]}`, own)
		write := func(key string) memory.PutRequest {
			return memory.PutRequest{Path: path("me", key), Value: text("v"), Source: json.RawMessage(fmt.Sprintf(`{"read":["%s","%s"]}`, secret, own))}
		}
		for _, key := range []string{"read", "imported", "deleted", "named"} {
			_, err := h.Put(background, me, write(key))
			must(h, err)
		}
		must(h, h.Delete(background, me, path("me", "deleted"), memory.Preconditions{}))
		once := func(operation string) *memory.Idempotency { return &memory.Idempotency{Operation: operation, Key: "k"} }

		calls := map[string]func() ([]memory.Found, error){
			"a put": func() ([]memory.Found, error) {
				put, err := h.Put(background, me, write("put"))
				return []memory.Found{put.Found}, err
			},
			"a batch": func() ([]memory.Found, error) {
				items := []memory.BatchItem{{Op: memory.BatchPut, PutRequest: write("batch")}, {Op: memory.BatchGet, PutRequest: write("read")}}
				outcomes, err := h.Batch(background, me, memory.BatchRequest{Store: "me", Items: items, Idempotency: once("batch"), Atomic: true})
				if err != nil {
					return nil, err
				}
				return []memory.Found{outcomes[0].Found, outcomes[1].Found}, nil
			},
			"an import of an export": func() ([]memory.Found, error) {
				exported := write("imported")
				exported.Source = json.RawMessage(shown)
				outcomes, err := h.PutAll(background, me, []memory.PutRequest{exported, write("imported")})
				if err == nil && !(outcomes[0].Unchanged && outcomes[1].Unchanged) {
					err = fmt.Errorf("the entry was written: %+v", outcomes)
				}
				return nil, err
			},
			"a restoration": func() ([]memory.Found, error) {
				restored, err := h.Restore(background, me, memory.RestoreRequest{Path: path("me", "deleted"), Idempotency: once("restore")})
				return []memory.Found{restored.Found}, err
			},
			"a rename": func() ([]memory.Found, error) {
				renamed, err := h.Rename(background, me, memory.RenameRequest{Path: path("me", "named"), To: "renamed", Idempotency: once("rename")})
				return []memory.Found{renamed}, err
			},
		}
		makeCalls := func(what string) {
			for name, call := range calls {
				found, err := call()
				if err != nil {
					t.Errorf("%s, %s: %v", name, what, err)
				}
				for _, f := range found {
					if string(f.Source) != shown {
						t.Errorf("%s, %s: the source is %s, want %s", name, what, f.Source, shown)
					}
				}
			}
		}
		if b.Name == backendtest.Embedded().Name { // it has one lock
			makeCalls("first")
			makeCalls("again")
			return
		}
		must(h, another.Update(background, func(tx memory.Tx) error {
			if _, err := tx.At(background, path("other", "secret").At(acl.Restricted)); err != nil {
				return err
			}
			makeCalls("first")
			makeCalls("again")
			return nil
		}))
	})
}

// viewless is a storage in which View fails.
type viewless struct {
	storage.Storage
	fails bool
}

func (s *viewless) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	if s.fails {
		return memory.ErrUnavailable
	}
	return s.Storage.View(ctx, fn)
}

func TestAWriteWhoseSourceCannotBeCheckedShowsNone(t *testing.T) {
	t.Parallel()
	rows := &viewless{Storage: backendtest.Embedded().Open(t).Storage(t)}
	h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, rows, backendtest.Options{})), t}
	me := agent("me", acl.Public)
	source := fmt.Sprintf(`{"tool":"t","read":["%s"]}`, h.PutText(me, "me", "read", "v", 201).ID)
	write := func(r *memory.PutRequest) { r.Source = json.RawMessage(source) }
	rows.fails = true
	if put := h.PutText(me, "me", "k", "v", 201, write); put.Source != nil {
		t.Errorf("the source is shown: %s", put.Source)
	}
	rows.fails = false
	if put := h.PutText(me, "me", "k", "v", 200, write); string(put.Source) != source {
		t.Errorf("the source is %s", put.Source)
	}
}
