package tool

import (
	"encoding/json"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/wire"
)

// DefaultMinRelevance is the relevance below which the tools leave out hits
// unless a call says otherwise, so that a model is told that nothing is
// relevant rather than shown what is least irrelevant. The parameter
// min_relevance: 0 switches it off, as where and match do. Hits of less than search.Unsure
// are marked.
const DefaultMinRelevance = search.Irrelevant

// maxUnsure is how many hits that are marked as unsure an answer has, unless the call has a
// threshold of its own.
const maxUnsure = 3

// DefaultMaxTokens is how many tokens the hits of a tool's search take unless a
// call says otherwise.
const DefaultMaxTokens = 2000

// searchOptions are the parameters of a search that every family has.
type searchOptions struct {
	query         string
	queries       []string
	where, match  json.RawMessage
	timezone      string
	mode, ranking string
	minRelevance  float64
	recency       *recency
	diversity     float64
	typos, dates  bool
	maxTokens     int
	passages      bool
	cursor        string
	explain       json.RawMessage
	maxCharge     int
	offer         string
	asOf          string
	tags          []string
}

// recency is the parameter recency.
type recency struct {
	HalfLife string   `json:"half_life"`
	Weight   *float64 `json:"weight,omitempty"`
}

func newSearchOptions() searchOptions {
	return searchOptions{minRelevance: DefaultMinRelevance, maxTokens: DefaultMaxTokens, passages: true, typos: true, dates: true}
}

// add adds the parameters to those of a call.
func (o *searchOptions) add(to arguments) arguments {
	to["query"], to["queries"], to["where"], to["match"] = &o.query, &o.queries, &o.where, &o.match
	to["timezone"] = &o.timezone
	to["mode"], to["ranking"], to["min_relevance"] = &o.mode, &o.ranking, &o.minRelevance
	to["recency"], to["diversity"], to["typos"], to["dates"] = &o.recency, &o.diversity, &o.typos, &o.dates
	to["max_tokens"], to["passages"], to["cursor"] = &o.maxTokens, &o.passages, &o.cursor
	to["explain"], to["max_charge"], to["offer"] = &o.explain, &o.maxCharge, &o.offer
	to[memory.OptionAsOf], to[memory.OptionTags] = &o.asOf, &o.tags
	return to
}

// request returns the search of some stores, or of all in reach, that the
// parameters describe.
func (o *searchOptions) request(c *call, given map[string]bool, limit int, stores []string) (r meter.SearchRequest, err error) {
	switch {
	case !given["query"] && !given["queries"]:
		return r, refuse("Error: `query` is required, or `queries` in its place")
	case given["query"] && given["queries"]:
		return r, refuse("Error: `queries` must not be given together with `query`")
	}
	r.Request = search.Request{
		Query: o.query, Queries: o.queries, Stores: stores, Limit: limit, Mode: search.Mode(o.mode), Ranking: search.Ranking(o.ranking),
		MinRelevance: o.minRelevance, Nearest: search.MaxNearest, NearestByDefault: true, Diversity: o.diversity, NoTypos: !o.typos, NoDates: !o.dates, AsOf: o.asOf, MaxTokens: wire.MaxTokens(&o.maxTokens), Passages: o.passages, Cursor: o.cursor,
		Filter: memory.Filter{Timezone: o.timezone, Tags: o.tags},
	}
	r.MaxUnsure = maxUnsure
	switch {
	case given["min_relevance"]: // it is meant
		r.Nearest, r.MaxUnsure = 0, 0
	case given["where"] || given["match"]: // what passes was asked for, relevant or not
		r.Passing, r.MaxUnsure = true, 0
	}
	if err := o.addPurchase(given, &r); err != nil {
		return r, err
	}
	if o.recency != nil {
		r.Recency = wire.Recency(o.recency.HalfLife, o.recency.Weight)
	}
	if given["where"] {
		if r.Filter.Where, err = memory.ParseWhere(o.where); err != nil {
			return r, err
		}
	}
	if given["match"] {
		if r.Filter.Match, err = memory.ParseMatch(o.match); err != nil {
			return r, err
		}
	}
	if given["explain"] {
		err = o.addExplain(c, &r.Request)
	}
	return r, err
}

// addPurchase sets what the search may cost.
func (o *searchOptions) addPurchase(given map[string]bool, to *meter.SearchRequest) (err error) {
	if given["offer"] {
		if to.Offer, err = uuid.Parse(o.offer); err != nil || to.Offer == uuid.Nil {
			return refuse("Error: `offer` must be the id of an offer")
		}
	}
	if given["max_charge"] {
		to.MaxCharge = new(int64(o.maxCharge))
	}
	if given["cursor"] && given["offer"] { // a cursor needs level read
		return acl.ErrDenied
	}
	return nil
}

// addExplain sets what a search explains: its hits, or also an entry, of the only
// store that it searches or of the caller's own unless the parameter names one. An
// object without members is true: the schema has one type.
func (o *searchOptions) addExplain(c *call, to *search.Request) error {
	if members, err := wire.Members(o.explain); err == nil && len(members) == 0 {
		to.Explain = true
		return nil
	}
	explain, entry, err := wire.ParseExplain(o.explain)
	if err != nil {
		return refuse("Error: `explain` %s", err)
	}
	if to.Explain = explain; entry == nil {
		return nil
	}
	path := memory.Path{Store: c.caller.Agent, Namespace: entry.Namespace, Key: entry.Key}
	switch {
	case entry.Store == nil && len(to.Stores) == 1:
		path.Store = to.Stores[0]
	case entry.Store != nil && *entry.Store != "self":
		if err := acl.CheckID(*entry.Store); err != nil {
			return refuse("Error: `explain`: store %s", err)
		}
		path.Store = *entry.Store
	}
	to.ExplainEntry = &path
	return nil
}
