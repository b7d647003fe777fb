package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/internal/period"
	"mneme/lexical"
	"mneme/lexical/language"
	"mneme/memory"
	"mneme/vector"
)

// A search as of a time finds what has not changed since as any search does. What has is
// read from history, and compared with the question when it is asked: an index of versions
// would slow every write. Rights of now decide, since those of then are not stored. See
// docs/search.md.

// maxEmbedded bounds the former entries of which vectors are made for a search: those that
// have words of the question first, then the newest. The others are judged by their words
// alone.
const maxEmbedded = 100

// asOf is the part of a search that concerns a time as of which it searches. A former entry
// is one that has changed since, as it was.
type asOf struct {
	at    time.Time
	then  *memory.Then // of the snapshot that is looked at
	words map[rowVersion]*formerWords
	// meanings are the vectors of former entries, chunk by chunk, with their codes.
	meanings map[rowVersion][]memory.Evidence
	unread   bool // some have none, for want of time or since they are too many
}

// formerWords are what a former entry has of the words of the wordings.
type formerWords struct {
	counts map[*wording][]int
	length int
}

// setAsOf sets the time as of which the request searches.
func (q *searchQuery) setAsOf() error {
	if q.request.AsOf == "" {
		return nil
	}
	at, err := memory.ParseAsOf(q.request.AsOf, q.request.Filter.Timezone, q.at)
	if err != nil {
		return err
	}
	q.asOf = &asOf{at: at, meanings: make(map[rowVersion][]memory.Evidence)}
	return nil
}

// standing returns the filter of what the legs look among: the request's, of entries that
// have not changed since its AsOf.
func (q *searchQuery) standing() memory.Filter {
	filter := q.request.Filter
	if q.asOf != nil {
		until := condition.Between(period.At(q.asOf.at), period.Span{})
		filter.Where = condition.All(filter.Where, condition.Compare(condition.UpdatedAt, condition.Lte, until))
	}
	return filter
}

// thenOf returns the candidate.then of an entry.
func (q *searchQuery) thenOf(e *memory.Entry) *memory.Then {
	if q.asOf == nil || !q.asOf.then.IsFormer(e.ID) {
		return nil
	}
	return q.asOf.then
}

// readThen reads in a snapshot what stood at the time of the request's AsOf, if it has one.
func (s *Searcher) readThen(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery) (err error) {
	if q.asOf == nil {
		return nil
	}
	q.asOf.words = make(map[rowVersion]*formerWords)
	q.asOf.then, err = memory.ReadThen(ctx, tx, q.caller, scope, q.request.Filter, q.asOf.at, s.instant(), q.readWords)
	return err
}

// readWords sets the words of a former entry.
func (q *searchQuery) readWords(was *memory.Entry) {
	doc := lexical.Analyze(was.Texts()...)
	words := &formerWords{make(map[*wording][]int, len(q.wordings)), doc.Length}
	for _, asked := range q.wordings {
		counts := make([]int, len(asked.terms))
		for i, term := range asked.terms {
			if at, ok := slices.BinarySearchFunc(doc.Terms, term.Text, func(t lexical.Term, text string) int { return cmp.Compare(t.Text, text) }); ok {
				counts[i] = doc.Terms[at].Count
			}
		}
		words.counts[asked] = counts
	}
	q.asOf.words[rowVersion{was.ID, was.Revision}] = words
}

// former is a former entry with its scores by the words of each wording.
type former struct {
	*memory.Entry
	words  *formerWords
	scores []float64
}

func (f *former) version() rowVersion { return rowVersion{f.ID, f.Revision} }

// findFormer adds the former entries that have words of the question, or are near to it, to
// what the legs found, and takes from that what has changed since.
func (s *Searcher) findFormer(ctx context.Context, q *searchQuery, found *retrieved) error {
	var all []former
	var chosen []memory.Entry
	err := s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		scope, err := s.remainingScope(ctx, tx, q)
		if err != nil {
			return err
		}
		if err := s.readThen(ctx, tx, q.bounded(scope), q); err != nil {
			return err
		}
		entries, err := q.asOf.then.Former(ctx, tx)
		if err != nil {
			return err
		}
		all = q.scoreFormer(entries)
		chosen, err = q.toEmbed(ctx, tx, all)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.embedFormer(ctx, q, chosen); err != nil {
		return err
	}
	q.addFormer(found, all)
	return nil
}

// scoreFormer scores former entries as the lexical leg does, by the numbers of now, and then
// counts them in, so that a word which they alone have is none that no entry has. The best
// come first, then the newest.
func (q *searchQuery) scoreFormer(entries []*memory.Entry) []former {
	all := make([]former, 0, len(entries))
	for _, e := range entries {
		f := former{Entry: e, scores: make([]float64, len(q.wordings))}
		if f.words = q.asOf.words[f.version()]; f.words != nil {
			all = append(all, f)
		}
	}
	for w, asked := range q.wordings {
		if asked.scorer == nil || len(asked.terms) == 0 {
			continue
		}
		more, df := lexical.Stats{Documents: int64(len(all))}, make([]int64, len(asked.terms))
		for i := range all {
			counts := all[i].words.counts[asked]
			all[i].scores[w] = asked.scorer.Score(counts, all[i].words.length)
			more.Length += int64(all[i].words.length)
			for t, n := range counts {
				df[t] += int64(min(n, 1))
			}
		}
		asked.scorer = asked.scorer.With(more, asked.terms, df)
	}
	slices.SortStableFunc(all, func(a, b former) int {
		return cmp.Or(cmp.Compare(slices.Max(b.scores), slices.Max(a.scores)), b.UpdatedAt.Compare(a.UpdatedAt), compareOrder(a.Entry, b.Entry))
	})
	return all
}

// toEmbed reads those of former entries of which vectors are to be made.
func (q *searchQuery) toEmbed(ctx context.Context, tx memory.EntryReader, all []former) (chosen []memory.Entry, err error) {
	if !slices.ContainsFunc(q.wordings, (*wording).embedded) {
		return nil, nil
	}
	if len(all) > maxEmbedded {
		all, q.asOf.unread = all[:maxEmbedded], true
	}
	for _, f := range all {
		if _, made := q.asOf.meanings[f.version()]; made {
			continue // the legs were asked before
		}
		whole, err := q.asOf.then.Whole(ctx, tx, f.Entry)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, whole)
	}
	return chosen, nil
}

// embedFormer makes the vectors of former entries, outside of any snapshot, as far as the
// vector leg's budget reaches.
//
// SECURITY: an embedder is sent no text above the label up to which it reads.
func (s *Searcher) embedFormer(ctx context.Context, q *searchQuery, chosen []memory.Entry) (err error) {
	limited, cancel := context.WithTimeout(ctx, s.budget)
	defer cancel()
	limited, end := s.startStep(limited, "embed_former", &q.took.Embed)
	defer end(&err)
	for i := range chosen {
		e := &chosen[i]
		made, err := withDeadline(limited, func() ([]memory.Evidence, error) { return q.meaningOf(limited, readerOf(q, e), e) })
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			s.log.WarnContext(ctx, "former entries could not be embedded", "error", err)
			q.asOf.unread = true
			return nil
		}
		q.asOf.meanings[rowVersion{e.ID, e.Revision}] = made
	}
	return nil
}

// readerOf returns which of the search's models reads a former entry.
func readerOf(q *searchQuery, e *memory.Entry) int {
	if !q.models[mainModel].serves() || q.models.both() && language.Foreign(memory.ProseOf(e)) {
		return multilingualModel
	}
	return mainModel
}

// meaningOf returns the vectors that the k-th model makes of a former entry.
func (q *searchQuery) meaningOf(ctx context.Context, k int, e *memory.Entry) ([]memory.Evidence, error) {
	model := q.models[k]
	switch {
	case !model.Reads(e.Label):
		return nil, nil
	case !memory.HasMeaning(e):
		return []memory.Evidence{{Entry: e.ID, Model: k, Vector: vector.Meaningless(model.Embedder.Dim())}}, nil
	}
	passages, err := model.Embedder.Passages(ctx, model.Embedder.Split(memory.ChunkHeader(e), lexical.TextOf(e.Value)))
	if err != nil {
		return nil, fmt.Errorf("embed a former entry: %w", err)
	}
	made := make([]memory.Evidence, len(passages))
	for i, p := range passages {
		made[i] = memory.Evidence{Entry: e.ID, Model: k, Chunk: i, Vector: vector.ToHalf(p.Vector), Codes: p.Codes}
	}
	return made, nil
}

// evidence returns what a former candidate is scored by.
func (a *asOf) evidence(c *candidate, asked *wording) []memory.Evidence {
	all := slices.Clone(a.meanings[c.version()])
	if words := a.words[c.version()]; words != nil {
		all = append(all, memory.Evidence{Entry: c.entry.ID, Counts: words.counts[asked], Length: words.length})
	}
	return all
}

// nearestCodes returns the codes of the chunks of a former candidate, the nearest to
// its wording first, at most codedChunks.
func (a *asOf) nearestCodes(c *candidate) (codes []chunkCodes) {
	of := slices.DeleteFunc(slices.Clone(a.meanings[c.version()]), func(e memory.Evidence) bool { return e.Model != c.model || len(e.Codes) == 0 })
	asked := c.asked.embeddings[c.model].Vector
	slices.SortStableFunc(of, func(x, y memory.Evidence) int { return cmp.Compare(y.Vector.Dot(asked), x.Vector.Dot(asked)) })
	for _, e := range of[:min(len(of), codedChunks)] {
		codes = append(codes, chunkCodes{e.Chunk, e.Codes})
	}
	return codes
}

// addFormer puts former entries among the hits of the legs that searched, in place of what
// these found of the same entries as they are now.
func (q *searchQuery) addFormer(found *retrieved, all []former) {
	if q.page != nil {
		return // the candidates are known
	}
	byWords := q.request.Mode != ModeVector && !slices.Contains(found.failed, LegLexical)
	byMeaning := q.request.Mode != ModeLexical && slices.ContainsFunc(q.wordings, (*wording).embedded) && !slices.Contains(found.failed, LegVector)
	if byWords {
		found.lexical = q.withFormer(found.lexical, func(w int) (hits []legHit) {
			for _, f := range all {
				if f.scores[w] > 0 {
					hits = append(hits, legHit{Entry: f.ID, Score: f.scores[w]})
				}
			}
			return hits
		})
	}
	if byMeaning {
		found.vector = q.withFormer(found.vector, func(w int) (hits []legHit) {
			for _, f := range all {
				if hit, ok := q.nearestOf(q.wordings[w], &f); ok {
					hits = append(hits, hit)
				}
			}
			return hits
		})
	}
}

// withFormer returns the lists of a leg, one for each wording, with former entries.
func (q *searchQuery) withFormer(lists []legList, former func(w int) []legHit) []legList {
	if len(lists) == 0 {
		lists = make([]legList, len(q.wordings))
	}
	for w := range lists {
		hits := slices.DeleteFunc(slices.Clone(lists[w].hits), func(hit legHit) bool { return q.asOf.then.IsFormer(hit.Entry) })
		hits = append(hits, former(w)...)
		slices.SortStableFunc(hits, func(a, b legHit) int { return cmp.Compare(b.Score, a.Score) })
		lists[w].hits = hits
	}
	return lists
}

// nearestOf returns the hit of a former entry in the vector leg; ok is false if it has no
// vectors.
func (q *searchQuery) nearestOf(asked *wording, f *former) (hit legHit, ok bool) {
	for _, e := range q.asOf.meanings[f.version()] {
		if len(asked.embeddings[e.Model].Vector) == 0 {
			continue
		}
		score := q.models[e.Model].cosine(e.Vector, asked.embeddings[e.Model].Vector)
		if q.models[multilingualModel].serves() || q.models[mainModel].EnglishOnly { // see models.merge
			score = q.models.scaled(asked, e.Model, score)
		}
		if !ok || score > hit.Score {
			hit, ok = legHit{Entry: f.ID, Score: score, Chunk: e.Chunk}, true
		}
	}
	return hit, ok
}
