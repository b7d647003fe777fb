package goclient_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

var note = client.Path{Store: "self", Namespace: "n", Key: "diet/anna?x=1#y"}

func TestValuesAreSentByteForByte(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		for _, value := range []string{`"a < b & c"`, `{ "z" : 1.50, "a":[ 1 ] }`, `"\u00e9é"`, `null`, "{\n\t\"a\": 1\n}"} {
			stored, err := c.Put(t.Context(), note, api.Write{Value: []byte(value), Tags: &api.Tags{"<t>"}}, client.Conditions{})
			if err != nil {
				t.Fatal(err)
			}
			entry, etag, err := c.Get(t.Context(), note)
			if err != nil || string(entry.Value) != value || string(stored.Value) != value || etag != stored.ETag || entry.Tags[0] != "<t>" {
				t.Errorf("%s came back as %s, %s, %v", value, stored.Value, entry.Value, err)
			}
		}
	})
}

func TestChangesFollowsAStoreUntilItIsLeft(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		put := func(key string) {
			t.Helper()
			if _, err := c.Put(t.Context(), client.Path{Store: "self", Key: key}, api.Write{Value: []byte("1")}, client.Conditions{}); err != nil {
				t.Fatal(err)
			}
		}
		put("before")
		var keys []string
		var cursor string
		for page, err := range c.Changes(t.Context(), "self", "") {
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range page.Changes {
				keys = append(keys, change.Key)
			}
			if cursor == "" && len(page.Changes) > 0 {
				t.Errorf("the first page without a cursor has changes: %+v", page)
			}
			if cursor = page.NextCursor; len(keys) == 2 {
				break
			}
			put(fmt.Sprint("after-", len(keys)))
		}
		if fmt.Sprint(keys) != "[after-0 after-1]" {
			t.Errorf("followed %q", keys)
		}
		// With a cursor, the first page arrives at once, with or without changes.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		pages := 0
		for page, err := range c.Changes(ctx, "self", cursor) {
			if pages++; pages == 1 {
				if err != nil || len(page.Changes) != 0 || page.NextCursor == "" {
					t.Errorf("after the last cursor: %+v, %v", page, err)
				}
				cancel()
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("after the context ended: %+v, %v", page, err)
			}
		}
		if pages != 2 {
			t.Errorf("%d pages, want one and an error", pages)
		}
		for _, err := range c.Changes(t.Context(), "stranger", "") {
			if client.StatusOf(err) != http.StatusForbidden {
				t.Errorf("a store without access: %v", err)
			}
		}
		for _, err := range c.Changes(t.Context(), "..", "") {
			if err == nil {
				t.Error("a store that no path can name was followed")
			}
		}
	})
}

func TestConditionsAreEnforced(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		stored, err := c.Put(t.Context(), note, api.Write{Value: []byte("1")}, client.Conditions{New: true})
		if err != nil || !stored.Created || stored.ETag == "" {
			t.Fatalf("got %+v, %v", stored, err)
		}
		if _, err := c.Put(t.Context(), note, api.Write{Value: []byte("2")}, client.Conditions{New: true}); client.StatusOf(err) != http.StatusPreconditionFailed {
			t.Errorf("got %v", err)
		}
		if err := c.Delete(t.Context(), note, client.Conditions{Match: "another"}); client.StatusOf(err) != http.StatusPreconditionFailed {
			t.Errorf("got %v", err)
		}
		if err := c.Delete(t.Context(), note, client.Conditions{Match: stored.ETag}); err != nil {
			t.Error(err)
		}
		if _, _, err := c.Get(t.Context(), note); client.StatusOf(err) != http.StatusNotFound {
			t.Errorf("got %v", err)
		}
	})
}

// lines yields n entries.
func lines(n int) iter.Seq2[api.ImportLine, error] {
	return func(yield func(api.ImportLine, error) bool) {
		for i := range n {
			if !yield(api.ImportLine{Key: fmt.Sprintf("k%04d", i), Value: []byte(`"winter <tyres>"`)}, nil) {
				return
			}
		}
	}
}

func TestStreamsAndPagesYieldEveryEntryOnce(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		result, err := c.Import(t.Context(), "self", lines(250))
		if err != nil || result.Created != 250 {
			t.Fatalf("got %+v, %v", result, err)
		}
		keys := func(entries iter.Seq2[api.Entry, error]) (all []string) {
			for entry, err := range entries {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, entry.Key)
			}
			return all
		}
		listed, exported := keys(c.List(t.Context(), "self", nil)), keys(c.Export(t.Context(), "self", nil))
		if len(listed) != 250 || strings.Join(listed, " ") != strings.Join(exported, " ") {
			t.Errorf("listed %d, exported %d", len(listed), len(exported))
		}
		for range c.Export(t.Context(), "self", nil) {
			break // an iteration may end early
		}
		for _, key := range []string{"k0000", "k0001"} {
			if err := c.Delete(t.Context(), client.Path{Store: "self", Key: key}, client.Conditions{}); err != nil {
				t.Fatal(err)
			}
		}
		deleted := 0
		for entry, err := range c.Trash(t.Context(), "self") {
			if err != nil || entry.DeletedAt.IsZero() {
				t.Fatalf("got %+v, %v", entry, err)
			}
			deleted++
		}
		if deleted != 2 {
			t.Errorf("the trash has %d", deleted)
		}
		versions := 0
		for range c.Versions(t.Context(), client.Path{Store: "self", Key: "k0002"}) {
			versions++
		}
		if versions != 1 {
			t.Errorf("got %d versions", versions)
		}
	})
}

func TestRefusedLinesAreListed(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		result, err := c.ImportLines(t.Context(), "self", strings.NewReader("{\"key\":\"/\",\"value\":1}\n{\"key\":\"k\",\"value\":1}\n"))
		if err != nil || result.Created != 1 || result.Refused != 1 || result.Refusals[0].Line != 1 || result.Refusals[0].Detail == nil {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}

func TestAnErrorOfTheSourceEndsAnImport(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		broken := errors.New("broken")
		_, err := c.Import(t.Context(), "self", func(yield func(api.ImportLine, error) bool) {
			if yield(api.ImportLine{Key: "k", Value: []byte("1")}, nil) {
				yield(api.ImportLine{}, broken)
			}
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Import(t.Context(), "other", lines(10_000)); client.StatusOf(err) != http.StatusForbidden {
			t.Errorf("got %v", err)
		}
	})
}

func TestSearchHasItsTimingOnlyWithExplain(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		if _, err := c.Import(t.Context(), "self", lines(3)); err != nil {
			t.Fatal(err)
		}
		for _, explain := range []bool{false, true} {
			q := api.Question{Query: new("tyres for the winter")}
			if explain {
				q.Explain = client.ExplainHits()
			}
			answer, timing, err := c.Search(t.Context(), q)
			if err != nil || len(answer.Hits) != 3 {
				t.Fatalf("got %+v, %v", answer, err)
			}
			if explain != (timing != nil) || explain && timing.Total <= 0 {
				t.Errorf("explain %v: got %+v", explain, timing)
			}
		}
	})
}

func TestDecodeReadsGeneratedCalls(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		read := api.Read
		grant, err := client.Decode[api.Grant](c.PutGrant(t.Context(), "self", "bob", api.Share{Level: &read}))
		if err != nil || grant.Grantee != "bob" {
			t.Fatalf("got %+v, %v", grant, err)
		}
		if err := client.Discard(c.DeleteGrant(t.Context(), "self", "bob", nil)); err != nil {
			t.Error(err)
		}
		stores, err := client.Decode[api.Stores](c.ListStores(t.Context(), nil))
		if err != nil || len(stores.Stores) != 1 {
			t.Errorf("got %+v, %v", stores, err)
		}
	})
}

// SECURITY: errors of refused calls can be logged. The client's own tests check
// responses that our server never sends.
func TestErrorsNeverIncludeStoreTokenOrText(t *testing.T) {
	const secret = "xyzzy"
	handler, _ := start(t)
	c := open(t, listen(t, handler), secret, nil)
	path := client.Path{Store: secret, Namespace: secret, Key: secret}
	_, _, get := c.Get(t.Context(), path)
	_, put := c.Put(t.Context(), path, api.Write{Value: []byte(`"` + secret + `"`)}, client.Conditions{})
	_, _, search := c.Search(t.Context(), api.Question{Query: new(secret)})
	_, imported := c.Import(t.Context(), secret, lines(1))
	calls := map[string]error{"get": get, "put": put, "search": search, "import": imported}
	for _, err := range c.Export(t.Context(), secret, nil) {
		calls["export"] = err
	}
	for call, err := range calls {
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v", call, err)
		}
	}
}

func TestErrorHasTheProblem(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		_, err := c.Put(t.Context(), client.Path{Store: "self", Key: "k"}, api.Write{Value: []byte("1"), Tags: &api.Tags{""}}, client.Conditions{})
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity || refused.Type != api.UrnMnemeProblemRule ||
			refused.Field == nil || *refused.Field != "tags" || !strings.HasPrefix(refused.Reason(), "tags: ") {
			t.Errorf("got %+v", err)
		}
	})
}

func TestABatchPreservesValuesAndNamesFailedItems(t *testing.T) {
	each(t, func(t *testing.T, c *client.Client) {
		const value = `{ "z" : 1.50, "<a>":[ 1 ] }`
		items := []api.BatchItem{
			{Op: api.OpPut, Key: "a", Value: []byte(value)},
			{Op: api.OpPut, Key: "none", Value: []byte("null")},
			{Op: api.OpGet, Key: "a"},
			{Op: api.OpDelete, Key: "absent"},
		}
		for range 2 { // the second is the same call
			outcomes, err := c.Batch(t.Context(), "self", items, false, "key")
			if err != nil || len(outcomes) != 4 || outcomes[0].Status != 201 || outcomes[3].Problem == nil || outcomes[3].Status != 404 {
				t.Fatalf("%+v, %v", outcomes, err)
			}
			if got := string(outcomes[2].Entry.Value); got != value || string(outcomes[1].Entry.Value) != "null" {
				t.Errorf("%s came back as %s", value, got)
			}
		}
		_, err := c.Batch(t.Context(), "self", items, true, "")
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Status != 404 || refused.Item == nil || *refused.Item != 3 {
			t.Errorf("an atomic batch: %v", err)
		}
	})
}
