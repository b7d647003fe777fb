package robutler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/test/accesstest"
	"mneme/test/backendtest"
)

// The access matrix holds through this API, for the operations that it has,
// on the embedded backend and on a backend shared by several processes.
func TestAccessMatrixHoldsForTheRobutlerAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in the matrix, which is what the short run looks for: the full run has it")
	}
	both := []backendtest.Backend{backendtest.Embedded(), backendtest.Production()}
	backendtest.Each(t, both, func(t *testing.T, b backendtest.Backend) {
		accesstest.Run(t, &portal{openOn(t, b, memory.Limits{})})
	})
}

// portal is the API as the matrix uses it. Arrangements that the matrix
// needs and this API lacks use the native surface.
type portal struct{ *harness }

func (o *portal) Index()                   { o.index() }
func (o *portal) Market() *meter.Market    { return o.market }
func (o *portal) Advance(by time.Duration) { o.clock.Advance(by) }

func (o *portal) Offers(operation string) bool {
	switch operation {
	case accesstest.Versions, accesstest.Export, accesstest.Changes, accesstest.Restore, accesstest.Rename,
		accesstest.RenameNamespace, accesstest.RenameStore, accesstest.Trash, accesstest.Grants,
		accesstest.RankedSearch, accesstest.RelevantSearch, accesstest.RefinedSearch, accesstest.PagedSearch,
		accesstest.OfferSearch, accesstest.Accept, accesstest.AcceptGrant, accesstest.EndGrant, accesstest.SetLanguage:
		return false
	}
	return true
}

func (o *portal) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	about := "agentId=" + url.QueryEscape(p.Agent) + "&store=" + url.QueryEscape(op.Store)
	entry := root + "/" + url.PathEscape(op.Key)
	switch op.Name {
	case accesstest.Put:
		return o.do(p, "PUT", entry, body("value", op.Value, "agentId", p.Agent, "store", op.Store, "inContext", op.InContext, "encrypted", op.Encrypted))
	case accesstest.Get:
		return o.do(p, "GET", entry+"?"+about, "")
	case accesstest.List:
		return o.do(p, "GET", root+"?inContext=true&"+about, "")
	case accesstest.Search:
		if op.MaxCharge != nil {
			p.Spend = true
			about += "&max_charge=" + strconv.FormatInt(*op.MaxCharge, 10)
		}
		before := o.charges(p)
		out := o.do(p, "GET", root+"?action=search&q="+url.QueryEscape(op.Query)+"&"+about, "")
		out.Charges = o.charges(p) - before
		return out
	case accesstest.Delete:
		return o.delete(p, op, entry+"?"+about)
	case accesstest.Share:
		if op.MaxLabel > p.Taint { // this API cannot set a highest label
			return o.do(p, "PUT", "/v1/stores/"+op.Store+"/grants/"+op.Other, body("level", op.Level.String(), "max_label", op.MaxLabel))
		}
		return o.do(p, "POST", root+"?action=share", body("agentId", p.Agent, "store", op.Store, "grantee", op.Other,
			"level", op.Level.String(), "ttl", int64(op.TTL/time.Second)))
	case accesstest.AcceptGrant:
		return o.do(p, "POST", "/v1/stores/"+op.Store+"/accept", "")
	case accesstest.Unshare:
		return o.do(p, "DELETE", root+"?action=share&grantee="+op.Other+"&"+about, "")
	case accesstest.JoinChat:
		return o.do(p, "PUT", "/v1/chats/"+op.Store+"/participants/"+op.Other, "{}")
	case accesstest.LeaveChat:
		return o.do(p, "DELETE", "/v1/chats/"+op.Store+"/participants/"+op.Other, "")
	case accesstest.JoinUser:
		return o.do(p, "PUT", "/v1/users/"+op.Store+"/sessions/"+op.Other, "{}")
	case accesstest.LeaveUser:
		return o.do(p, "DELETE", "/v1/users/"+op.Store+"/sessions/"+op.Other, "")
	}
	panic("no such operation: " + op.Name)
}

// charges returns the number of charges of an agent, which this API does not
// report.
func (o *portal) charges(p acl.Principal) int {
	o.t.Helper()
	page, err := o.market.Usage(context.Background(), memory.Caller{Principal: p}, 100, "")
	if err != nil {
		o.t.Fatal(err)
	}
	return len(page.Items)
}

// delete never reaches entries that are not in context, unlike the native
// surface. The test checks this first, and then makes the native call whose
// outcome the matrix expects.
func (o *portal) delete(p acl.Principal, op accesstest.Operation, target string) accesstest.Outcome {
	out := o.do(p, "DELETE", target, "")
	if !strings.HasSuffix(op.Key, "not in context") {
		return out
	}
	if out.Status != 404 && out.Status != 403 {
		o.t.Errorf("a DELETE of what is not in context: %d", out.Status)
	}
	return o.do(p, "DELETE", "/v1/stores/"+op.Store+"/memories/"+url.PathEscape(op.Key), "")
}

// body builds an object from names and values; nil pointers are omitted.
func body(pairs ...any) string {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		if flag, ok := pairs[i+1].(*bool); ok && flag == nil {
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
func (o *portal) do(p acl.Principal, method, target, text string) accesstest.Outcome {
	a := o.call(p, method, target, text)
	out := accesstest.Outcome{Status: a.status}
	if a.status >= 300 || a.body == "" {
		return out
	}
	var read struct {
		Label   string
		Value   any
		Version int
		Keys    []string
		Results []struct {
			Key, OwnerID     string
			Score, Relevance float64
		}

		Degraded []string
	}
	if err := json.Unmarshal([]byte(a.body), &read); err != nil {
		o.t.Fatal(err)
	}
	if method == "PUT" && read.Version == 1 { // this API says 200 for a new entry too
		out.Status = 201
	}
	if read.Label != "" {
		if err := out.Label.UnmarshalText([]byte(read.Label)); err != nil {
			o.t.Fatal(err)
		}
	}
	out.Value, _ = read.Value.(string)
	out.Lags, out.NoVectors = slices.Contains(read.Degraded, search.LagVector), slices.Contains(read.Degraded, search.LegVector)
	out.Keys = read.Keys
	for _, hit := range read.Results {
		out.Keys = append(out.Keys, hit.Key)
		out.Bare = out.Bare || hit.OwnerID == ""
		out.Coarse = out.Coarse || accesstest.Coarse(hit.Score, hit.Relevance)
	}
	return out
}
