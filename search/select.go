package search

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// draft is an answer before its charges are known.
type draft struct {
	answer    Answer
	undecided *undecided // what sell decides the hits and charges from; nil: the hits are final
	short     bool       // the legs should be asked for more
}

// selectHits makes an answer from the results of the legs, in one snapshot, and reads the
// values of the first hits, unless sell decides on the hits.
func (s *Searcher) selectHits(ctx context.Context, q *searchQuery, found *retrieved) (made draft, err error) {
	ctx, end := s.startStep(ctx, "rows", &tookOf(ctx).Fetch)
	defer end(&err)
	err = s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		made, err = s.selectIn(ctx, tx, q, found)
		return err
	})
	return made, err
}

// selectIn is the part of selectHits that reads a snapshot.
func (s *Searcher) selectIn(ctx context.Context, tx memory.ReadTx, q *searchQuery, found *retrieved) (draft, error) {
	// SECURITY: the scope of this snapshot decides what is shown.
	scope, err := s.searchScope(ctx, tx, q.caller, q.request)
	if err != nil {
		return draft{}, err
	}
	in, err := s.snapshotOf(ctx, tx, q.bounded(scope), q)
	if err != nil {
		return draft{}, err
	}
	if q.request.Explain {
		in.dropped = make(map[uuid.UUID]*memory.Entry)
	}
	var ranked selected
	if q.page != nil {
		ranked, err = s.selectPage(ctx, in, q, found)
	} else {
		ranked, err = s.selectFound(ctx, in, q, found)
	}
	if err != nil {
		return draft{}, err
	}
	made := draft{short: ranked.short}
	made.answer = Answer{
		Incomplete: ranked.incomplete, NoWords: !q.asks(), Bill: Bill{Skipped: q.skipped},
		searcher: s, query: q, found: found, rest: ranked.rest, unpaged: q.unpaged(scope),
	}
	answer := &made.answer
	if q.mayBuy() {
		if made.undecided, err = s.forSale(ctx, in, q, found, ranked); err != nil {
			return draft{}, err
		}
	}
	if made.undecided == nil {
		if answer.Hits, answer.loaded, err = loadHits(ctx, in, q, found, ranked.hits); err != nil {
			return draft{}, err
		}
	}
	if len(answer.Hits) == 0 {
		if answer.Nearest, err = s.loadNearest(ctx, in, q, ranked.nearest); err != nil {
			return draft{}, err
		}
	}
	if made.undecided == nil && len(answer.Hits) == 0 && q.page == nil && q.asksForDates() {
		answer.NothingThen = true
		near, err := s.nearestThen(ctx, in, q)
		if err != nil {
			return draft{}, err
		}
		if near != nil {
			answer.NearestDay, answer.labelThen = dayOf(near.OccurredAt, q.zone()), near.Label
		}
	}
	answer.decideNearest()
	if answer.Degraded, err = s.missing(ctx, in, q, found); err != nil || !q.request.Explain {
		return made, err
	}
	answer.Explanation, err = s.explain(ctx, in, q, found, ranked)
	return made, err
}

// loadNearest returns the entries of the nearest candidates, as many as fit in MaxTokens.
func (s *Searcher) loadNearest(ctx context.Context, in snapshot, q *searchQuery, nearest []*candidate) (near []memory.Near, err error) {
	if len(nearest) == 0 {
		return nil, nil
	}
	entries, err := completed(ctx, in, nearest)
	if err != nil {
		return nil, err
	}
	left := budget{fit: s.fitTokens, most: q.request.MaxTokens}
	for i, c := range nearest {
		if !left.admitNear(&entries[i]) {
			break
		}
		near = append(near, memory.Near{Entry: entries[i], Relevance: c.relevance})
	}
	return near, nil
}

// selectFound selects the hits of a first page from the results of the legs.
func (s *Searcher) selectFound(ctx context.Context, in snapshot, q *searchQuery, found *retrieved) (selected, error) {
	merged, err := s.mergeFound(ctx, in, q, found)
	if err != nil {
		return selected{}, err
	}
	ranked, err := s.rank(ctx, in, q, found, merged)
	ranked.short, ranked.incomplete, ranked.visible, ranked.found = merged.short, merged.incomplete, merged.visible, merged.found
	ranked.dropped = droppedFrom(slices.Concat(found.lexical, found.vector, found.dated), merged.visible, in.dropped)
	return ranked, err
}

// mergeFound merges the results of the legs. It returns the candidates in the order of their
// fusion, the visible entries, and whether the legs should be asked for more.
func (s *Searcher) mergeFound(ctx context.Context, in snapshot, q *searchQuery, found *retrieved) (selected, error) {
	merged, err := s.mergeLegs(ctx, in, q, found)
	// SECURITY: missing hits of a store at level search would reveal how many entries it has.
	merged.incomplete = merged.incomplete && q.limits.gaps
	if err != nil || found.searchOnly == nil {
		return merged, err
	}
	others, err := s.mergeLegs(ctx, in, q.searchOnly, found.searchOnly)
	merged.searchOnly = others.ordered
	merged.short = merged.short || others.short
	return merged, err
}

// mergeLegs is mergeFound for one part of the question.
func (s *Searcher) mergeLegs(ctx context.Context, in snapshot, q *searchQuery, found *retrieved) (selected, error) {
	visible, err := s.loadVisible(ctx, in, q, found)
	if err != nil {
		return selected{}, err
	}
	lexicalHits, lexicalShort, lexicalIncomplete := keepAllVisible(found.lexical, visible)
	vectorHits, vectorShort, vectorIncomplete := keepAllVisible(found.vector, visible)
	datedHits, _, _ := keepAllVisible(q.byTime(found.dated, visible), visible)
	kept := &legHits{lexicalHits, vectorHits, datedHits}
	return selected{
		ordered: merge(found, kept), visible: visible, found: kept,
		short: lexicalShort || vectorShort, incomplete: lexicalIncomplete || vectorIncomplete,
	}, nil
}

// decideNearest removes Nearest if there are hits, and sets the label.
//
// SECURITY: hits of stores at level search count only once they are shown. An empty Nearest
// without hits would reveal a hit that was not bought.
func (a *Answer) decideNearest() {
	if len(a.Hits) > 0 {
		a.Nearest = nil
	}
	a.Label = max(highestLabel(a.Hits), labelOf(a.Nearest), a.labelThen)
}

// labelOf returns the highest label of entries; zero if there are none.
func labelOf(entries []memory.Near) (label acl.Label) {
	for i := range entries {
		label = max(label, entries[i].Entry.Label)
	}
	return label
}

func highestLabel(hits []Hit) (label acl.Label) {
	for _, hit := range hits {
		label = max(label, hit.Entry.Label)
	}
	return label
}
