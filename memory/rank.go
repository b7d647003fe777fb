package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
)

// merge makes one list of the legs' hits by Reciprocal Rank Fusion, best
// first, ties in compareOrder.
func merge(visible map[uuid.UUID]*candidate, lexicalHits, vectorHits []legHit) []*candidate {
	byOrder := func(a, b uuid.UUID) int { return compareOrder(visible[a].entry, visible[b].entry) }
	items := fusion.RRF(byOrder, entriesOf(lexicalHits), entriesOf(vectorHits))
	merged := make([]*candidate, len(items))
	for i, item := range items {
		c := visible[item.ID]
		c.fused = item.Score
		c.lexical = legRank(lexicalHits, item.Ranks[0])
		c.vector = legRank(vectorHits, item.Ranks[1])
		if c.chunk = -1; c.vector != nil {
			c.chunk = vectorHits[c.vector.Rank-1].Chunk
		}
		merged[i] = c
	}
	return merged
}

// legRank describes the hit at a rank of a leg; nil for rank 0, which none has.
func legRank(hits []legHit, rank int) *LegRank {
	if rank == 0 {
		return nil
	}
	return &LegRank{Rank: rank, Score: hits[rank-1].Score}
}

func entriesOf(hits []legHit) []uuid.UUID {
	ids := make([]uuid.UUID, len(hits))
	for i, hit := range hits {
		ids[i] = hit.Entry
	}
	return ids
}

// rerankDepth is how many of the merged candidates are ordered by relevance.
// Those after them follow in the order of the fusion, and are no hits of a
// search with MinRelevance.
const rerankDepth = 100

// rank returns the hits among the merged candidates, in their order, at most as
// many as the request's limit, with their scores and relevance.
func (s *Service) rank(ctx context.Context, tx ScoreReader, scope acl.Scope, q *searchQuery, merged []*candidate) (hits []*candidate, err error) {
	ctx, end := s.startStep(ctx, "rank", &q.took.Rank)
	defer end(&err)
	merged = limitHits(merged, len(merged), searchOnlyDepth)
	byRelevance := q.request.Ranking != RankingRRF
	if byRelevance || q.request.MinRelevance > 0 {
		head, rest := merged[:min(rerankDepth, len(merged))], merged[min(rerankDepth, len(merged)):]
		if err := s.assess(ctx, tx, scope, q, head); err != nil {
			return nil, err
		}
		if q.request.MinRelevance > 0 {
			head, rest = slices.DeleteFunc(head, func(c *candidate) bool { return !c.reaches(q.request.MinRelevance) }), nil
		}
		if byRelevance {
			slices.SortFunc(head, func(a, b *candidate) int {
				return cmp.Or(cmp.Compare(b.score, a.score), compareOrder(a.entry, b.entry))
			})
		}
		merged = slices.Concat(head, rest)
	}
	hits = limitHits(merged, q.request.Limit, searchOnlyHits)
	if err := s.assess(ctx, tx, scope, q, slices.DeleteFunc(slices.Clone(hits), (*candidate).assessed)); err != nil {
		return nil, err
	}
	if !byRelevance {
		for _, c := range hits {
			c.score = c.fused
		}
	}
	return hits, nil
}

// reaches reports whether the candidate's relevance, as the caller may see it,
// is at least threshold.
func (c *candidate) reaches(threshold float64) bool {
	if c.access.Level < acl.Read {
		return fusion.RoundRelevance(c.relevance) >= fusion.RoundRelevance(threshold)
	}
	return c.relevance >= threshold
}

// limitHits returns the first candidates up to limit, of each store on which
// the caller has level search no more than searchOnly.
func limitHits(ordered []*candidate, limit, searchOnly int) (limited []*candidate) {
	perStore := make(map[string]int)
	for _, c := range ordered {
		if len(limited) == limit {
			break
		}
		if c.access.Level < acl.Read {
			if perStore[c.entry.Store] == searchOnly {
				continue
			}
			perStore[c.entry.Store]++
		}
		limited = append(limited, c)
	}
	return limited
}
