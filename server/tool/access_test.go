package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/problem"
	"mneme/server/tool"
	"mneme/test/accesstest"
)

// Operations without a tool, such as changes of chat membership, are made at the service.
func TestAccessMatrixHoldsForTheMemoryTool(t *testing.T) {
	full(t)
	t.Parallel()
	accesstest.Run(t, &throughMemory{direct{open(t)}})
}

// The Triggerfish tools access only the caller's own store, except by searching.
func TestAccessMatrixHoldsForTheTriggerfishTools(t *testing.T) {
	full(t)
	t.Parallel()
	accesstest.Run(t, &throughTriggerfish{direct{open(t)}})
}

// full reports whether to run the whole matrix; short runs skip it.
func full(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short runs look for races; the matrix has no concurrency")
	}
}

// direct makes operations for which there is no tool at the service.
type direct struct{ *harness }

func (d *direct) Market() *meter.Market    { return d.service.Market }
func (d *direct) Advance(by time.Duration) { d.clock.Advance(by) }
func (d *direct) Index()                   {} // a service without a model has no vectors

// arrange makes an operation that sets up a test, at the service.
func (d *direct) arrange(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	ctx, c := context.Background(), memory.Caller{Principal: p, Internal: true}
	var err error
	created := false
	switch op.Name {
	case accesstest.JoinChat:
		err = d.service.PutParticipant(ctx, c, op.Store, op.Other, nil)
	case accesstest.LeaveChat:
		err = d.service.DeleteParticipant(ctx, c, op.Store, op.Other)
	case accesstest.JoinUser:
		err = d.service.PutSession(ctx, c, op.Store, op.Other, nil)
	case accesstest.Put:
		var put memory.PutResult
		put, err = d.service.Put(ctx, c, memory.PutRequest{
			Path: memory.Path{Store: op.Store, Key: op.Key}, Value: must(d.t, op.Value), InContext: op.InContext, Encrypted: op.Encrypted,
		})
		created = put.Created
	case accesstest.Delete:
		err = d.service.Delete(ctx, c, memory.Path{Store: op.Store, Key: op.Key}, memory.Preconditions{})
	case accesstest.AcceptGrant:
		_, err = d.service.AcceptGrant(ctx, c, op.Store)
	case accesstest.Share:
		r := memory.ShareRequest{Store: op.Store, Grantee: op.Other, Level: op.Level, MaxLabel: op.MaxLabel}
		if op.TTL > 0 {
			r.TTL = &op.TTL
		}
		_, err = d.service.Share(ctx, c, r)
	default:
		panic("no such arrangement: " + op.Name)
	}
	switch {
	case err != nil:
		return accesstest.Outcome{Status: problem.From(err).Status}
	case created:
		return accesstest.Outcome{Status: 201}
	}
	return accesstest.Outcome{Status: 200}
}

// arranges reports whether an operation sets up a test. The operations under
// test are those of the caller, and of the store's owner at the caller's taint.
func arranges(p acl.Principal, op accesstest.Operation) bool {
	tested := p.Taint == acl.Internal && (accesstest.Is(p.Agent, "caller") || accesstest.Is(p.Agent, "owner")) && op.Encrypted == nil && op.InContext == nil
	return !tested || op.Name == accesstest.AcceptGrant || op.Name == accesstest.JoinChat || op.Name == accesstest.LeaveChat || op.Name == accesstest.JoinUser
}

type throughMemory struct{ direct }

func (m *throughMemory) Offers(op string) bool {
	switch op {
	case accesstest.Versions, accesstest.Export, accesstest.Changes, accesstest.Restore, accesstest.Trash, accesstest.Grants,
		accesstest.Accept, accesstest.AcceptGrant, accesstest.EndGrant, accesstest.PagedPurchase, accesstest.SetLanguage, "nearest",
		accesstest.RenameNamespace: // its paths have no namespaces
		return false
	}
	return true
}

func (m *throughMemory) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	if arranges(p, op) || op.MaxLabel != 0 || op.TTL != 0 { // no tool takes a highest label or an end
		return m.arrange(p, op)
	}
	p.Share, p.Spend = true, true
	path := "/memories/shared/" + op.Store + "/"
	switch op.Name {
	case accesstest.Put:
		if m.hiddenInternal(p, op) {
			return m.refusedInternal(p, "memory", "command", "create", "path", path+op.Key, "content", op.Value)
		}
		return m.put(p, op, "memory", "command", "create", "path", path+op.Key, "content", op.Value)
	case accesstest.Get:
		return m.shown(p, op, func() accesstest.Outcome {
			out := m.do(p, "memory", "command", "view", "path", path+op.Key)
			_, out.Value, _ = strings.Cut(out.Value, "\n     1\t")
			out.Label = m.labelAt(p, op) // the view that an edit returns has no label
			return out
		})
	case accesstest.List:
		return m.list(p, path)
	case accesstest.Search:
		return m.search(p, op, "query", op.Query)
	case accesstest.RankedSearch:
		return m.search(p, op, "query", op.Query, "ranking", op.Ranking)
	case accesstest.RelevantSearch:
		return m.search(p, op, "query", op.Query, "min_relevance", op.MinRelevance)
	case accesstest.RefinedSearch:
		return m.explained(p, op, m.search(p, op, refined(op)...))
	case accesstest.PagedSearch:
		return m.inPages(p, "memory", "command", "search", "query", op.Query, "store", op.Store, "limit", 1)
	case accesstest.OfferSearch:
		return m.found(m.do(p, "memory", "command", "search", "query", op.Query, "offer", op.Offer, "max_charge", 1_000_000))
	case accesstest.Delete:
		return m.shown(p, op, func() accesstest.Outcome { return m.do(p, "memory", "command", "delete", "path", path+op.Key) })
	case accesstest.Rename:
		return m.shown(p, op, func() accesstest.Outcome {
			return m.do(p, "memory", "command", "rename", "old_path", path+op.Key, "new_path", path+op.To)
		})
	case accesstest.RenameStore:
		return m.shown(p, op, func() accesstest.Outcome {
			return m.do(p, "memory", "command", "rename", "old_path", path+op.Key, "new_path", "/memories/shared/"+*op.ToStore+"/"+op.To)
		})
	case accesstest.Share:
		return m.do(p, "memory", "command", "share", "path", path, "agent", op.Other, "level", op.Level.String())
	case accesstest.Unshare:
		return m.do(p, "memory", "command", "unshare", "path", path, "agent", op.Other)
	}
	panic("no such operation: " + op.Name)
}

// search searches an operation's store.
func (m *throughMemory) search(p acl.Principal, op accesstest.Operation, options ...any) accesstest.Outcome {
	return m.found(m.do(p, "memory", charged(op, append([]any{"command", "search", "store", op.Store, "limit", 100}, options...)...)...))
}

// charged adds the maximum charge to the parameters of a search.
func charged(op accesstest.Operation, pairs ...any) []any {
	if op.MaxCharge != nil {
		pairs = append(pairs, "max_charge", *op.MaxCharge)
	}
	return pairs
}

// paid adds the maximum charge and the store to the parameters of memory_search.
func paid(op accesstest.Operation, pairs ...any) []any {
	if op.MaxCharge != nil {
		pairs = append(pairs, "stores", []string{op.Store})
	}
	return charged(op, pairs...)
}

// labelAt returns the label of the entry that a tool's caller sees at a key.
func (d *direct) labelAt(p acl.Principal, op accesstest.Operation) acl.Label {
	e, err := d.service.Get(context.Background(), memory.Caller{Principal: p}, memory.Path{Store: op.Store, Key: op.Key})
	if err != nil {
		return 0
	}
	return e.Label
}

// list reads the keys from a view of the store's root. A view shows two levels, which is enough
// for the keys of the matrix.
func (m *throughMemory) list(p acl.Principal, path string) accesstest.Outcome {
	out := m.do(p, "memory", "command", "view", "path", path)
	for line := range strings.Lines(out.Value) {
		_, at, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"+path)
		if ok && !strings.HasSuffix(at, "/") {
			out.Keys = append(out.Keys, at)
		}
	}
	return out
}

type throughTriggerfish struct{ direct }

func (f *throughTriggerfish) Offers(op string) bool {
	switch op {
	case accesstest.Put, accesstest.Get, accesstest.List, accesstest.Search, accesstest.RelevantSearch, accesstest.RefinedSearch,
		accesstest.PagedSearch, accesstest.OfferSearch, accesstest.Delete:
		return true
	}
	return op == accesstest.ExplainEntry || op != "nearest" && slices.Contains(slices.Concat(accesstest.Options, accesstest.OpenOptions), op)
}

func (f *throughTriggerfish) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	if arranges(p, op) || op.Name == accesstest.Share {
		return f.arrange(p, op)
	}
	if op.Store != p.Agent && !strings.HasPrefix(op.Name, accesstest.Search) && op.Name != accesstest.OfferSearch {
		return f.elsewhere(p, op)
	}
	p.Spend = true
	switch op.Name {
	case accesstest.Put:
		if f.hiddenInternal(p, op) {
			return f.refusedInternal(p, "memory_save", "key", op.Key, "content", op.Value)
		}
		return f.put(p, op, "memory_save", "key", op.Key, "content", op.Value)
	case accesstest.Get:
		return f.shown(p, op, func() accesstest.Outcome {
			out := f.do(p, "memory_get", "key", op.Key)
			var got struct {
				Found          bool
				Content        string
				Classification acl.Label
			}
			f.read(out, &got)
			out.Value, out.Label = got.Content, got.Classification
			if out.Status == 200 && !got.Found {
				out.Status = 404
			}
			return out
		})
	case accesstest.List:
		out := f.do(p, "memory_list")
		var got struct{ Memories []struct{ Key string } }
		f.read(out, &got)
		for _, one := range got.Memories {
			out.Keys = append(out.Keys, one.Key)
		}
		return out
	case accesstest.Search:
		return f.search(p, op, "query", op.Query)
	case accesstest.RelevantSearch:
		return f.search(p, op, "query", op.Query, "min_relevance", op.MinRelevance)
	case accesstest.RefinedSearch:
		return f.search(p, op, refined(op)...)
	case accesstest.OfferSearch:
		return f.found(f.do(p, "memory_search", "query", op.Query, "offer", op.Offer, "max_charge", 1_000_000))
	case accesstest.PagedSearch:
		return f.reached(p, op, f.inPages(p, "memory_search", "query", op.Query, "max_results", 1))
	case accesstest.Delete:
		return f.shown(p, op, func() accesstest.Outcome { return f.do(p, "memory_delete", "key", op.Key) })
	}
	panic("no such operation: " + op.Name)
}

// elsewhere checks that the tools do not reach another agent's store. It returns
// the outcome of the memory tool, which reaches it.
func (f *throughTriggerfish) elsewhere(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	for _, call := range [][]any{{"memory_get", "key", op.Key}, {"memory_get", "key", op.Key, "namespace", op.Store}, {"memory_list"}} {
		if result := f.try(p, call[0].(string), call[1:]...); strings.Contains(result.Text, "heliotrope") {
			f.t.Errorf("%v reaches the store %s: %s", call, op.Store, result.Text)
		}
	}
	return (&throughMemory{f.direct}).Do(p, op)
}

// search searches all accessible stores: the caller's own and the one under test, but
// no chat or user, since the token claims none. A search with a maximum charge names
// the store under test.
func (f *throughTriggerfish) search(p acl.Principal, op accesstest.Operation, options ...any) accesstest.Outcome {
	return f.reached(p, op, f.explained(p, op, f.found(f.do(p, "memory_search", paid(op, append([]any{"max_results", 100}, options...)...)...))))
}

// reached returns the outcome of a search by memory_search, or by the memory tool
// if that names a store that memory_search does not reach.
func (f *throughTriggerfish) reached(p acl.Principal, op accesstest.Operation, out accesstest.Outcome) accesstest.Outcome {
	if op.MaxCharge != nil { // it named the store
		return out
	}
	viaMemory := (&throughMemory{f.direct}).Do(p, op)
	if viaMemory.Status == 403 || accesstest.Is(op.Store, "chat-1") || accesstest.Is(op.Store, "user-1") {
		if len(out.Keys) > 0 {
			f.t.Errorf("memory_search found %q", out.Keys)
		}
		return viaMemory
	}
	return out
}

// refined returns the parameters of a search with an option of the matrix.
func refined(op accesstest.Operation) []any {
	value := map[string]any{
		"mode": "lexical", "queries": []string{op.Query, "another wording"}, "recency": map[string]any{"half_life": "1h"}, "diversity": 0.5, "typos": false, "dates": false, "as_of": accesstest.AsOf,
		"where": json.RawMessage(accesstest.Where), "match": json.RawMessage(accesstest.Match), "timezone": accesstest.Timezone, "passages": true, "max_tokens": 10_000,
		"explain": true,
	}[op.Option]
	if op.Option == accesstest.ExplainEntry { // with room for every hit
		return []any{"query", op.Query, "min_relevance", 0, "max_tokens", 10_000, "explain", map[string]any{"store": op.Store, "key": op.Key}}
	}
	if op.Option == "queries" {
		return []any{op.Option, value}
	}
	return []any{"query", op.Query, op.Option, value}
}

// inPages returns the keys of all pages of a search.
func (d *direct) inPages(p acl.Principal, name string, pairs ...any) (out accesstest.Outcome) {
	d.t.Helper()
	for next := ""; ; {
		page := d.found(d.do(p, name, append(pairs, "cursor", next)...))
		if out.Status, out.Keys = page.Status, append(out.Keys, page.Keys...); page.Next == "" {
			return out
		}
		next = page.Next
	}
}

// do calls a tool and returns the outcome.
func (d *direct) do(p acl.Principal, name string, pairs ...any) accesstest.Outcome {
	d.t.Helper()
	result := d.try(p, name, pairs...)
	return accesstest.Outcome{Status: statusOf(result), Value: result.Text}
}

func statusOf(r tool.Result) int {
	if !r.IsError {
		return 200
	}
	return problem.From(r.Cause()).Status
}

func (d *direct) read(out accesstest.Outcome, into any) {
	d.t.Helper()
	if out.Status == 200 {
		if err := json.Unmarshal([]byte(out.Value), into); err != nil {
			d.t.Fatal(err)
		}
	}
}

// found decodes the hits of a search of either family.
func (d *direct) found(out accesstest.Outcome) accesstest.Outcome {
	var got struct {
		Results []struct {
			Key              string
			Path             string
			UpdatedAt        string `json:"updated_at"`
			Score, Relevance float64
		}
		Charges  []struct{ Amount int64 }
		Degraded []string
		Next     string `json:"next_cursor"`
		Explain  struct {
			Entry struct{ Outcome search.Outcome }
		}
	}
	d.read(out, &got)
	out.Next, out.Explained, out.Charges = got.Next, got.Explain.Entry.Outcome, len(got.Charges)
	out.Lags, out.NoVectors = slices.Contains(got.Degraded, search.LagVector), slices.Contains(got.Degraded, search.LegVector)
	for _, hit := range got.Results {
		out.Keys = append(out.Keys, hit.Key)
		out.Bare = out.Bare || hit.UpdatedAt == "" && hit.Path == ""
		out.Coarse = out.Coarse || accesstest.Coarse(hit.Score, hit.Relevance)
	}
	return out
}

// explained checks the explanation of an entry that is not in context, which for a
// tool does not exist. It returns the outcome that the matrix expects of surfaces
// that reach such an entry.
func (d *direct) explained(p acl.Principal, op accesstest.Operation, out accesstest.Outcome) accesstest.Outcome {
	if op.Option != accesstest.ExplainEntry || out.Status != 200 {
		return out
	}
	c, at := memory.Caller{Principal: p, Internal: true}, memory.Path{Store: op.Store, Key: op.Key}
	if e, err := d.service.Get(context.Background(), c, at); err != nil || e.InContext {
		return out
	}
	if out.Explained != search.OutcomeNotFound {
		d.t.Errorf("a tool explains an entry that is not in context: %s", out.Explained)
	}
	out.Explained = search.OutcomeNotInContext
	return out
}

// put calls a writing tool and returns the outcome. Tools do not report
// whether they created an entry, so put asks the service. Unlike REST, a tool
// must not overwrite a client's encrypted blob with plain text.
func (d *direct) put(p acl.Principal, op accesstest.Operation, name string, pairs ...any) accesstest.Outcome {
	before, err := d.service.Get(context.Background(), memory.Caller{Principal: p}, memory.Path{Store: op.Store, Key: op.Key})
	out := d.do(p, name, pairs...)
	switch {
	case err == nil && before.Encrypted && before.Label == p.Taint:
		if out.Status != 409 && out.Status != 403 {
			d.t.Errorf("plain text over a blob: status %d", out.Status)
		}
		if out.Status == 409 {
			out.Status = 200
		}
	case out.Status == 200 && (errors.Is(err, memory.ErrNotFound) || err == nil && before.Label != p.Taint):
		out.Status = 201
	}
	return out
}

// hiddenInternal reports whether a key has an entry at the caller's label that
// is not in context.
func (d *direct) hiddenInternal(p acl.Principal, op accesstest.Operation) bool {
	at := memory.Path{Store: op.Store, Key: op.Key}
	e, err := d.service.Get(context.Background(), memory.Caller{Principal: p, Internal: true}, at)
	return err == nil && !e.InContext && e.Label == p.Taint
}

// refusedInternal checks that a tool does not overwrite an entry that is not in context. It
// returns the outcome that the matrix expects of surfaces that reach such entries.
func (d *direct) refusedInternal(p acl.Principal, name string, pairs ...any) accesstest.Outcome {
	if out := d.do(p, name, pairs...); out.Status != 409 {
		d.t.Errorf("a tool over an entry that is not in context: status %d", out.Status)
	}
	return accesstest.Outcome{Status: 200}
}

// shown calls attempt, which reads, deletes or renames an entry by a tool. For a tool, an entry
// that is not in context does not exist, not even for its owner. The matrix expects the outcome
// of surfaces that reach such an entry, so shown checks for a 404 and then asks the service.
func (d *direct) shown(p acl.Principal, op accesstest.Operation, attempt func() accesstest.Outcome) accesstest.Outcome {
	ctx, c, at := context.Background(), memory.Caller{Principal: p, Internal: true}, memory.Path{Store: op.Store, Key: op.Key}
	e, err := d.service.Get(ctx, c, at)
	if err != nil || e.InContext {
		return attempt()
	}
	out := attempt()
	// A store that the caller may not write is refused before the entry is looked for.
	refused := op.ToStore != nil && accesstest.Is(*op.ToStore, "resident") && out.Status == 403
	if out.Status != 404 && !refused {
		d.t.Errorf("%s through a tool reaches an entry that is not in context: status %d", op.Name, out.Status)
	}
	out = accesstest.Outcome{Status: 200, Label: e.Label}
	switch op.Name {
	case accesstest.Delete:
		err = d.service.Delete(ctx, c, at, memory.Preconditions{})
	case accesstest.Rename:
		_, err = d.service.Rename(ctx, c, memory.RenameRequest{Path: at, To: op.To})
	case accesstest.RenameStore:
		_, err = d.service.Rename(ctx, c, memory.RenameRequest{Path: at, To: op.To, ToStore: *op.ToStore})
	default:
		err = json.Unmarshal(e.Value, &out.Value)
	}
	if err != nil {
		out.Status = problem.From(err).Status
	}
	return out
}
