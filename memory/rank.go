package memory

import (
	"cmp"
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

// order scores the merged candidates and sorts them, best first. Candidates
// of equal score stay in the order of the fusion.
func order(q *searchQuery, merged []*candidate) []*candidate {
	for _, c := range merged {
		c.score = relevance(q, c)
	}
	slices.SortStableFunc(merged, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return merged
}

// relevance scores one candidate for a query; higher is better. It sees no
// other candidate, so that the score of a hit depends on no other hit. It is
// the fused score.
func relevance(_ *searchQuery, c *candidate) float64 { return c.fused }

// limitHits returns the first candidates up to limit, of each store on which
// the caller has level search no more than searchOnlyHits. capped reports
// that candidates were left out although there was room.
func limitHits(ordered []*candidate, limit int) (limited []*candidate, capped bool) {
	perStore := make(map[string]int)
	for _, c := range ordered {
		if len(limited) == limit {
			return limited, false
		}
		if c.access.Level < acl.Read {
			if perStore[c.entry.Store] == searchOnlyHits {
				capped = true
				continue
			}
			perStore[c.entry.Store]++
		}
		limited = append(limited, c)
	}
	return limited, capped && len(limited) < limit
}
