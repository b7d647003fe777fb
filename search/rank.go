package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mneme/fusion"
	"mneme/memory"
)

// maxCandidates bounds the candidates of a search: as many as both legs return for one
// wording.
const maxCandidates = 2 * fusionDepth

// merge merges the legs' hits by Reciprocal Rank Fusion: best first, ties in
// compareOrder, at most maxCandidates.
func merge(of *retrieved, found *legHits) []*candidate {
	byOrder := func(a, b *candidate) int { return compareOrder(a.entry, b.entry) }
	var lists [][]*candidate
	for _, hits := range slices.Concat(found.lexical, found.vector, found.dated) {
		lists = append(lists, candidatesOf(hits))
	}
	merged := fusion.RRF(byOrder, func(c *candidate) *fusion.Item { return &c.fused }, lists...)
	for _, c := range merged { // an explanation shows those after the cut, too
		c.found = found
		c.ask(of, 0)
	}
	return merged[:min(len(merged), maxCandidates)]
}

// candidatesOf returns the candidates of visible hits.
func candidatesOf(hits []legHit) []*candidate {
	candidates := make([]*candidate, len(hits))
	for i, hit := range hits {
		candidates[i] = hit.of
	}
	return candidates
}

// relevanceDepth is how many of the merged candidates are ordered by relevance. The others
// follow in the order of the fusion; they are no hits of a search with MinRelevance.
const relevanceDepth = 100

// heads returns the first relevanceDepth merged candidates of each part of the search, and the
// others.
func heads(all selected) (head, rest []*candidate) {
	for _, merged := range [][]*candidate{all.ordered, all.searchOnly} {
		merged = limitHits(merged, len(merged), depthOf)
		n := min(relevanceDepth, len(merged))
		head, rest = append(head, merged[:n]...), append(rest, merged[n:]...)
	}
	slices.SortStableFunc(rest, func(a, b *candidate) int { return cmp.Compare(b.fused.Score, a.fused.Score) })
	return head, rest
}

// rank scores and orders the merged candidates. It returns the hits, at most as many as
// the request's limit, and the candidates that follow them.
func (s *Searcher) rank(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, all selected) (_ selected, err error) {
	ctx, end := s.startStep(ctx, "rank", &tookOf(ctx).Rank)
	defer end(&err)
	head, rest := heads(all)
	byRelevance := q.request.Ranking != RankingRRF
	var nearest []*candidate
	if byRelevance || q.request.MinRelevance > 0 {
		if err := s.assess(ctx, in, q, found, head); err != nil {
			return selected{}, err
		}
		if q.request.MinRelevance > 0 {
			assessed := slices.Clone(head)
			head, rest = slices.DeleteFunc(head, func(c *candidate) bool { return !q.reaches(c) }), nil
			if !slices.ContainsFunc(head, func(c *candidate) bool { return !c.access.sold }) {
				nearest = q.nearest(assessed) // dropped if hits are shown: see decideNearest
			}
		}
		if byRelevance {
			q.weighRecency(head)
			slices.SortFunc(head, compareScore)
			head = q.diversify(head, found.models)
			if !q.asksForDates() && (q.request.Recency == nil || q.request.Recency.Weight == 0) {
				if err := newerFirst(ctx, in, found, head); err != nil {
					return selected{}, err
				}
			}
		}
		head = q.limitUnsure(head)
		for _, c := range head {
			c.release()
		}
	}
	merged := slices.Concat(head, rest)
	hits := limitHits(merged, q.request.Limit, hitsOf)
	possible := hits
	if len(q.admitted) > 0 {
		possible = mayBeHits(merged, q.request.Limit)
	}
	left := slices.DeleteFunc(slices.Clone(possible), (*candidate).assessed)
	if err := s.assess(ctx, in, q, found, left); err != nil {
		return selected{}, err
	}
	q.weighRecency(left)
	if !byRelevance {
		for _, c := range merged {
			c.score, c.ordered = c.fused.Score, true
		}
	}
	return selected{hits: hits, possible: possible, ordered: merged, rest: after(merged, hits, q.request.scored()), nearest: nearest}, nil
}

// limitUnsure removes unsure candidates beyond the request's MaxUnsure.
func (q *searchQuery) limitUnsure(ordered []*candidate) []*candidate {
	if q.request.MaxUnsure == 0 {
		return ordered
	}
	unsure := 0
	return slices.DeleteFunc(ordered, func(c *candidate) bool {
		if c.access.sold || c.relevance >= Unsure {
			return false
		}
		unsure++
		return unsure > q.request.MaxUnsure
	})
}

// nearest returns the most relevant of the assessed candidates that the caller may read, at
// most as many as the request asks for.
func (q *searchQuery) nearest(assessed []*candidate) []*candidate {
	readable := slices.DeleteFunc(assessed, func(c *candidate) bool { return c.access.sold || c.asked.asksForNothing() })
	slices.SortFunc(readable, compareScore)
	return readable[:min(len(readable), q.request.Nearest)]
}

// weighRecency replaces the scores of candidates by their relevance times a factor of
// their age, if the request has Recency.
func (q *searchQuery) weighRecency(candidates []*candidate) {
	r := q.request.Recency
	if r == nil {
		return
	}
	for _, c := range candidates {
		factor := fusion.Recency(q.at.Sub(happened(c.entry)), r.HalfLife, r.Weight)
		c.recency, c.score = &factor, float64(c.relevance*factor)
	}
}

// happened returns when what the entry describes happened, or if that is unknown, when
// the entry was last changed.
func happened(e *memory.Entry) time.Time {
	if e.OccurredAt.IsZero() {
		return e.UpdatedAt
	}
	return e.OccurredAt.Time
}

// diversify returns candidates in the order of maximal marginal relevance, best first,
// if the request has Diversity. The similarity of two is the similarity of their chunks nearest
// to the question; a candidate without vectors is similar to none.
func (q *searchQuery) diversify(candidates []*candidate, by models) []*candidate {
	if q.request.Diversity == 0 {
		return candidates
	}
	relevance := make([]float64, len(candidates))
	vectors := make([][]float32, len(candidates))
	for i, c := range candidates {
		if relevance[i] = c.relevance; q.request.Recency != nil {
			relevance[i] = c.score
		}
		vectors[i] = c.by[c.model].vector.Floats()
	}
	similarity := func(a, b int) float64 {
		if len(vectors[a]) == 0 || len(vectors[b]) == 0 || candidates[a].model != candidates[b].model {
			return 0
		}
		return by[candidates[a].model].cosines().Similarity(candidates[a].by[candidates[a].model].vector.Dot(vectors[b]))
	}
	diverse := make([]*candidate, len(candidates))
	for i, pick := range fusion.MMR(relevance, similarity, 1-q.request.Diversity) {
		c := candidates[pick.Item]
		c.score, c.similarity, c.ordered = pick.Score, &pick.Similarity, true
		diverse[i] = c
	}
	return diverse
}

// reaches reports whether a candidate's relevance, as the caller may see it, is at least
// MinRelevance, or the request's Passing admits the candidate.
func (q *searchQuery) reaches(c *candidate) bool {
	if c.access.relevance(c.relevance) >= c.access.relevance(q.request.MinRelevance) {
		return true
	}
	f := q.request.Filter
	return c.access.whole && q.request.Passing && (f.Where != nil || f.Match != nil)
}

// depthOf returns how many candidates a store may have, and hitsOf how many hits; 0: any
// number.
func depthOf(l *limits) int { return l.depth }
func hitsOf(l *limits) int  { return l.hits }

// limitHits returns the first candidates up to limit. most returns the bound for each store
// from its limits.
func limitHits(ordered []*candidate, limit int, most func(*limits) int) (limited []*candidate) {
	perStore := make(storeCounts)
	limited = make([]*candidate, 0, min(limit, len(ordered)))
	for _, c := range ordered {
		if len(limited) == limit {
			break
		}
		if perStore.add(c.entry.Store, most(c.access.limits)) {
			limited = append(limited, c)
		}
	}
	return limited
}

// compareScore orders candidates by score, best first, ties in compareOrder.
func compareScore(a, b *candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if a.assessment != nil && a.AllOfThen && b.assessment != nil && b.AllOfThen {
		return compareTime(a.entry, b.entry)
	}
	return compareOrder(a.entry, b.entry)
}

// compareOrder breaks all ties: by store, namespace, key, label and owner, in byte order
// (labels by name).
func compareOrder(a, b *memory.Entry) int {
	if c := a.Path.Compare(b.Path); c != 0 {
		return c
	}
	if c := strings.Compare(a.Label.String(), b.Label.String()); c != 0 {
		return c
	}
	return strings.Compare(a.Owner, b.Owner)
}
