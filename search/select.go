package search

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// selectHits makes an answer of what the legs found, in one snapshot, and reads
// the values of the first hits, unless sell decides which there are. It is short
// if the legs should be asked for more.
func (s *Searcher) selectHits(ctx context.Context, q *searchQuery, found retrieved) (answer Answer, err error) {
	ctx, end := s.startStep(ctx, "rows", &q.took.Fetch)
	defer end(&err)
	err = s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		// SECURITY: the scope of this snapshot decides what is shown.
		scope, err := s.searchScope(ctx, tx, q.caller, q.request)
		if err != nil {
			return err
		}
		answer.unpaged = len(q.request.Stores) > 0 && scope.Any(searchOnly)
		scope = q.bounded(scope)
		if err := s.readThen(ctx, tx, scope, q); err != nil {
			return err
		}
		if q.request.Explain {
			q.dropped = make(map[uuid.UUID]*memory.Entry)
		}
		var ranked selected
		if q.page != nil {
			ranked, err = s.selectPage(ctx, tx, scope, q)
		} else {
			ranked, err = s.selectFound(ctx, tx, scope, q, found)
		}
		if err != nil {
			return err
		}
		if answer.unsold, err = s.forSale(ctx, tx, scope, q, ranked); err != nil {
			return err
		}
		if answer.unsold == nil {
			if answer.Hits, answer.loaded, err = loadHits(ctx, tx, scope, q, ranked.hits); err != nil {
				return err
			}
		}
		if len(answer.Hits) == 0 && len(ranked.nearest) > 0 {
			entries, err := completed(ctx, tx, ranked.nearest)
			if err != nil {
				return err
			}
			left := budget{fit: s.fitTokens, most: q.request.MaxTokens}
			for i, c := range ranked.nearest {
				if !left.admitNear(&entries[i]) {
					break
				}
				answer.Nearest = append(answer.Nearest, memory.Near{Entry: entries[i], Relevance: c.relevance})
			}
		}
		if answer.unsold == nil && len(answer.Hits) == 0 && q.page == nil && q.asksForDates() {
			answer.NothingThen = true
			near, err := s.nearestThen(ctx, tx, scope, q)
			if err != nil {
				return err
			}
			if near != nil {
				answer.NearestDay, answer.labelThen = dayOf(near.OccurredAt, q.zone()), near.Label
			}
		}
		answer.decideNearest()
		answer.NoWords = !q.asks()
		answer.short, answer.Incomplete = ranked.short, ranked.incomplete
		answer.query, answer.rest = q, ranked.rest
		if answer.Degraded, err = s.missing(ctx, tx, scope, q, found); err != nil || !q.request.Explain {
			return err
		}
		answer.Explanation, err = s.explain(ctx, tx, scope, q, ranked)
		return err
	})
	return answer, err
}

// selectFound selects the hits of a first page from what the legs found.
func (s *Searcher) selectFound(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery, found retrieved) (selected, error) {
	merged, err := s.mergeFound(ctx, tx, scope, q, found)
	if err != nil {
		return selected{}, err
	}
	ranked, err := s.rank(ctx, tx, scope, q, merged)
	ranked.short, ranked.incomplete, ranked.visible, ranked.found = merged.short, merged.incomplete, merged.visible, merged.found
	ranked.dropped = droppedFrom(slices.Concat(found.lexical, found.vector, found.dated), merged.visible, q.dropped)
	return ranked, err
}

// mergeFound returns the candidates among what the legs found, in the order of their
// fusion, with what is visible and whether the legs should be asked for more.
func (s *Searcher) mergeFound(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery, found retrieved) (selected, error) {
	merged, err := s.mergeLegs(ctx, tx, scope, q, found)
	// SECURITY: what a store at level search lacks says how much it has.
	merged.incomplete = merged.incomplete && q.scope.Any(readable)
	if err != nil || found.apart == nil {
		return merged, err
	}
	apart, err := s.mergeLegs(ctx, tx, scope, q.apart, *found.apart)
	merged.apart = apart.ordered
	merged.short = merged.short || apart.short
	return merged, err
}

// mergeLegs is mergeFound without what is asked apart.
func (s *Searcher) mergeLegs(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery, found retrieved) (selected, error) {
	visible, err := s.loadVisible(ctx, tx, scope, q, found)
	if err != nil {
		return selected{}, err
	}
	lexicalHits, lexicalShort, lexicalIncomplete := keepAllVisible(found.lexical, visible)
	vectorHits, vectorShort, vectorIncomplete := keepAllVisible(found.vector, visible)
	q.sortByTime(found.dated, visible)
	datedHits, _, _ := keepAllVisible(found.dated, visible)
	kept := &legHits{lexicalHits, vectorHits, datedHits}
	return selected{
		ordered: merge(q, kept), visible: visible, found: kept,
		short: lexicalShort || vectorShort, incomplete: lexicalIncomplete || vectorIncomplete,
	}, nil
}

// decideNearest drops Nearest if there are hits, and sets the label.
//
// SECURITY: hits of stores at level search count only once they are shown. One that is not
// bought would be revealed if nothing came in its place.
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
