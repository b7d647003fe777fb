package tool

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/wire"
)

// nothingRelevant is the message of an answer without hits.
const (
	nothingRelevant = "nothing relevant was found"
	nothingSure     = "nothing relevant was found; unsure: `nearest` names what comes closest"
	noWords         = "nothing was found: the question has no words"
	nothingThen     = "nothing relevant was found: no entry is of that time"
	nearestIs       = "; the nearest is of "
)

// near is a nearest entry in an answer without relevant hits.
type near struct {
	Key         string  `json:"key"`
	Namespace   string  `json:"namespace,omitempty"`
	StoreID     string  `json:"store_id"`
	Description string  `json:"description,omitempty"`
	Text        string  `json:"text,omitempty"` // its beginning
	Date        string  `json:"date,omitempty"`
	Relevance   float64 `json:"relevance"`
	Unsure      bool    `json:"unsure"` // always
}

// searchAnswer is the result of a search in any family.
type searchAnswer struct {
	Query      string   `json:"query,omitempty"`
	Results    any      `json:"results"`
	Degraded   []string `json:"degraded,omitempty"`
	Incomplete bool     `json:"incomplete,omitempty"`
	// Message says explicitly that there are no results.
	Message string `json:"message,omitempty"`
	// Nearest are the nearest entries if there are no results.
	Nearest []near `json:"nearest,omitempty"`
	// LeftOut is the number of further hits that did not fit.
	LeftOut int `json:"left_out,omitempty"`
	// NextCursor is the cursor of the next page, if the call asked for it.
	NextCursor string `json:"next_cursor,omitempty"`
	// Explain is the requested explanation.
	Explain *wire.Explanation `json:"explain,omitempty"`
	billed
}

// maxPaged bounds the candidates in a cursor, which a model copies: the cursor
// has at most 3,300 characters, 4,200 with the scores of a reranker.
const maxPaged = 100

// minCut is the minimum part of a truncated hit, in bytes. A hit with less room
// is omitted.
const minCut = 500

// errFull stops the reading of hits.
var errFull = errors.New("the answer is full")

// hits returns the answer of a search, best hits first, within the limit of an answer. The answer
// repeats the question unless it is "". With paged, the answer has the cursor of the next page.
// show returns a hit in the format of the tool's family.
func (c *call) hits(ctx context.Context, question string, r meter.SearchRequest, paged bool, show func(wire.Hit) any) (searchAnswer, error) {
	a, err := c.search(ctx, r, paged)
	if errors.Is(err, memory.ErrCursor) {
		err = because(err, "Error: `cursor` is not valid for this search; all other parameters must be those of the first page")
	}
	if err != nil {
		return searchAnswer{}, err
	}
	answer := searchAnswer{Query: question, Degraded: a.Degraded, Incomplete: a.Incomplete, LeftOut: len(a.Hits), Explain: wire.ExplanationOf(a.Explanation), billed: billOf(a.Bill)}
	if x := answer.Explain; x != nil && x.Entry != nil && x.Entry.Outcome == search.OutcomeHit {
		x.Entry.Outcome = search.OutcomeBeyondTokens // the longest outcome
	}
	values := a.Values()
	if paged { // the cursor is longest before any hit is shown
		if answer.NextCursor, err = values.Next(maxPaged); err != nil {
			return searchAnswer{}, err
		}
	}
	l, err := c.newList(answer)
	if err != nil {
		return searchAnswer{}, err
	}
	passed, err := c.addHits(ctx, l, &a, values, show)
	if err != nil {
		return searchAnswer{}, err
	}
	answer.Results, answer.LeftOut, answer.Explain = l.items, values.LeftOut()+passed, wire.ExplanationOf(values.Explanation())
	if paged {
		if answer.NextCursor, err = values.Next(maxPaged); err != nil {
			return searchAnswer{}, err
		}
	}
	if len(a.Hits) == 0 {
		answer.explainNothing(&a)
	}
	return answer, nil
}

// explainNothing explains missing results, and lists the nearest entries.
func (answer *searchAnswer) explainNothing(a *search.Answer) {
	switch {
	case a.NoWords:
		answer.Message = noWords
	case a.NothingThen && a.NearestDay.IsZero():
		answer.Message = nothingThen
	case a.NothingThen:
		answer.Message = nothingThen + nearestIs + a.NearestDay.String()
	case len(a.Nearest) == 0:
		answer.Message = nothingRelevant
	default:
		answer.Message = nothingSure
	}
	for _, n := range a.Nearest {
		e := n.Entry
		answer.Nearest = append(answer.Nearest, near{
			Key: e.Key, Namespace: e.Namespace, StoreID: e.Store, Description: e.Description,
			Text: wire.Beginning(e.Value), Date: cmp.Or(e.OccurredAt.String(), e.UpdatedAt.UTC().Format(time.DateOnly)), Relevance: n.Relevance, Unsure: true,
		})
	}
}

// unsure reports whether a hit may not answer the question.
func unsure(h wire.Hit) bool { return h.Relevance < search.Unsure }

// addHits adds the hits of an answer to a list as far as they fit. It reserves room
// for charged hits: a free hit that would use it is skipped.
func (c *call) addHits(ctx context.Context, l *list, a *search.Answer, values *search.Values, show func(wire.Hit) any) (passed int, err error) {
	kept := 0 // bytes reserved for charged hits that follow
	if len(a.Bill.Charges) > 0 {
		for _, h := range a.Hits {
			if h.Level < acl.Read {
				kept += paidHit
			}
		}
	}
	err = values.Each(ctx, func(h *search.Hit) error {
		if kept > 0 && h.Level < acl.Read {
			kept -= paidHit
		}
		l.room -= kept
		err := addHit(l, h, show)
		l.room += kept
		if kept > 0 && errors.Is(err, errFull) {
			passed++
			return nil
		}
		return err
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return passed, err
}

// addHit adds a hit to a list, truncated if it does not fit, or returns errFull.
func addHit(l *list, h *search.Hit, show func(wire.Hit) any) error {
	if fits, err := l.tryAdd(show(wire.HitOf(h))); fits || err != nil {
		return err
	}
	// A passage takes at least its length in the answer, and about twice its length if every
	// byte of it is escaped. The hit's other members are not truncated.
	for limit := l.room; limit >= minCut; limit /= 2 {
		h.Cut(limit)
		if fits, err := l.tryAdd(show(wire.HitOf(h))); fits || err != nil {
			return err
		}
	}
	return errFull
}

// content returns the text of a hit: its value, or its passages separated by
// lines of dots.
func content(h wire.Hit) string {
	if h.Passages == nil {
		return memory.MarkDataURLs(display(h.Value))
	}
	texts := make([]string, len(h.Passages))
	for i, p := range h.Passages {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n…\n")
}
