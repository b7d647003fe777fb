package tool

import (
	"context"
	"errors"
	"strings"

	"mneme/memory"
	"mneme/server/wire"
)

// DefaultMinRelevance is the relevance below which the tools leave out hits
// unless a call says otherwise, so that a model is told that nothing is
// relevant rather than shown what is least irrelevant. The parameter
// min_relevance: 0 switches it off.
const DefaultMinRelevance = 0.03

// DefaultMaxTokens is how many tokens the hits of a tool's search take unless a
// call says otherwise.
const DefaultMaxTokens = 2000

// nothingRelevant is the message of an answer without hits.
const nothingRelevant = "nothing relevant was found"

// ordering holds the parameters of a search, in any family, that order its
// hits, leave some out, and say how much of them is shown.
type ordering struct {
	ranking      string
	minRelevance float64
	maxTokens    int
	passages     bool
}

func newOrdering() ordering {
	return ordering{minRelevance: DefaultMinRelevance, maxTokens: DefaultMaxTokens, passages: true}
}

// add adds the parameters to those of a call.
func (o *ordering) add(to arguments) arguments {
	to["ranking"], to["min_relevance"] = &o.ranking, &o.minRelevance
	to["max_tokens"], to["passages"] = &o.maxTokens, &o.passages
	return to
}

// of returns the request with the parameters.
func (o *ordering) of(r memory.SearchRequest) memory.SearchRequest {
	r.Ranking, r.MinRelevance = memory.Ranking(o.ranking), o.minRelevance
	r.MaxTokens, r.Passages = wire.MaxTokens(&o.maxTokens), o.passages
	return r
}

// searchAnswer is the result of a search in any family.
type searchAnswer struct {
	Results    any      `json:"results"`
	Degraded   []string `json:"degraded,omitempty"`
	Incomplete bool     `json:"incomplete,omitempty"`
	// Message says that there are no results, rather than leave it to be seen.
	Message string `json:"message,omitempty"`
	// LeftOut is the number of further hits for which there was no room.
	LeftOut int `json:"left_out,omitempty"`
}

// minCut is the least part of a hit that is shown for want of room, in bytes: of
// one for which less is left nothing is shown.
const minCut = 500

// errFull ends the reading of hits.
var errFull = errors.New("the answer is full")

// hits returns the answer of a search, best hits first, within the limit of an
// answer. show returns a hit as the tool's family shows it.
func (c *call) hits(ctx context.Context, r memory.SearchRequest, show func(wire.Hit) any) (searchAnswer, error) {
	a, err := c.search(ctx, r)
	if err != nil {
		return searchAnswer{}, err
	}
	answer := searchAnswer{Degraded: a.Degraded, Incomplete: a.Incomplete, LeftOut: len(a.Hits)}
	l, err := c.newList(answer)
	if err != nil {
		return searchAnswer{}, err
	}
	_, err = c.service.EachHit(ctx, &a, func(h *memory.Hit) error { return addHit(l, h, show) })
	if err != nil && !errors.Is(err, errFull) {
		return searchAnswer{}, err
	}
	answer.Results, answer.LeftOut = l.items, a.LeftOut()
	if len(a.Hits) == 0 {
		answer.Message = nothingRelevant
	}
	return answer, nil
}

// addHit adds a hit to a list, cut if it does not fit, or returns errFull.
func addHit(l *list, h *memory.Hit, show func(wire.Hit) any) error {
	if fits, err := l.tryAdd(show(wire.HitOf(h))); fits || err != nil {
		return err
	}
	// A passage takes its length in the answer, and of escapes as many again;
	// what else of the hit there is stays.
	for limit := l.room; limit >= minCut; limit /= 2 {
		h.Cut(limit)
		if fits, err := l.tryAdd(show(wire.HitOf(h))); fits || err != nil {
			return err
		}
	}
	return errFull
}

// content returns the text of a hit: its value, or its passages with a line of
// dots between them.
func content(h wire.Hit) string {
	if h.Passages == nil {
		return display(h.Value)
	}
	texts := make([]string, len(h.Passages))
	for i, p := range h.Passages {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n…\n")
}
