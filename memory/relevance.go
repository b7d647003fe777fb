package memory

import (
	"context"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/vector"
)

// assess sets the score and relevance of candidates. What they depend on is
// read from the rows, for every candidate in the same way, whichever leg found
// it and whatever its index said of it.
//
// SECURITY: it reads of candidates that the caller sees alone, within the scope
// of their snapshot.
func (s *Service) assess(ctx context.Context, tx ScoreReader, scope acl.Scope, q *searchQuery, candidates []*candidate) error {
	if len(candidates) == 0 {
		return nil
	}
	byID := make(map[uuid.UUID]*candidate, len(candidates))
	ids := make([]uuid.UUID, len(candidates))
	for i, c := range candidates {
		ids[i], byID[c.entry.ID] = c.entry.ID, c
		c.parts = new(fusion.Parts)
	}
	if err := q.addCoverage(ctx, tx, scope, ids, byID); err != nil {
		return err
	}
	if err := q.addCosine(ctx, tx, scope, ids, byID); err != nil {
		return err
	}
	if err := q.addMaxSim(ctx, tx, scope, candidates); err != nil {
		return err
	}
	q.question = fusion.Question{Familiarity: q.familiarity(), Cosines: q.cosines()}
	for _, c := range candidates {
		c.score, c.relevance = fusion.Relevance(q.question, *c.parts)
	}
	return nil
}

// assessed reports whether assess has set the candidate's score.
func (c *candidate) assessed() bool { return c.parts != nil }

// addCoverage sets the coverage of candidates, unless the lexical leg failed or
// the query has no terms.
func (q *searchQuery) addCoverage(ctx context.Context, tx ScoreReader, scope acl.Scope, ids []uuid.UUID, byID map[uuid.UUID]*candidate) error {
	if q.scorer == nil || len(q.terms) == 0 {
		return nil
	}
	counts, err := tx.TermCounts(ctx, scope, q.terms, ids)
	total := q.scorer.TotalWeight()
	for _, c := range counts {
		byID[c.Entry].parts.Coverage = new(q.scorer.Score(c.Counts, c.Length) / total)
	}
	return err
}

// addCosine sets the cosine and the nearest chunk of candidates that have
// vectors, if the query has one.
func (q *searchQuery) addCosine(ctx context.Context, tx ScoreReader, scope acl.Scope, ids []uuid.UUID, byID map[uuid.UUID]*candidate) error {
	if q.embedding.Vector == nil {
		return nil
	}
	return tx.ChunkVectors(ctx, scope, q.fingerprint, ids, func(r vector.Record) error {
		c := byID[r.Entry]
		cosine := r.Vector.Dot(q.embedding.Vector)
		if known := c.parts.Cosine; known == nil || cosine > *known || cosine == *known && r.Chunk < c.nearest {
			c.parts.Cosine, c.nearest = &cosine, r.Chunk
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

// familiarity returns the share of the query's letters that stand in words of
// two letters or more which the encoder has as one token; 1 if that is not
// known.
func (q *searchQuery) familiarity() float64 {
	if len(q.embedding.Tokens) == 0 {
		return 1
	}
	pieces := make(map[[2]int]int) // tokens of each word
	for _, t := range q.embedding.Tokens {
		pieces[[2]int{t.Start, t.End}]++
	}
	known := 0
	for word, n := range pieces {
		if letters := countLetters(q.request.Query[word[0]:word[1]]); n == 1 && letters > 1 {
			known += letters
		}
	}
	return min(1, float64(known)/float64(max(1, countLetters(q.request.Query))))
}

func countLetters(text string) (n int) {
	for len(text) > 0 {
		r, width := utf8.DecodeRuneInString(text)
		if unicode.IsLetter(r) {
			n++
		}
		text = text[width:]
	}
	return n
}
