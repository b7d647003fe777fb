package search

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"mneme/fusion"
	"mneme/memory"
)

// candidate is an entry that at least one leg found and the caller may see.
// Each step of a search adds to it.
type candidate struct {
	entry  *memory.Entry // without value and source
	access *storeAccess  // the caller's to the entry's store
	found  *legHits      // what the legs found, of every candidate
	// asked is the wording to which the candidate is most relevant, and number its index. Until
	// the candidate is assessed, they are the first wording.
	asked       *resolved
	number      int
	fused       fusion.Item // by Reciprocal Rank Fusion: the ranks are those in the lists of found
	*assessment             // for asked; nil: not assessed
	judged      *judged     // by a Reranker; nil: it did not judge the candidate
	score       float64     // orders the answer
	relevance   float64     // 0–1
	recency     *float64    // factor of the relevance in the score, 0–1; nil: none
	similarity  *float64    // to the hits before it, 0–1, for Diversity; nil: not compared
	merit       float64     // the score by relevance alone
	ordered     bool        // score was set when the candidates were ordered
	// supersededBy is a newer candidate that says nearly the same; nil: none is known.
	supersededBy *candidate
	edited       bool // the row has changed since the legs found it
	// tokens, in a sale with MaxTokens, are the tokens of a hit from a store that the caller may
	// read. -1: the hit does not fit, even if no hits of other stores are shown.
	tokens int
	// then is set if the entry has changed since the time of the request's AsOf: entry is as it
	// was at that time. nil: entry is as it is now.
	then *memory.Then
}

// legHits are the visible hits of the legs, a list for each wording. A leg that did not search
// has no lists.
type legHits struct{ lexical, vector, dated [][]legHit }

// ask makes the wording with an index the one for which the candidate is scored.
func (c *candidate) ask(of *retrieved, number int) {
	c.asked, c.number = &of.wordings[number], number
}

// legRanks returns the candidate's rank and score in each leg among the visible entries, for the
// wording c.asked or, if the leg found the candidate only by other wordings, for the one by
// which it ranks best; nil: the leg did not find it.
func (c *candidate) legRanks(wordings []wording) (lexical, vector, dated *LegRank) {
	if c.found == nil {
		return nil, nil, nil
	}
	ranks := c.fused.Ranks
	of := func(lists [][]legHit) (rank *LegRank) {
		rank, ranks = c.legRank(wordings, lists, ranks[:len(lists)]), ranks[len(lists):]
		return rank
	}
	return of(c.found.lexical), of(c.found.vector), of(c.found.dated)
}

// legRank is legRanks for one leg. ranks has the candidate's rank in each of its lists; 0: the
// list lacks it.
func (c *candidate) legRank(wordings []wording, lists [][]legHit, ranks []int) *LegRank {
	best := -1 // a wording
	for w, rank := range ranks {
		if rank > 0 && (w == c.number || best < 0 || best != c.number && rank < ranks[best]) {
			best = w
		}
	}
	if best < 0 {
		return nil
	}
	return &LegRank{Rank: ranks[best], Score: lists[best][ranks[best]-1].Score, Wording: wordings[best].number, Other: best != c.number}
}

// loadVisible reads the rows of the legs' hits within the scope. It returns the candidates of
// the hits that the caller sees, and nil for hits that it does not. Usually all are visible. So
// loadVisible first reads only as many rows as the fusion may use, and the rest only if one of
// these is not visible.
func (s *Searcher) loadVisible(ctx context.Context, in snapshot, q *searchQuery, found *retrieved) (map[uuid.UUID]*candidate, error) {
	lists := slices.Concat(found.lexical, found.vector, found.dated)
	n := 0
	for i := range lists {
		n += lists[i].head()
	}
	visible := make(map[uuid.UUID]*candidate, n)
	head := make([]uuid.UUID, 0, n)
	for _, list := range lists {
		head = addUnread(head, list.hits[:list.head()], visible)
	}
	if err := s.addVisible(ctx, in, q.caller, q.request.Filter, head, visible); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(head, func(id uuid.UUID) bool { return visible[id] == nil }) {
		return visible, nil
	}
	var rest []uuid.UUID
	for _, list := range lists {
		rest = addUnread(rest, list.hits[list.head():], visible)
	}
	if len(rest) == 0 {
		return visible, nil
	}
	return visible, s.addVisible(ctx, in, q.caller, q.request.Filter, rest, visible)
}

// addUnread appends to ids the entries of hits that are not in visible. It adds them to visible
// as nil, so that each is read once.
func addUnread(ids []uuid.UUID, hits []legHit, visible map[uuid.UUID]*candidate) []uuid.UUID {
	for i := range hits {
		id := hits[i].Entry
		if _, read := visible[id]; !read {
			visible[id] = nil
			ids = append(ids, id)
		}
	}
	return ids
}

// addVisible adds to visible the entries of ids that the caller sees: each is within the scope,
// live and not encrypted, passes the filter, and is the entry that its path resolves to.
func (s *Searcher) addVisible(ctx context.Context, in snapshot, c memory.Caller, filter memory.Filter, ids []uuid.UUID, visible map[uuid.UUID]*candidate) error {
	rows, err := s.rows.Siblings(ctx, in.tx, s.readers.Of(c), in.scope, ids)
	if err != nil {
		return err
	}
	searchable, passed, err := s.searchable(ctx, in, c, filter, rows, ids)
	candidates := make([]candidate, len(passed))
	accesses := make(map[string]*storeAccess)
	var access *storeAccess // mostly the previous row's
	for i, e := range passed {
		if access == nil || access.Store != e.Store {
			if access = accesses[e.Store]; access == nil {
				access, _ = accessIn(in.scope, e.Store)
				accesses[e.Store] = access
			}
		}
		candidates[i] = candidate{entry: e, access: access, then: in.then.of(e)}
		visible[e.ID] = &candidates[i]
	}
	if in.dropped != nil {
		for _, e := range searchable {
			if visible[e.ID] == nil {
				in.dropped[e.ID] = e
			}
		}
	}
	return err
}

// searchable returns the entries to which the paths of rows resolve for a search, and those of
// them that pass the filter: as they are now, or as of the time of the request's AsOf. ids are
// the entries for which rows were read.
func (s *Searcher) searchable(ctx context.Context, in snapshot, c memory.Caller, filter memory.Filter, rows []*memory.Entry, ids []uuid.UUID) (searchable, passed []*memory.Entry, err error) {
	if in.then == nil {
		searchable = memory.SearchableFor(c, in.scope, rows, s.instant())
		passed, err = filter.Passing(ctx, in.tx, in.scope, searchable)
		return searchable, passed, err
	}
	if searchable, err = in.then.Searchable(ctx, in.tx, rows, ids); err != nil {
		return nil, nil, err
	}
	passed, err = in.then.Passing(ctx, in.tx, searchable)
	return searchable, passed, err
}

// keepAllVisible returns the visible hits of each list of a leg. incomplete reports whether a
// list lacks hits, and short whether the leg may return these if it is asked for more.
func keepAllVisible(lists []legList, visible map[uuid.UUID]*candidate) (kept [][]legHit, short, incomplete bool) {
	for _, list := range lists {
		hits, lacks := keepVisible(list, visible)
		kept = append(kept, hits)
		short, incomplete = short || lacks && list.full, incomplete || lacks
	}
	return kept, short, incomplete
}

// keepVisible returns the visible hits of a list, best first, at most fusionDepth. If
// loadVisible has not read all rows, the hits of the rows that it read are all visible and
// enough. lacks reports whether hits are missing that the leg has not returned: fewer than
// fusionDepth are visible, or a missing one could belong before the last of them.
func keepVisible(leg legList, visible map[uuid.UUID]*candidate) (kept []legHit, lacks bool) {
	kept = make([]legHit, 0, len(leg.hits))
	for _, hit := range leg.hits {
		if len(kept) >= fusionDepth && hit.Score < kept[len(kept)-1].Score {
			break // it ties with none of the first
		}
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

// sortHits puts ties among a leg's hits, which are best first, in compareOrder.
func sortHits(hits []legHit, entry func(legHit) *memory.Entry) {
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].Score == hits[0].Score {
			n++
		}
		if n > 1 {
			slices.SortFunc(hits[:n], func(a, b legHit) int { return compareOrder(entry(a), entry(b)) })
		}
		hits = hits[n:]
	}
}
