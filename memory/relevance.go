package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/vector"
)

// assess sets the score and relevance of candidates: of several wordings, those
// to which each is most relevant count. What they depend on is read from the
// rows, for every candidate in the same way, whichever leg found it and whatever
// its index said of it.
//
// SECURITY: it reads of candidates that the caller sees alone, within the scope
// of their snapshot.
func (s *Service) assess(ctx context.Context, tx ScoreReader, scope acl.Scope, q *searchQuery, candidates []*candidate) error {
	if len(candidates) == 0 {
		return nil
	}
	for w, asked := range q.wordings {
		found, err := q.assessBy(ctx, tx, scope, asked, candidates)
		if err != nil {
			return err
		}
		asked.question = fusion.Question{Familiarity: asked.familiarity(), Cosines: q.cosines()}
		for i, c := range candidates {
			score, relevance := fusion.Relevance(asked.question, found[i].Parts)
			if w == 0 || score > c.score {
				c.assessment, c.score, c.relevance = &found[i], score, relevance
				c.ask(q, w)
			}
		}
	}
	return nil
}

// assessment is what the relevance of a candidate to one wording is made of.
type assessment struct {
	fusion.Parts
	nearest       int         // chunk of Cosine
	nearestVector vector.Half // nil unless the request has Diversity
}

// assessBy returns the assessments of candidates for one wording, in their order.
func (q *searchQuery) assessBy(ctx context.Context, tx ScoreReader, scope acl.Scope, asked *wording, candidates []*candidate) ([]assessment, error) {
	found := make([]assessment, len(candidates))
	byID := make(map[uuid.UUID]*assessment, len(candidates))
	ids := make([]uuid.UUID, len(candidates))
	for i, c := range candidates {
		ids[i], byID[c.entry.ID] = c.entry.ID, &found[i]
	}
	if err := asked.addCoverage(ctx, tx, scope, ids, byID); err != nil {
		return nil, err
	}
	if err := q.addCosine(ctx, tx, scope, asked, ids, byID); err != nil {
		return nil, err
	}
	return found, q.addMaxSim(ctx, tx, scope, asked, ids, found)
}

// assessed reports whether assess has set the candidate's score.
func (c *candidate) assessed() bool { return c.assessment != nil }

// addCoverage sets the coverage of candidates, unless the lexical leg failed or
// the wording has no terms.
func (w *wording) addCoverage(ctx context.Context, tx ScoreReader, scope acl.Scope, ids []uuid.UUID, byID map[uuid.UUID]*assessment) error {
	if w.scorer == nil || len(w.terms) == 0 {
		return nil
	}
	counts, err := tx.TermCounts(ctx, scope, w.terms, ids)
	total := w.scorer.TotalWeight()
	for _, c := range counts {
		byID[c.Entry].Coverage = new(w.scorer.Score(c.Counts, c.Length) / total)
	}
	return err
}

// addCosine sets the cosine and the nearest chunk of candidates that have
// vectors, if the wording has one.
func (q *searchQuery) addCosine(ctx context.Context, tx ScoreReader, scope acl.Scope, asked *wording, ids []uuid.UUID, byID map[uuid.UUID]*assessment) error {
	if asked.embedding.Vector == nil {
		return nil
	}
	return tx.ChunkVectors(ctx, scope, q.fingerprint, ids, func(r vector.Record) error {
		a := byID[r.Entry]
		cosine := r.Vector.Dot(asked.embedding.Vector)
		if known := a.Cosine; known == nil || cosine > *known || cosine == *known && r.Chunk < a.nearest {
			a.Cosine, a.nearest = &cosine, r.Chunk
			if q.request.Diversity > 0 {
				a.nearestVector = append(a.nearestVector[:0], r.Vector...)
			}
		}
		return nil
	})
}

// cosines returns the range of the cosines of the query's embedder.
func (q *searchQuery) cosines() fusion.CosineRange {
	if q.embedder == nil {
		return fusion.E5Cosines
	}
	unrelated, related := q.embedder.Cosines()
	return fusion.CosineRange{Unrelated: unrelated, Related: related}
}
