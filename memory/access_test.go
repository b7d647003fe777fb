package memory_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/test/accesstest"
	"mneme/test/backendtest"
)

func TestServicePassesTheAccessMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("the matrix runs nothing concurrently, and -short looks for races")
	}
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		accesstest.Run(t, &serviceSurface{open(t, b, memory.Limits{})})
	})
}

// serviceSurface calls the service directly.
type serviceSurface struct{ harness *harness }

func (d *serviceSurface) Index()                   { d.harness.Index() }
func (d *serviceSurface) Advance(by time.Duration) { d.harness.Clock.Advance(by) }
func (d *serviceSurface) Offers(op string) bool    { return true }
func (d *serviceSurface) Market() *meter.Market    { return d.harness.Market }

func (d *serviceSurface) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	ctx, c, s := context.Background(), caller(p), d.harness
	purchase := search.Purchase{MaxCharge: op.MaxCharge}
	path := memory.Path{Store: op.Store, Key: op.Key}
	var ttl *time.Duration
	if op.TTL > 0 {
		ttl = &op.TTL
	}
	switch op.Name {
	case accesstest.Put:
		r, err := s.Put(ctx, c, memory.PutRequest{Path: path, Value: text(op.Value), InContext: op.InContext, Encrypted: op.Encrypted})
		return written(r, err)
	case accesstest.Get:
		f, err := s.Get(ctx, c, path)
		out := accesstest.Outcome{Status: status(err), Label: f.Label}
		json.Unmarshal(f.Value, &out.Value) //nolint:errcheck // absent on errors
		now, err := s.GetAsOf(ctx, c, path, d.now(), "")
		if status(err) != out.Status || now.ID != f.ID || now.ETag != f.ETag {
			d.harness.t.Errorf("as of now %s %s is %v (%v), else %v", op.Store, op.Key, now, err, f)
		}
		return out
	case accesstest.List:
		r := memory.ListRequest{Store: op.Store, Filter: filtered(op.Option), Limit: 100}
		out := page(s.List(ctx, c, r))
		r.AsOf = d.now()
		if now := page(s.List(ctx, c, r)); !reflect.DeepEqual(now, out) {
			d.harness.t.Errorf("the list of %s as of now is %v, else %v", op.Store, now, out)
		}
		return out
	case accesstest.Versions:
		return page(s.Versions(ctx, c, path, 100, ""))
	case accesstest.Trash:
		return page(s.Trash(ctx, c, memory.TrashRequest{Store: op.Store, Limit: 100}))
	case accesstest.Changes:
		_, err := s.Changes(ctx, c, memory.ChangesRequest{Store: op.Store, Limit: 100})
		return accesstest.Outcome{Status: status(err)}
	case accesstest.Export:
		var items []memory.Found
		err := s.Export(ctx, c, op.Store, filtered(op.Option), func(f memory.Found) error { items = append(items, f); return nil })
		return page(memory.Page{Items: items}, err)
	case accesstest.Search, accesstest.RankedSearch, accesstest.RelevantSearch, accesstest.RefinedSearch:
		a, err := s.Search(ctx, c, refined(search.Request{
			Query: op.Query, Stores: []string{op.Store}, Limit: 100, MinRelevance: op.MinRelevance, Ranking: search.Ranking(op.Ranking), Purchase: purchase,
		}, op.Option, path))
		if slices.ContainsFunc(a.Degraded, func(what string) bool { return what != search.LagVector }) {
			d.harness.t.Errorf("the answer is degraded: %v", a.Degraded)
		}
		return found(a, err)
	case accesstest.PagedSearch:
		return d.inPages(c, search.Request{Query: op.Query, Stores: []string{op.Store}, Limit: 1, Purchase: purchase})
	case accesstest.OfferSearch:
		purchase.Offer = uuid.MustParse(op.Offer)
		return found(s.Search(ctx, c, search.Request{Query: op.Query, Limit: 100, Purchase: purchase}))
	case accesstest.Accept:
		_, err := d.harness.Market.Accept(ctx, c, uuid.MustParse(op.Offer), memory.Preconditions{}, nil)
		return written(memory.PutResult{Created: true}, err)
	case accesstest.Delete:
		return accesstest.Outcome{Status: status(s.Delete(ctx, c, path, memory.Preconditions{}))}
	case accesstest.Restore:
		return written(s.Restore(ctx, c, memory.RestoreRequest{Path: path, Version: op.Version}))
	case accesstest.Rename, accesstest.RenameNamespace, accesstest.RenameStore:
		r := memory.RenameRequest{Path: path, To: op.To, ToNamespace: op.ToNamespace}
		if op.ToStore != nil {
			r.ToStore = *op.ToStore
		}
		_, err := s.Rename(ctx, c, r)
		return accesstest.Outcome{Status: status(err)}
	case accesstest.Grants:
		_, err := s.Grants(ctx, c, op.Store)
		return accesstest.Outcome{Status: status(err)}
	case accesstest.Share:
		_, err := s.Share(ctx, c, memory.ShareRequest{Store: op.Store, Grantee: op.Other, Level: op.Level, TTL: ttl, MaxLabel: op.MaxLabel})
		return accesstest.Outcome{Status: status(err)}
	case accesstest.AcceptGrant:
		_, err := s.AcceptGrant(ctx, c, op.Store)
		return accesstest.Outcome{Status: status(err)}
	case accesstest.Unshare, accesstest.EndGrant:
		return accesstest.Outcome{Status: status(s.Unshare(ctx, c, op.Store, op.Other))}
	case accesstest.SetLanguage:
		_, err := s.SetLanguage(ctx, c, op.Store, choice.LanguageMultilingual)
		return accesstest.Outcome{Status: status(err)}
	case accesstest.JoinChat:
		return accesstest.Outcome{Status: status(s.PutParticipant(ctx, c, op.Store, op.Other, ttl))}
	case accesstest.LeaveChat:
		return accesstest.Outcome{Status: status(s.DeleteParticipant(ctx, c, op.Store, op.Other))}
	case accesstest.JoinUser:
		return accesstest.Outcome{Status: status(s.PutSession(ctx, c, op.Store, op.Other, ttl))}
	case accesstest.LeaveUser:
		return accesstest.Outcome{Status: status(s.DeleteSession(ctx, c, op.Store, op.Other))}
	}
	panic("no such operation: " + op.Name)
}

// inPages returns the keys of all pages of a search.
func (d *serviceSurface) inPages(c memory.Caller, r search.Request) (out accesstest.Outcome) {
	for {
		a, err := d.harness.Search(background, c, r)
		page := found(a, err)
		if out.Status, out.Keys = page.Status, append(out.Keys, page.Keys...); err != nil {
			return out
		}
		values := a.Values()
		must(d.harness, values.Each(background, func(*search.Hit) error { return nil }))
		r.Cursor, err = values.Next(0)
		must(d.harness, err)
		if r.Cursor == "" {
			return out
		}
	}
}

// now returns the present as a value of the option as_of.
func (d *serviceSurface) now() string { return d.harness.Clock.Now().UTC().Format(time.RFC3339Nano) }

// refined returns a search with one of the options that the access matrix tests.
func refined(r search.Request, option string, path memory.Path) search.Request {
	switch option {
	case "mode":
		r.Mode = search.ModeLexical
	case "queries":
		r.Query, r.Queries = "", []string{r.Query, "another wording"}
	case "recency":
		r.Recency = &search.Recency{HalfLife: time.Hour, Weight: 0.5}
	case "diversity":
		r.Diversity = 0.5
	case "typos":
		r.NoTypos = true
	case "dates":
		r.NoDates = true
	case memory.OptionAsOf:
		r.AsOf = accesstest.AsOf
	case "nearest":
		r.MinRelevance, r.Nearest = 1, search.MaxNearest
	case "explain":
		r.Explain = true
	case accesstest.ExplainEntry:
		r.ExplainEntry = &path
	case "where", "match":
		r.Filter = filtered(option)
	case "timezone":
		r.Filter.Timezone = accesstest.Timezone
	case "passages":
		r.Passages = true
	case "max_tokens":
		r.MaxTokens = 10_000
	}
	return r
}

// filtered returns the filter that belongs to one of the options that the access matrix tests.
func filtered(option string) (f memory.Filter) {
	if option == "where" {
		f.Where = where(accesstest.Where)
	}
	if option == "match" {
		f.Match = match(accesstest.Match)
	}
	return f
}

func written(r memory.PutResult, err error) accesstest.Outcome {
	out := accesstest.Outcome{Status: status(err)}
	if err == nil && r.Created {
		out.Status = 201
	}
	return out
}

func page(p memory.Page, err error) accesstest.Outcome {
	out := accesstest.Outcome{Status: status(err)}
	for _, item := range p.Items {
		out.Keys = append(out.Keys, item.Key)
	}
	return out
}

func found(a search.Answer, err error) accesstest.Outcome {
	out := accesstest.Outcome{Status: status(err), Label: a.Label, Lags: slices.Contains(a.Degraded, search.LagVector), Charges: len(a.Bill.Charges)}
	if a.Explanation != nil && a.Explanation.Entry != nil {
		out.Explained = a.Explanation.Entry.Outcome
	}
	for _, n := range a.Nearest {
		out.Keys = append(out.Keys, n.Entry.Key)
	}
	for _, hit := range a.Hits {
		out.Keys = append(out.Keys, hit.Key)
		out.Bare = out.Bare || hit.Owner == "" && hit.UpdatedBy == "" && hit.ID.String() == "00000000-0000-0000-0000-000000000000"
		out.Coarse = out.Coarse || accesstest.Coarse(hit.Score, hit.Relevance)
	}
	return out
}
