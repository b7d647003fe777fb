package search

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
	"mneme/vector"
)

// assess sets the score and relevance of candidates: of several wordings, those
// to which each is most relevant count. What they depend on is read from the
// rows, for every candidate in the same way, whichever leg found it and whatever
// its index said of it; and what a Reranker said of those that it judged.
//
// SECURITY: it reads of candidates that the caller sees alone, within the scope
// of their snapshot.
func (s *Searcher) assess(ctx context.Context, tx memory.ScoreReader, scope acl.Scope, q *searchQuery, candidates []*candidate) error {
	if len(candidates) == 0 {
		return nil
	}
	for w, asked := range q.wordings {
		found, err := q.assessBy(ctx, tx, scope, asked, candidates)
		if err != nil {
			return err
		}
		asked.question = fusion.Question{Familiarity: asked.familiarity(), Cosines: q.cosines(), LacksName: asked.scorer != nil && asked.scorer.LacksName()}
		for i, c := range candidates {
			score, relevance := fusion.Relevance(asked.question, found[i].Parts)
			if w == 0 || score > c.score {
				c.assessment, c.score, c.relevance = &found[i], score, relevance
				c.ask(q, w)
			}
		}
	}
	for _, c := range candidates {
		q.weighJudgement(c)
	}
	return nil
}

// assessment is what the relevance of a candidate to one wording is made of.
type assessment struct {
	fusion.Parts
	nearest       int         // chunk of Cosine
	nearestVector vector.Half // nil unless the request has Diversity
	codes         []byte      // of the nearest chunk's tokens, until they are compared
}

// assessBy returns the assessments of candidates for one wording, in their order.
func (q *searchQuery) assessBy(ctx context.Context, tx memory.ScoreReader, scope acl.Scope, asked *wording, candidates []*candidate) ([]assessment, error) {
	found := make([]assessment, len(candidates))
	byID := make(map[uuid.UUID]*assessment, len(candidates))
	ids := make([]uuid.UUID, len(candidates))
	for i, c := range candidates {
		ids[i], byID[c.entry.ID] = c.entry.ID, &found[i]
	}
	if err := q.addEvidence(ctx, tx, scope, asked, ids, byID); err != nil {
		return nil, err
	}
	return found, q.addMaxSim(ctx, tx, scope, asked, ids, found)
}

// assessed reports whether assess has set the candidate's score.
func (c *candidate) assessed() bool { return c.assessment != nil }

// addEvidence reads what candidates are scored by in one pass over their rows, and
// sets coverage and cosine.
func (q *searchQuery) addEvidence(ctx context.Context, tx memory.ScoreReader, scope acl.Scope, asked *wording, ids []uuid.UUID, byID map[uuid.UUID]*assessment) error {
	query := memory.EvidenceQuery{Terms: asked.terms, Entries: ids}
	if asked.embedding.Vector != nil {
		query.Fingerprint = q.fingerprint
	}
	return tx.Evidence(ctx, scope, query, func(e memory.Evidence) error {
		a := byID[e.Entry]
		asked.addCoverage(a, e)
		if e.Vector.IsMeaningless() {
			a.Cosine = new(q.cosines().Unrelated)
			return nil
		}
		if len(e.Vector) > 0 && asked.addCosine(a, e) {
			a.codes = bytes.Clone(e.Codes)
			if q.request.Diversity > 0 {
				a.nearestVector = append(a.nearestVector[:0], e.Vector...)
			}
		}
		return nil
	})
}

// addCoverage sets the coverage of a candidate, unless the lexical leg failed or
// the wording has no terms.
func (w *wording) addCoverage(a *assessment, e memory.Evidence) {
	if w.scorer != nil && len(w.terms) > 0 && e.Counts != nil {
		a.Coverage = new(w.scorer.Coverage(e.Counts, e.Length))
	}
}

// addCosine sets the cosine and the nearest chunk of a candidate, and reports
// whether the chunk is nearer than those before.
func (w *wording) addCosine(a *assessment, e memory.Evidence) bool {
	cosine := e.Vector.Dot(w.embedding.Vector)
	nearer := a.Cosine == nil || cosine > *a.Cosine || cosine == *a.Cosine && e.Chunk < a.nearest
	if nearer {
		a.Cosine, a.nearest = &cosine, e.Chunk
	}
	return nearer
}

// cosines returns the range of the cosines of the query's embedder.
func (q *searchQuery) cosines() fusion.CosineRange {
	if q.embedder == nil {
		return fusion.E5Cosines
	}
	unrelated, related := q.embedder.Cosines()
	return fusion.CosineRange{Unrelated: unrelated, Related: related}
}
