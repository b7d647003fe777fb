package rest_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/meter"
	"mneme/search"
	"mneme/test/accesstest"
)

// The access matrix holds over HTTP as it does for the service.
func TestAccessMatrixHoldsForREST(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in the matrix, which is what the short run looks for: the full run has it")
	}
	t.Parallel()
	accesstest.Run(t, &overHTTP{open(t)})
}

type overHTTP struct{ *harness }

func (o *overHTTP) Advance(by time.Duration) { o.clock.Advance(by) }
func (o *overHTTP) Offers(string) bool       { return true }
func (o *overHTTP) Market() *meter.Market    { return o.market }
func (o *overHTTP) Index()                   {} // a service without a model has no vectors

func (o *overHTTP) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	store := "/v1/stores/" + url.PathEscape(op.Store)
	entry := store + "/memories/" + url.PathEscape(op.Key)
	grant := store + "/grants/" + url.PathEscape(op.Other)
	chat := "/v1/chats/" + op.Store + "/participants/" + op.Other
	user := "/v1/users/" + op.Store + "/sessions/" + op.Other
	switch op.Name {
	case accesstest.Put:
		return o.do(p, "PUT", entry, body("value", op.Value, "in_context", op.InContext, "encrypted", op.Encrypted))
	case accesstest.Get:
		return o.do(p, "GET", entry, "")
	case accesstest.List:
		return o.do(p, "GET", store+"/memories?limit=100"+whereParam("&", op), "")
	case accesstest.Versions:
		return o.do(p, "GET", entry+"/versions?limit=100", "")
	case accesstest.Trash:
		return o.do(p, "GET", store+"/trash?limit=100", "")
	case accesstest.Changes:
		return o.do(p, "GET", store+"/changes", "")
	case accesstest.Export:
		return o.do(p, "GET", store+"/export"+whereParam("?", op), "")
	case accesstest.Search:
		return o.do(p, "POST", "/v1/search", body("query", op.Query, "stores", []string{op.Store}, "limit", 100, "max_charge", op.MaxCharge))
	case accesstest.RankedSearch:
		return o.do(p, "POST", "/v1/search", body("query", op.Query, "stores", []string{op.Store}, "limit", 100, "ranking", op.Ranking, "max_charge", op.MaxCharge))
	case accesstest.RelevantSearch:
		return o.do(p, "POST", "/v1/search", body("query", op.Query, "stores", []string{op.Store}, "limit", 100, "min_relevance", op.MinRelevance, "max_charge", op.MaxCharge))
	case accesstest.RefinedSearch:
		value := map[string]any{
			"mode": "lexical", "queries": []string{op.Query, "another wording"}, "recency": map[string]any{"half_life": "1h"}, "diversity": 0.5, "typos": false, "dates": false, "as_of": accesstest.AsOf, "explain": true,
			"where": json.RawMessage(accesstest.Where), "match": json.RawMessage(accesstest.Match), "timezone": accesstest.Timezone, "passages": true, "max_tokens": 10_000, "nearest": 3,
		}[op.Option]
		option := op.Option
		if option == accesstest.ExplainEntry {
			option, value = "explain", map[string]any{"store": op.Store, "key": op.Key}
		}
		pairs := []any{"query", op.Query, "stores", []string{op.Store}, "limit", 100, "max_charge", op.MaxCharge, option, value}
		switch op.Option {
		case "queries":
			pairs = pairs[2:]
		case "nearest":
			pairs = append(pairs, "min_relevance", 1)
		}
		return o.do(p, "POST", "/v1/search", body(pairs...))
	case accesstest.PagedSearch:
		return o.inPages(p, "query", op.Query, "stores", []string{op.Store}, "limit", 1, "max_charge", op.MaxCharge)
	case accesstest.OfferSearch:
		return o.do(p, "POST", "/v1/offers/"+op.Offer+"/search", body("query", op.Query))
	case accesstest.Accept:
		return o.do(p, "POST", "/v1/offers/"+op.Offer+"/accept", "")
	case accesstest.Delete:
		return o.do(p, "DELETE", entry, "")
	case accesstest.Restore:
		if op.Version == nil {
			return o.do(p, "POST", entry+"/restore", "")
		}
		return o.do(p, "POST", entry+"/restore", body("version", *op.Version))
	case accesstest.Rename, accesstest.RenameNamespace, accesstest.RenameStore:
		return o.do(p, "POST", entry+"/rename", body("to", op.To, "to_namespace", op.ToNamespace, "to_store", op.ToStore))
	case accesstest.Grants:
		return o.do(p, "GET", store+"/grants", "")
	case accesstest.Share:
		fields := []any{"level", op.Level.String(), "ttl", int64(op.TTL / time.Second)}
		if op.MaxLabel != 0 {
			fields = append(fields, "max_label", op.MaxLabel)
		}
		return o.do(p, "PUT", grant, body(fields...))
	case accesstest.AcceptGrant:
		return o.do(p, "POST", store+"/accept", "")
	case accesstest.Unshare, accesstest.EndGrant:
		return o.do(p, "DELETE", grant, "")
	case accesstest.SetLanguage:
		return o.do(p, "PUT", store+"/language", body("language", "multilingual"))
	case accesstest.JoinChat:
		return o.do(p, "PUT", chat, body("ttl", int64(op.TTL/time.Second)))
	case accesstest.LeaveChat:
		return o.do(p, "DELETE", chat, "")
	case accesstest.JoinUser:
		return o.do(p, "PUT", user, body("ttl", int64(op.TTL/time.Second)))
	case accesstest.LeaveUser:
		return o.do(p, "DELETE", user, "")
	}
	panic("no such operation: " + op.Name)
}

// inPages returns the keys of all pages of a search.
func (o *overHTTP) inPages(p acl.Principal, pairs ...any) (out accesstest.Outcome) {
	for next := ""; ; {
		text := body(append(pairs, "cursor", next)...)
		page := o.do(p, "POST", "/v1/search", text)
		if out.Status, out.Keys = page.Status, append(out.Keys, page.Keys...); page.Next == "" {
			return out
		}
		next = page.Next
	}
}

// body builds an object from names and values; nil pointers are omitted.
func body(pairs ...any) string {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		if reflect.ValueOf(pairs[i+1]).Kind() == reflect.Pointer && reflect.ValueOf(pairs[i+1]).IsNil() {
			continue
		}
		object[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// do makes a call and decodes the fields that the matrix compares.
func (o *overHTTP) do(p acl.Principal, method, target, text string) accesstest.Outcome {
	a := o.call(p, method, target, text)
	out := accesstest.Outcome{Status: a.status}
	if a.status >= 300 || a.body == "" {
		return out
	}
	type entry struct {
		ID, Key, Label string
		Value          any

		Score, Relevance float64
	}
	var read struct {
		entry
		Items, Hits, Nearest []entry

		Charges  []struct{ Amount int64 }
		Degraded []string
		Next     string `json:"next_cursor"`
		Explain  struct {
			Entry struct{ Outcome search.Outcome }
		}
	}
	if a.header.Get("Content-Type") == "application/x-ndjson" {
		for line := range strings.Lines(a.body) {
			var e entry
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				o.t.Fatal(err)
			}
			out.Keys = append(out.Keys, e.Key)
		}
		return out
	}
	if err := json.Unmarshal([]byte(a.body), &read); err != nil {
		o.t.Fatal(err)
	}
	if read.Label != "" {
		if err := out.Label.UnmarshalText([]byte(read.Label)); err != nil {
			o.t.Fatal(err)
		}
	}
	out.Explained = read.Explain.Entry.Outcome
	out.Value, _ = read.Value.(string)
	out.Next, out.Charges = read.Next, len(read.Charges)
	out.Lags, out.NoVectors = slices.Contains(read.Degraded, search.LagVector), slices.Contains(read.Degraded, search.LegVector)
	for _, e := range read.Nearest {
		out.Keys = append(out.Keys, e.Key)
	}
	for _, e := range append(read.Items, read.Hits...) {
		out.Keys = append(out.Keys, e.Key)
		out.Bare = out.Bare || e.ID == ""
		out.Coarse = out.Coarse || accesstest.Coarse(e.Score, e.Relevance)
	}
	return out
}

// whereParam returns the parameter where of a list or export that has one.
func whereParam(separator string, op accesstest.Operation) string {
	if op.Option != "where" {
		return ""
	}
	return separator + "where=" + url.QueryEscape(accesstest.Where)
}
