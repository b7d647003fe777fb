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

// DefaultMinRelevance is the default threshold of relevance in the tools: a model learns that
// no entry is relevant, instead of seeing the least irrelevant ones. There is no threshold if
// min_relevance is 0, or if where or match is given and min_relevance is not. Hits below
// search.Unsure are marked.
const DefaultMinRelevance = search.Irrelevant

// maxUnsure is the maximum number of hits marked as unsure in an answer, unless the call
// sets a threshold.
const maxUnsure = 3

// DefaultMaxTokens is the default limit on the tokens of the hits in a tool's
// search.
const DefaultMaxTokens = 2000

// searchOptions are the search parameters that every family has.
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

// add adds the parameters to the call's parameters.
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

// request returns the search that the parameters describe, over some
// stores or all accessible ones.
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

// addPurchase sets the maximum price of the search.
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

// addExplain sets what a search explains: its hits, or also an entry. Without a
// store parameter the entry is in the only searched store or the caller's own. An
// empty object means true: the schema has one type.
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
