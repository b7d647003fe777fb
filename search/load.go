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
	// asked is the wording to which the candidate is most relevant, and number
	// its index; the first until the candidate is assessed.
	asked       *resolved
	number      int
	fused       fusion.Item // by Reciprocal Rank Fusion: the ranks are those in the lists of found
	*assessment             // for that wording; nil: not assessed
	judged      *judged     // by a Reranker; nil: not
	score       float64     // orders the answer
	relevance   float64     // 0–1
	recency     *float64    // factor of the relevance in the score, 0–1; nil: none
	similarity  *float64    // to the hits before it, 0–1, for Diversity; nil: not compared
	merit       float64     // the score by relevance alone
	ordered     bool        // score was set when the candidates were ordered
	// supersededBy is a newer candidate that says nearly the same; nil: none is known.
	supersededBy *candidate
	edited       bool // the row has changed since the legs found it
	// tokens, of a sale with MaxTokens, are those of the hit from a store that is read; -1: it
	// does not fit, even without the hits of other stores.
	tokens int
	// then is set of an entry that has changed since the time of the request's AsOf: it is as
	// it was. nil: it is as it is now.
	then *memory.Then
}

// legHits are the visible hits of the legs, a list for each wording; no list
// of a leg that did not search.
type legHits struct{ lexical, vector, dated [][]legHit }

// ask sets the wording that counts for the candidate, by its index.
func (c *candidate) ask(of *retrieved, number int) {
	c.asked, c.number = &of.wordings[number], number
}

// legRanks returns the candidate's rank and score in each leg among the visible entries,
// for that wording or, if the leg found it by others alone, for the one of them by which
// it ranks best; nil: the leg did not find it.
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

// legRank is legRanks for one leg, whose lists have the candidate at ranks; 0: not.
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

// loadVisible reads the rows of the legs' hits within the scope and returns
// those that the caller sees; those that it does not see are nil. Mostly all are visible,
// so that the rows of as many as the fusion takes are read first, and the rest only if one
// of these is not.
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

// addUnread appends those entries of hits to ids that are not in visible, and adds them to
// it as nil, so that each is read once.
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

// addVisible adds those of ids to visible that the caller sees: within the
// scope, live, not encrypted, passing the filter, and what their path
// resolves to.
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

// searchable returns what the paths of rows resolve to for a search, and what of that passes
// the filter: of now, or as of the time of the request's AsOf. ids are those that were found.
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
