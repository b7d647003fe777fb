package search

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
	"mneme/search/cache"
	"mneme/vector"
)

// assess sets the score and relevance of candidates: of several wordings, those
// to which each is most relevant count. What they depend on is read from the
// rows, for every candidate in the same way, whichever leg found it and whatever
// its index said of it; and what a Reranker said of those that it judged.
//
// SECURITY: it reads of candidates that the caller sees alone, within the scope
// of their snapshot.
func (s *Searcher) assess(ctx context.Context, tx assessmentTx, scope acl.Scope, q *searchQuery, candidates []*candidate) error {
	own, apart := q.divide(candidates)
	if err := s.assessPart(ctx, tx, scope, q, own); err != nil {
		return err
	}
	return s.assessPart(ctx, tx, scope, q.apart, apart)
}

// assessPart is assess for candidates that one part of a search ranks.
func (s *Searcher) assessPart(ctx context.Context, tx assessmentTx, scope acl.Scope, q *searchQuery, candidates []*candidate) error {
	if len(candidates) == 0 {
		return nil
	}
	for w, asked := range q.wordings {
		found, err := s.assessBy(ctx, tx, scope, q, asked, candidates)
		if err != nil {
			return err
		}
		if err := s.addNative(ctx, tx, q, asked, candidates, found); err != nil {
			return err
		}
		asked.questions = q.models.ask(asked)
		for i, c := range candidates {
			found[i].question = asked.questionFor(found[i].model, found[i].native, c.access.Reading)
			score, relevance := fusion.Relevance(asked.questions[found[i].question], found[i].Parts)
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

// assessmentTx reads what assess needs.
type assessmentTx interface {
	memory.ScoreReader
	memory.EntryReader
}

// natives say which rows are surely in the main model's language, of those whose texts a
// search has read to find out.
type natives map[rowVersion]bool

// rowVersion is a row at one of its revisions.
type rowVersion struct {
	id       uuid.UUID
	revision int64
}

func (c *candidate) version() rowVersion { return rowVersion{c.entry.ID, c.entry.Revision} }

// addNative finds out which candidates are surely in the main model's language, for a
// wording that is not: their texts say so, and are read only then, once for all wordings
// and snapshots of a search.
func (s *Searcher) addNative(ctx context.Context, tx assessmentTx, q *searchQuery, asked *wording, candidates []*candidate, found []assessment) error {
	if s.native == nil || asked.prefers == mainModel {
		return nil
	}
	readByBoth := func(i int) bool { return found[i].readByMain && found[i].model == multilingualModel }
	var unread []*candidate
	for i, c := range candidates {
		if _, known := q.natives[c.version()]; !known && readByBoth(i) {
			unread = append(unread, c)
		}
	}
	if err := s.readNatives(ctx, tx, q, unread); err != nil {
		return err
	}
	for i, c := range candidates {
		found[i].native = readByBoth(i) && q.natives[c.version()]
	}
	return nil
}

// readNatives reads the texts of candidates, a batch at a time.
func (s *Searcher) readNatives(ctx context.Context, tx memory.EntryReader, q *searchQuery, unread []*candidate) error {
	for len(unread) > 0 {
		n := memory.BatchOf(len(unread), func(i int) int { return unread[i].entry.Size })
		entries, err := completed(ctx, tx, unread[:n])
		if err != nil {
			return err
		}
		for i := range entries {
			e := &entries[i]
			q.natives[rowVersion{e.ID, e.Revision}] = s.native(memory.ProseOf(e))
		}
		unread = unread[n:]
	}
	return nil
}

// assessment is what the relevance of a candidate to one wording is made of.
type assessment struct {
	fusion.Parts
	model         int         // of Cosine and MaxSim
	question      int         // of the wording's questions, to which they belong
	readByMain    bool        // whether the entry has a vector of the main model
	native        bool        // whether its text is surely in the main model's language, where it matters
	nearest       int         // chunk of Cosine
	nearestVector vector.Half // nil unless the request has Diversity
	codes         []byte      // of the nearest chunk's tokens, until they are compared
	// What Coverage, Cosine and MaxSim point to.
	coverage, cosine, maxSim float64
}

// assessBy returns the assessments of candidates for one wording, in their order.
func (s *Searcher) assessBy(ctx context.Context, tx memory.ScoreReader, scope acl.Scope, q *searchQuery, asked *wording, candidates []*candidate) ([]assessment, error) {
	found := make([]assessment, len(candidates))
	byID := make(map[uuid.UUID]*assessment, len(candidates))
	ids := make([]uuid.UUID, len(candidates))
	for i, c := range candidates {
		ids[i], byID[c.entry.ID] = c.entry.ID, &found[i]
	}
	if err := s.addEvidence(ctx, tx, scope, q, asked, candidates, byID); err != nil {
		return nil, err
	}
	return found, q.addMaxSim(ctx, tx, scope, asked, ids, found)
}

// assessed reports whether assess has set the candidate's score.
func (c *candidate) assessed() bool { return c.assessment != nil }

// addEvidence reads what candidates are scored by, and sets coverage and cosine.
func (s *Searcher) addEvidence(ctx context.Context, tx memory.ScoreReader, scope acl.Scope, q *searchQuery, asked *wording, candidates []*candidate, byID map[uuid.UUID]*assessment) error {
	query := memory.EvidenceQuery{Terms: asked.terms}
	for k, fingerprint := range q.models.fingerprints() {
		if asked.embeddings[k].Vector != nil {
			query.Fingerprints[k] = fingerprint
		}
	}
	entries := make([]*memory.Entry, len(candidates))
	for i, c := range candidates {
		entries[i] = c.entry
	}
	viewer := s.rows.Number(cache.ViewerOf(q.caller))
	return s.evidence.Read(ctx, tx, viewer, scope, query, entries, func(e memory.Evidence) error {
		a := byID[e.Entry]
		asked.addCoverage(a, e)
		a.readByMain = a.readByMain || e.Model == mainModel && len(e.Vector) > 0
		if e.Vector.IsMeaningless() {
			if a.Cosine == nil || e.Model == asked.prefers {
				a.cosine = q.models[e.Model].cosines().Unrelated
				a.Cosine, a.model = &a.cosine, e.Model
			}
			return nil
		}
		if len(e.Vector) > 0 && asked.addCosine(a, e) {
			a.codes = e.Codes
			if q.request.Diversity > 0 {
				a.nearestVector = e.Vector
			}
		}
		return nil
	})
}

// addCoverage sets the coverage of a candidate, unless the lexical leg failed or
// the wording has no terms.
func (w *wording) addCoverage(a *assessment, e memory.Evidence) {
	if w.scorer != nil && len(w.terms) > 0 && e.Counts != nil {
		a.coverage = w.scorer.Coverage(e.Counts, e.Length)
		a.Coverage = &a.coverage
	}
}

// addCosine sets the cosine and the nearest chunk of a candidate, and reports
// whether the chunk is nearer than those before. Of two models the preferred one's chunks
// count.
func (w *wording) addCosine(a *assessment, e memory.Evidence) bool {
	if a.Cosine != nil && a.model != e.Model {
		if e.Model != w.prefers {
			return false
		}
		a.Cosine = nil
	}
	cosine := e.Vector.Dot(w.embeddings[e.Model].Vector)
	nearer := a.Cosine == nil || cosine > *a.Cosine || cosine == *a.Cosine && e.Chunk < a.nearest
	if nearer {
		a.cosine = cosine
		a.Cosine, a.nearest, a.model = &a.cosine, e.Chunk, e.Model
	}
	return nearer
}
