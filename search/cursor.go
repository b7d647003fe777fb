package search

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/search/cursor"
)

// cursorLimits bounds the contents of a cursor.
var cursorLimits = cursor.Limits{Candidates: maxCandidates, Judgements: maxReranked}

// addLeft appends a candidate that no page has shown yet. scored says that its score
// depends on other candidates.
func addLeft(left *cursor.Candidates, c *candidate, scored bool) {
	left.IDs = append(left.IDs, c.entry.ID)
	if scored {
		score := c.score
		if !c.ordered {
			score = math.NaN()
		}
		left.Scores = append(left.Scores, score)
	}
}

// scored reports whether the scores of hits depend on other candidates.
func (r *Request) scored() bool { return r.Ranking == RankingRRF || r.Diversity > 0 }

// bound returns what a cursor of the search is bound to: its caller and all options. Of the
// Purchase, only MaxCharge is included.
func (q *searchQuery) bound() []string {
	r := q.request
	r.Cursor, r.Filter, r.Purchase = "", q.filter, Purchase{MaxCharge: r.Purchase.MaxCharge}
	options, _ := json.Marshal(r) // strings, numbers and lists always marshal
	return []string{"search", q.caller.Agent, q.caller.Taint.String(), string(options)}
}

// openPage opens the request's cursor; nil: it has none.
func (s *Searcher) openPage(q *searchQuery) (*cursor.Candidates, error) {
	if q.request.Cursor == "" {
		return nil, nil
	}
	plain, err := s.secret.Open(q.request.Cursor, q.bound())
	if err != nil {
		return nil, err
	}
	return cursor.Parse(plain, cursorLimits)
}

// selected holds the candidates that an answer shows, and those that may follow.
type selected struct {
	hits     []*candidate
	possible []*candidate // hits, and those that take their places if the Meter hides some; nil if it is not asked
	rest     cursor.Candidates
	short    bool // the legs should be asked for more
	// incomplete says that stores which the caller may read may have more hits.
	incomplete bool
	nearest    []*candidate // the best below MinRelevance: see Request.Nearest

	// The fields below are for later steps, such as explanations.
	ordered    []*candidate             // all that could be hits, hits first
	searchOnly []*candidate             // candidates at level search, until all are ranked
	visible    map[uuid.UUID]*candidate // all that were read and passed the filter
	found      *legHits                 // visible hits of the legs; nil on a page after the first
	dropped    []*memory.Entry          // entries that would be candidates if they had passed the filter
}

// selectPage selects the hits of a page after the first from the candidates in its
// cursor, in their order, and assesses them again. It leaves out those that the caller
// no longer sees, those that no longer pass the filter, and those that were changed
// since the first page and no longer reach MinRelevance.
func (s *Searcher) selectPage(ctx context.Context, in snapshot, q *searchQuery, found *retrieved) (selected, error) {
	visible := make(map[uuid.UUID]*candidate, len(q.page.IDs))
	if err := s.addVisible(ctx, in, q.caller, q.request.Filter, q.page.IDs, visible); err != nil {
		return selected{}, err
	}
	var left []*candidate
	for i, id := range q.page.IDs {
		c := visible[id]
		if c == nil {
			continue
		}
		c.ask(found, 0)
		if q.page.Scores != nil {
			c.score, c.ordered = q.page.Scores[i], !math.IsNaN(q.page.Scores[i])
		}
		left = append(left, c)
	}
	page := selected{visible: visible}
	for _, id := range q.page.IDs {
		if e := in.dropped[id]; e != nil {
			page.dropped = append(page.dropped, e)
		}
	}
	for len(page.hits) < q.request.Limit && len(left) > 0 {
		n := min(q.request.Limit-len(page.hits), len(left))
		if err := s.assessPage(ctx, in, q, found, left[:n]); err != nil {
			return selected{}, err
		}
		for _, c := range left[:n] {
			if !c.entry.UpdatedAt.After(q.at) || q.reaches(c) {
				page.hits = append(page.hits, c)
			}
		}
		left = left[n:]
	}
	for _, c := range left {
		addLeft(&page.rest, c, q.request.scored())
	}
	page.ordered = slices.Concat(page.hits, left)
	return page, nil
}

// assessPage assesses candidates of a cursor. Scores that depend on other candidates
// stay as they were.
func (s *Searcher) assessPage(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, candidates []*candidate) (err error) {
	ctx, end := s.startStep(ctx, "rank", &tookOf(ctx).Rank)
	defer end(&err)
	before := make([]float64, len(candidates))
	for i, c := range candidates {
		before[i] = c.score
	}
	if err := s.assess(ctx, in, q, found, candidates); err != nil {
		return err
	}
	q.weighRecency(candidates)
	for i, c := range candidates {
		if c.ordered {
			c.score = before[i]
		}
	}
	return nil
}

// after returns the candidates of ordered that come after the last of hits and may follow on
// another page.
func after(ordered, hits []*candidate, scored bool) (rest cursor.Candidates) {
	if len(hits) == 0 {
		return cursor.Candidates{}
	}
	last := slices.Index(ordered, hits[len(hits)-1])
	rest.IDs = make([]uuid.UUID, 0, len(ordered)-last-1)
	for _, c := range ordered[last+1:] {
		if c.access.paged {
			addLeft(&rest, c, scored)
		}
	}
	return rest
}
