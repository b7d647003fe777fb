package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/embed/maxsim"
	"mneme/lexical"
	"mneme/vector"
)

// addMaxSim sets the MaxSim of assessments, which are in the order of ids, if the wording has
// tokens and the entry's nearest chunk has codes.
func (m models) addMaxSim(ctx context.Context, in snapshot, asked *resolved, ids []uuid.UUID, found []assessment) error {
	for k := range m {
		if err := m.addMaxSimBy(ctx, in, asked, k, ids, found); err != nil {
			return err
		}
	}
	return nil
}

// addMaxSimBy is addMaxSim for the assessments by the k-th model.
func (m models) addMaxSimBy(ctx context.Context, in snapshot, asked *resolved, k int, ids []uuid.UUID, found []assessment) error {
	tokens := asked.tokens(k)
	if len(tokens) == 0 {
		return nil
	}
	query := make([]maxsim.Vector, len(tokens))
	total := 0.0
	for i, t := range tokens {
		query[i] = *t.vector
		total += t.weight
	}
	if err := m.readCodes(ctx, in, k, ids, found); err != nil {
		return err
	}
	best, against := make([]float32, len(query)), maxsim.NewQuery(query)
	for i := range found {
		r := &found[i].by[k]
		if len(r.codes) == 0 || !r.judges {
			continue
		}
		if err := against.Best(r.codes, best); err != nil {
			return fmt.Errorf("entry %s: %w", ids[i], err)
		}
		sum := 0.0
		for t, cosine := range best {
			sum += float64(tokens[t].weight * float64(cosine))
		}
		r.maxSim, r.tokens = sum/total, len(r.codes)/maxsim.TokenSize
	}
	return nil
}

// readCodes reads the k-th model's codes of the nearest chunks of entries, in the order of ids.
// The codes of first chunks and of former entries were read with the vectors.
func (m models) readCodes(ctx context.Context, in snapshot, k int, ids []uuid.UUID, found []assessment) error {
	var chunks []vector.ChunkID
	var of []*reading
	for i := range found {
		if r := &found[i].by[k]; r.chunk > 0 && r.judges && r.codes == nil {
			chunks, of = append(chunks, vector.ChunkID{Entry: ids[i], Chunk: r.chunk}), append(of, r)
		}
	}
	if len(chunks) == 0 {
		return nil
	}
	codes, err := in.tx.ChunkCodes(ctx, in.scope, m[k].Fingerprint, chunks)
	for i, r := range of {
		r.codes = codes[i]
	}
	return err
}

// weightedToken is a token of a query with its weight in MaxSim.
type weightedToken struct {
	vector *maxsim.Vector
	weight float64
}

const (
	// maxTokens is how many of a query's tokens MaxSim compares: those of the greatest weight.
	// It bounds the time of the comparison.
	maxTokens = 32
	// plainWeight is the weight of a token whose word is none of the query's
	// terms, such as a stop word. A word that every second entry has weighs as
	// much. Punctuation weighs nothing.
	plainWeight = 0.6
)

// tokens returns the k-th model's tokens that MaxSim compares, with their weights: the
// rarity of a token's word in the scope. Without the lexical leg, which counts the
// words, all words weigh the same.
func (w *resolved) tokens(k int) []weightedToken {
	tokens := make([]weightedToken, 0, len(w.embeddings[k].Tokens))
	weights := make(map[string]float64) // by word
	stems := slices.ContainsFunc(w.terms, func(t lexical.QueryTerm) bool { return t.Variant })
	for i := range w.embeddings[k].Tokens {
		t := &w.embeddings[k].Tokens[i]
		if t.Vector == (maxsim.Vector{}) { // the embedder makes no codes
			continue
		}
		word := w.text[t.Start:t.End]
		weight, ok := weights[word]
		if !ok {
			weight = w.rarity(word, stems)
			weights[word] = weight
		}
		if weight > 0 {
			tokens = append(tokens, weightedToken{&t.Vector, weight})
		}
	}
	slices.SortStableFunc(tokens, func(a, b weightedToken) int { return cmp.Compare(b.weight, a.weight) })
	return tokens[:min(len(tokens), maxTokens)]
}

// rarity returns the weight of a word of the query: of the word's terms that are terms of the
// query, the greatest weight as evidence; plainWeight if there are none; 0 for what is not a
// word. stems says that the query has stems beside its words.
func (w *resolved) rarity(word string, stems bool) float64 {
	var few [4]string
	terms := lexical.AppendTerms(few[:0], word, stems)
	if len(terms) == 0 {
		return 0
	}
	if w.scorer == nil {
		return 1
	}
	rarity, known := 0.0, false
	for _, term := range terms {
		i, ok := slices.BinarySearchFunc(w.terms, term, func(t lexical.QueryTerm, text string) int { return cmp.Compare(t.Text, text) })
		if ok {
			rarity, known = max(rarity, w.scorer.Evidence(i, w.terms[i])), true
		}
	}
	if !known {
		return plainWeight
	}
	return rarity
}
