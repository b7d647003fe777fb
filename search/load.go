package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search/cache"
)

// candidate is an entry that at least one leg found and the caller may see.
// Each step of a search adds to it.
type candidate struct {
	entry  *memory.Entry // without value and source
	access *acl.Access   // the caller's to the entry's store
	found  *legHits      // what the legs found, of every candidate
	ranks  []int         // in each of their lists; 0: not in it
	// asked is the wording to which the candidate is most relevant, and number
	// its index; the first until the candidate is assessed.
	asked  *wording
	number int
	// lexical and vector are the candidate's rank and score for that wording in
	// each leg among the visible entries; rank 0: the leg did not find it.
	lexical, vector LegRank
	fused           float64  // score by Reciprocal Rank Fusion
	*assessment              // for that wording; nil: not assessed
	judged          *judged  // by a Reranker; nil: not
	score           float64  // orders the answer
	ordered         bool     // score was set when the candidates were ordered
	relevance       float64  // 0–1
	recency         *float64 // factor of the relevance in the score, 0–1; nil: none
	similarity      *float64 // to the hits before it, 0–1, for Diversity; nil: not compared
	chunk           int      // the one that the vector leg found, from 0; -1: it found none
	edited          bool     // the row has changed since the legs found it
}

// legHits are the visible hits of both legs, a list for each wording; no list
// of a leg that did not search.
type legHits struct{ lexical, vector [][]legHit }

// ask sets the wording that counts for the candidate, by its index, and what the
// legs found for it.
func (c *candidate) ask(q *searchQuery, number int) {
	c.asked, c.number = q.wordings[number], number
	c.lexical, c.vector, c.chunk = LegRank{}, LegRank{}, -1
	if c.found == nil {
		return
	}
	if lists := c.found.lexical; len(lists) > 0 {
		c.lexical = legRank(lists[number], c.ranks[number])
	}
	if lists := c.found.vector; len(lists) > 0 {
		c.vector = legRank(lists[number], c.ranks[len(c.found.lexical)+number])
		if c.vector.Rank > 0 {
			c.chunk = lists[number][c.vector.Rank-1].Chunk
		}
	}
}

// loadVisible reads the rows of the legs' hits within the scope and returns
// those that the caller sees. Mostly all are visible, so that the rows of as
// many as the fusion takes are read first, and the rest only if one of these
// is not.
func (s *Searcher) loadVisible(ctx context.Context, tx cache.RowTx, scope acl.Scope, q *searchQuery, found retrieved) (map[uuid.UUID]*candidate, error) {
	head, rest := found.entries()
	visible := make(map[uuid.UUID]*candidate, len(head))
	if err := s.addVisible(ctx, tx, scope, q, head, visible); err != nil {
		return nil, err
	}
	complete := !slices.ContainsFunc(head, func(id uuid.UUID) bool { return visible[id] == nil })
	if complete || len(rest) == 0 {
		return visible, nil
	}
	return visible, s.addVisible(ctx, tx, scope, q, rest, visible)
}

// addVisible adds those of ids to visible that the caller sees: within the
// scope, live, not encrypted, passing the filter, and what their path
// resolves to.
func (s *Searcher) addVisible(ctx context.Context, tx cache.RowTx, scope acl.Scope, q *searchQuery, ids []uuid.UUID, visible map[uuid.UUID]*candidate) error {
	rows, err := s.rows.Siblings(ctx, tx, cache.ViewerOf(q.caller), scope, ids)
	if err != nil {
		return err
	}
	searchable := memory.SearchableFor(q.caller, scope, rows, s.instant())
	passed, err := q.request.Filter.Passing(ctx, tx, scope, searchable)
	candidates := make([]candidate, len(passed))
	accesses := make(map[string]*acl.Access)
	for i, e := range passed {
		access := accesses[e.Store]
		if access == nil {
			a, _ := scope.Access(e.Store)
			access = &a
			accesses[e.Store] = access
		}
		candidates[i] = candidate{entry: e, access: access}
		visible[e.ID] = &candidates[i]
	}
	if q.dropped != nil {
		for _, e := range searchable {
			if visible[e.ID] == nil {
				q.dropped[e.ID] = e
			}
		}
	}
	return err
}

// keepAllVisible returns the visible hits of each list of a leg. incomplete
// reports that one of them lacks hits, and short that the leg may return these
// if it is asked for more.
func keepAllVisible(lists []legList, visible map[uuid.UUID]*candidate) (kept [][]legHit, short, incomplete bool) {
	for _, list := range lists {
		hits, lacks := keepVisible(list, visible)
		kept = append(kept, hits)
		short, incomplete = short || lacks && list.full, incomplete || lacks
	}
	return kept, short, incomplete
}

// keepVisible returns the visible hits of a list, best first, at most
// fusionDepth. Rows that loadVisible left unread are not missed: then all hits
// before them are visible. lacks reports that they are fewer although there may
// be more, or that what there may be belongs before the last of them.
func keepVisible(leg legList, visible map[uuid.UUID]*candidate) (kept []legHit, lacks bool) {
	kept = make([]legHit, 0, len(leg.hits))
	for _, hit := range leg.hits {
		if hit.of = visible[hit.Entry]; hit.of != nil {
			kept = append(kept, hit)
		}
	}
	sortHits(kept, func(hit legHit) *memory.Entry { return hit.of.entry })
	if len(kept) < fusionDepth {
		return kept, leg.more
	}
	return kept[:fusionDepth], leg.more && kept[fusionDepth-1].Score < leg.floor
}

// sortHits orders a leg's hits by score, best first, ties in compareOrder.
func sortHits(hits []legHit, entry func(legHit) *memory.Entry) {
	slices.SortFunc(hits, func(a, b legHit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return compareOrder(entry(a), entry(b))
	})
}
