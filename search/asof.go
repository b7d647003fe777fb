package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// A search as of a time finds the entries that have not changed since that time as any other
// search does. It reads earlier versions of the other entries from history and compares them
// with the question one by one, because an index of versions would slow every write. The
// caller's current rights decide what it sees, since past rights are not stored. See
// docs/search.md.

// maxEmbedded bounds the former entries that a search embeds: first those that have words of
// the question, then the newest. The others are scored by their words alone.
const maxEmbedded = 100

// formerEntries are the entries of a snapshot as they were at a time. A former entry is the
// earlier version of an entry that has changed since.
type formerEntries struct {
	*memory.Then
	words map[rowVersion]*formerWords
}

// formerMeanings holds the vectors and codes of the chunks of former entries.
type formerMeanings struct {
	of     map[rowVersion][]memory.Evidence
	unread bool // some have no vectors: the time was too short, or more than maxEmbedded were found
}

// formerWords holds the terms of a former entry and its length in tokens.
type formerWords struct {
	terms  []lexical.HashedTerm
	length int
}

// parseAsOf returns the time as of which a request searches; nil: it searches the current
// entries.
func parseAsOf(r Request, now time.Time) (*time.Time, error) {
	if r.AsOf == "" {
		return nil, nil
	}
	at, err := memory.ParseAsOf(r.AsOf, r.Filter.Timezone, now)
	return &at, err
}

// unchangedSince restricts a request's filter to entries that have not changed since asOf. If
// asOf is nil, it returns the filter as it is.
func unchangedSince(filter memory.Filter, asOf *time.Time) memory.Filter {
	if asOf != nil {
		until := condition.Between(period.At(*asOf), period.Span{})
		filter.Where = condition.All(filter.Where, condition.Compare(condition.UpdatedAt, condition.Lte, until))
	}
	return filter
}

// of returns what candidate.then is for an entry: f.Then if it is a former entry, otherwise nil.
func (f *formerEntries) of(e *memory.Entry) *memory.Then {
	if f == nil || !f.IsFormer(e.ID) {
		return nil
	}
	return f.Then
}

// snapshotOf returns a snapshot of a scope. If the request has an AsOf, the snapshot has the
// entries of that time.
func (s *Searcher) snapshotOf(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery) (in snapshot, err error) {
	in = s.within(tx, scope, q)
	if q.asOf == nil {
		return in, nil
	}
	in.then = &formerEntries{words: make(map[rowVersion]*formerWords)}
	in.then.Then, err = memory.ReadThen(ctx, tx, q.caller, scope, q.request.Filter, *q.asOf, s.instant(), func(was *memory.Entry) {
		in.then.words[rowVersion{was.ID, was.Revision}] = wordsOf(was)
	})
	return in, err
}

// wordsOf returns the words of a former entry.
func wordsOf(was *memory.Entry) *formerWords {
	doc := lexical.Analyze(was.Texts()...)
	return &formerWords{lexical.HashTerms(doc.Terms), doc.Length}
}

// former is a former entry with its scores by the words of each wording.
type former struct {
	*memory.Entry
	words  *formerWords
	scores []float64
}

func (f *former) version() rowVersion { return rowVersion{f.ID, f.Revision} }

// findFormer returns the hits of the legs without the entries that have changed since the time
// of the search, and with the former entries that have words of the question or are near to it.
func (s *Searcher) findFormer(ctx context.Context, q *searchQuery, found *retrieved) (*retrieved, error) {
	var in snapshot
	var all []former
	var wordings []resolved
	var chosen []memory.Entry
	meanings := &formerMeanings{maps.Clone(found.former.of), found.former.unread}
	err := s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		scope, err := s.remainingScope(ctx, tx, q)
		if err != nil {
			return err
		}
		if in, err = s.snapshotOf(ctx, tx, q.bounded(scope), q); err != nil {
			return err
		}
		entries, err := in.then.Former(ctx, tx)
		if err != nil {
			return err
		}
		all, wordings = in.then.score(entries, found.wordings)
		if !slices.ContainsFunc(found.wordings, func(w resolved) bool { return w.embedded() }) {
			return nil
		}
		embedded := all[:min(len(all), maxEmbedded)]
		meanings.unread = meanings.unread || len(embedded) < len(all)
		chosen, err = in.then.toEmbed(ctx, tx, embedded, meanings)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.embedFormer(ctx, found.models, chosen, meanings); err != nil {
		return nil, err
	}
	with := *found
	with.former, with.wordings = meanings, q.resolve(wordings, found.models)
	if q.page == nil { // else the candidates are known
		with.addFormer(q.request.Mode, in.then, all)
	}
	return &with, nil
}

// score scores former entries like the lexical leg, by the current statistics; the best come
// first, ties by age, the newest first. The scorers of the wordings that it returns count the
// former entries too, so that a word which only these have is a known word.
func (f *formerEntries) score(entries []*memory.Entry, wordings []resolved) ([]former, []resolved) {
	all := make([]former, 0, len(entries))
	for _, e := range entries {
		one := former{Entry: e, scores: make([]float64, len(wordings))}
		if one.words = f.words[one.version()]; one.words != nil {
			all = append(all, one)
		}
	}
	wordings = slices.Clone(wordings)
	for w := range wordings {
		asked := &wordings[w]
		if asked.scorer == nil || len(asked.terms) == 0 {
			continue
		}
		more, df := lexical.Stats{Documents: int64(len(all))}, make([]int64, len(asked.terms))
		counter, counts := lexical.NewTermCounter(asked.terms), make([]int, len(asked.terms))
		for i := range all {
			counter.Count(counts, all[i].words.terms)
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
	return all, wordings
}

// toEmbed reads those of the former entries in all that have no vectors in made.
func (f *formerEntries) toEmbed(ctx context.Context, tx memory.EntryReader, all []former, made *formerMeanings) (chosen []memory.Entry, err error) {
	for _, one := range all {
		if _, made := made.of[one.version()]; made {
			continue // embedded when the legs were asked before
		}
		whole, err := f.Whole(ctx, tx, one.Entry)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, whole)
	}
	return chosen, nil
}

// embedFormer embeds former entries and adds their vectors to made, outside of any snapshot,
// until the vector leg's budget is used up.
//
// SECURITY: an embedder never receives text above the label up to which it may read.
func (s *Searcher) embedFormer(ctx context.Context, by models, chosen []memory.Entry, made *formerMeanings) (err error) {
	limited, cancel := context.WithTimeout(ctx, s.budget)
	defer cancel()
	limited, end := s.startStep(limited, "embed_former", &tookOf(ctx).Embed)
	defer end(&err)
	for i := range chosen {
		e := &chosen[i]
		meaning, err := withDeadline(limited, func() ([]memory.Evidence, error) { return by.meaningOf(limited, by.readerOf(e), e) })
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			s.log.WarnContext(ctx, "former entries could not be embedded", "error", err)
			made.unread = true
			return nil
		}
		made.of[rowVersion{e.ID, e.Revision}] = meaning
	}
	return nil
}

// readerOf returns the index of the model that embeds a former entry.
func (m models) readerOf(e *memory.Entry) int {
	if !m[mainModel].serves() || m.both() && language.Foreign(memory.ProseOf(e)) {
		return multilingualModel
	}
	return mainModel
}

// meaningOf returns the vectors of a former entry by the k-th model.
func (m models) meaningOf(ctx context.Context, k int, e *memory.Entry) ([]memory.Evidence, error) {
	model := m[k]
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

// evidence returns the evidence by which a former candidate is scored.
func (f *formerEntries) evidence(c *candidate, made *formerMeanings) []memory.Evidence {
	all := slices.Clone(made.of[c.version()])
	if words := f.words[c.version()]; words != nil {
		all = append(all, memory.Evidence{Entry: c.entry.ID, Terms: words.terms, Length: words.length})
	}
	return all
}

// nearestCodes returns the codes of those chunks of a former candidate that are nearest to
// its wording, nearest first, at most codedChunks.
func (f *formerMeanings) nearestCodes(c *candidate) (codes []chunkCodes) {
	of := slices.DeleteFunc(slices.Clone(f.of[c.version()]), func(e memory.Evidence) bool { return e.Model != c.model || len(e.Codes) == 0 })
	asked := c.asked.embeddings[c.model].Vector
	slices.SortStableFunc(of, func(x, y memory.Evidence) int { return cmp.Compare(y.Vector.Dot(asked), x.Vector.Dot(asked)) })
	for _, e := range of[:min(len(of), codedChunks)] {
		codes = append(codes, chunkCodes{e.Chunk, e.Codes})
	}
	return codes
}

// addFormer adds former entries to the hits of the legs that searched. They replace the
// current versions of the same entries.
func (r *retrieved) addFormer(mode Mode, then *formerEntries, all []former) {
	byWords := mode != ModeVector && !slices.Contains(r.failed, LegLexical)
	byMeaning := mode != ModeLexical && slices.ContainsFunc(r.wordings, func(w resolved) bool { return w.embedded() }) && !slices.Contains(r.failed, LegVector)
	if byWords {
		r.lexical = r.withFormer(r.lexical, then, func(w int) (hits []legHit) {
			for _, f := range all {
				if f.scores[w] > 0 {
					hits = append(hits, legHit{Entry: f.ID, Score: f.scores[w]})
				}
			}
			return hits
		})
	}
	if byMeaning {
		r.vector = r.withFormer(r.vector, then, func(w int) (hits []legHit) {
			for _, f := range all {
				if hit, ok := r.nearestOf(&r.wordings[w], &f); ok {
					hits = append(hits, hit)
				}
			}
			return hits
		})
	}
}

// withFormer returns the lists of a leg with former entries, one list for each wording.
func (r *retrieved) withFormer(before []legList, then *formerEntries, former func(w int) []legHit) []legList {
	lists := make([]legList, len(r.wordings))
	copy(lists, before)
	for w := range lists {
		hits := slices.DeleteFunc(slices.Clone(lists[w].hits), func(hit legHit) bool { return then.IsFormer(hit.Entry) })
		hits = append(hits, former(w)...)
		slices.SortStableFunc(hits, func(a, b legHit) int { return cmp.Compare(b.Score, a.Score) })
		lists[w].hits = hits
	}
	return lists
}

// nearestOf returns a former entry's hit in the vector leg; ok is false if the entry has no
// vectors.
func (r *retrieved) nearestOf(asked *resolved, f *former) (hit legHit, ok bool) {
	for _, e := range r.former.of[f.version()] {
		if len(asked.embeddings[e.Model].Vector) == 0 {
			continue
		}
		score := r.models[e.Model].cosine(e.Vector, asked.embeddings[e.Model].Vector)
		if r.models[multilingualModel].serves() || r.models[mainModel].EnglishOnly { // see models.merge
			score = r.models.scaled(asked, e.Model, score)
		}
		if !ok || score > hit.Score {
			hit, ok = legHit{Entry: f.ID, Score: score, Chunk: e.Chunk}, true
		}
	}
	return hit, ok
}
