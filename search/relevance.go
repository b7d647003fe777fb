package search

import (
	"context"

	"github.com/google/uuid"

	"mneme/embed/choice"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search/question"
	"mneme/vector"
)

// assess sets the score and relevance of each candidate, for the wording to which it is most
// relevant. They depend on the judgements of a Reranker and on the stored rows. Rows are read in
// the same way for every candidate, whichever leg found it and whatever the leg's index
// returned.
//
// SECURITY: it reads only candidates that the caller sees, within the scope of their snapshot.
func (s *Searcher) assess(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, candidates []*candidate) error {
	own, others := q.divide(candidates)
	if err := s.assessPart(ctx, in, q, found, own); err != nil {
		return err
	}
	return s.assessPart(ctx, in, q.searchOnly, found.searchOnly, others)
}

// assessPart is assess for the candidates of one part of a search.
func (s *Searcher) assessPart(ctx context.Context, in snapshot, q *searchQuery, of *retrieved, candidates []*candidate) error {
	if len(candidates) == 0 {
		return nil
	}
	for w := range of.wordings {
		asked := &of.wordings[w]
		found, err := s.assessBy(ctx, in, q, of, w, candidates)
		if err != nil {
			return err
		}
		for i, c := range candidates {
			score, relevance := asked.judge(&found[i])
			if w == 0 || score > c.score {
				c.assessment, c.score, c.relevance = &found[i], score, relevance
				c.ask(of, w)
			}
		}
	}
	for _, c := range candidates {
		of.verdict.weigh(c, q.at)
		c.merit = c.score
	}
	return nil
}

// assessment holds the parts of a candidate's relevance to one wording.
type assessment struct {
	fusion.Parts
	by       [2]reading           // by model
	model    int                  // the model of Cosine and MaxSim
	question int                  // index in resolved.questions of the scale of Cosine and MaxSim
	language string               // of the entry's text; "": unknown, or addLanguages did not need it
	coverage float64              // the value that Coverage points to
	terms    []lexical.HashedTerm // of the entry; nil: it is not searchable, or a former entry
}

// reading is the chunk of a candidate that one model considers nearest to a wording.
type reading struct {
	read        bool // the model has vectors of the entry
	judges      bool // the model may decide the candidate's relevance
	meaningless bool // the entry has no text to compare: cosine is that of unrelated texts
	chunk       int
	cosine      float64
	vector      vector.Half
	codes       []byte // of the chunk's tokens; nil: none
	maxSim      float64
	tokens      int // number compared for maxSim; 0: there is no MaxSim
}

// judge returns the score and relevance of a candidate by the model that gives it the highest
// score, among those that judge it, and sets its parts by that model.
func (w *resolved) judge(a *assessment) (score, relevance float64) {
	judged := false
	for k := range a.by {
		if !a.by[k].judges {
			continue
		}
		parts, of := a.partsBy(k), question.Of(k, w.language, a.language)
		if s, r := fusion.Relevance(w.questions[of], parts); !judged || s > score {
			score, relevance, judged = s, r, true
			a.Parts, a.model, a.question = parts, k, of
		}
	}
	if !judged {
		score, relevance = fusion.Relevance(w.questions[a.question], a.Parts)
	}
	return score, relevance
}

// partsBy returns the parts of the relevance by the k-th model.
func (a *assessment) partsBy(k int) fusion.Parts {
	parts, r := a.Parts, &a.by[k]
	parts.Cosine, parts.MaxSim, parts.ChunkTokens = &r.cosine, nil, 0
	if r.tokens > 0 {
		parts.MaxSim, parts.ChunkTokens = &r.maxSim, r.tokens
	}
	return parts
}

// assessBy returns the assessments of candidates for one wording, in their order.
func (s *Searcher) assessBy(ctx context.Context, in snapshot, q *searchQuery, of *retrieved, w int, candidates []*candidate) ([]assessment, error) {
	asked, found := &of.wordings[w], make([]assessment, len(candidates))
	ids := make([]uuid.UUID, len(candidates))
	for i, c := range candidates {
		ids[i] = c.entry.ID
	}
	if err := s.addEvidence(ctx, in, q, of, w, candidates, found); err != nil {
		return nil, err
	}
	for i, c := range candidates {
		found[i].chooseModels(asked.prefers, choice.Of(c.access.Detail))
	}
	asked.addDated(candidates, found)
	if err := s.addLanguages(ctx, in, of.languages, asked, candidates, found); err != nil {
		return nil, err
	}
	return found, of.models.addMaxSim(ctx, in, asked, ids, found)
}

// chooseModels sets which models judge a candidate: the preferred model or both, of those that
// have read it. While a model reads a store again, only the main model judges the entries that
// the main model has read. Vectors left by a model that no longer reads the store do not count.
func (a *assessment) chooseModels(prefers int, reading choice.Reading) {
	both := a.by[mainModel].read && a.by[multilingualModel].read
	switch {
	case both && reading.OnlyMultilingual():
		a.by[mainModel].read, both = false, false
	case both && (reading.OnlyEnglish() || !reading.Whole()):
		a.by[multilingualModel].read, both = false, false
	}
	for k := range a.by {
		a.by[k].judges = a.by[k].read && (!both || prefers == eitherModel || prefers == k)
	}
	if prefers == multilingualModel && a.by[multilingualModel].read {
		a.model, a.question = multilingualModel, question.Multilingual
	}
}

// assessed reports whether assess has set the candidate's score.
func (c *candidate) assessed() bool { return c.assessment != nil }

// release drops the data that only the ordering of candidates needs.
func (c *candidate) release() {
	if c.assessment != nil {
		for k := range c.by {
			c.by[k].vector, c.by[k].codes = nil, nil
		}
		c.terms = nil
	}
}

// addEvidence reads the evidence of candidates and sets their coverage and cosines.
func (s *Searcher) addEvidence(ctx context.Context, in snapshot, q *searchQuery, of *retrieved, w int, candidates []*candidate, found []assessment) error {
	asked := &of.wordings[w]
	var query memory.EvidenceQuery
	for k, fingerprint := range of.models.fingerprints() {
		if asked.embeddings[k].Vector != nil {
			query.Fingerprints[k] = fingerprint
		}
	}
	entries, byID := make([]*memory.Entry, 0, len(candidates)), make(map[uuid.UUID]*assessment, len(candidates))
	for i, c := range candidates {
		if byID[c.entry.ID] = &found[i]; c.then == nil {
			entries = append(entries, c.entry)
		}
	}
	counter, counts := lexical.NewTermCounter(asked.terms), make([]int, len(asked.terms))
	add := func(e memory.Evidence) error {
		a := byID[e.Entry]
		if e.Terms != nil {
			counter.Count(counts, e.Terms)
			asked.addCoverage(a, counts, e.Length)
			a.terms = e.Terms
		}
		switch r := &a.by[e.Model]; {
		case len(e.Vector) == 0:
		case e.Vector.IsMeaningless():
			*r = reading{read: true, meaningless: true, cosine: of.models[e.Model].cosines().Unrelated}
		default:
			r.add(e, asked.embeddings[e.Model].Vector)
		}
		return nil
	}
	for _, c := range candidates {
		if c.then == nil {
			continue
		}
		for _, e := range in.then.evidence(c, of.former) {
			if err := add(e); err != nil {
				return err
			}
		}
		byID[c.entry.ID].terms = nil // only current entries are compared with each other
	}
	viewer := s.readers.Of(q.caller)
	return s.evidence.Read(ctx, in.tx, viewer, in.scope, query, entries, add)
}

// addCoverage sets the coverage of a candidate from the counts of the wording's terms in it and
// its length, unless the lexical leg failed or the wording has no terms.
func (w *resolved) addCoverage(a *assessment, counts []int, length int) {
	if w.scorer != nil && len(w.terms) > 0 {
		a.coverage = w.scorer.Coverage(counts, length)
		a.Coverage = &a.coverage
		a.Corrected = a.coverage > 0 && w.scorer.OnlyCorrected()
	}
}

// add compares a chunk with a question's vector, and records it if it is nearer than the
// chunks before.
func (r *reading) add(e memory.Evidence, asked []float32) {
	cosine := e.Vector.Dot(asked)
	if !r.read || cosine > r.cosine || cosine == r.cosine && e.Chunk < r.chunk {
		*r = reading{read: true, chunk: e.Chunk, cosine: cosine, vector: e.Vector, codes: e.Codes}
	}
}
