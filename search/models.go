package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/fusion"
	"mneme/memory"
	"mneme/search/question"
	"mneme/vector"
)

// models are the models of a search: the main one, which reads English or all languages,
// and the multilingual one. A model that the search does not use has no embedder.
type models [choice.Count]model

// The models of a search.
const (
	mainModel         = choice.Main
	multilingualModel = choice.Multilingual
)

type model struct{ memory.Model }

func (m model) serves() bool { return m.Embedder != nil }

// cosines returns the range of the model's cosines within a language.
func (m model) cosines() fusion.CosineRange {
	if m.Embedder == nil {
		return fusion.E5Cosines
	}
	unrelated, related := m.Embedder.Cosines()
	return fusion.CosineRange{Unrelated: unrelated, Related: related}
}

// cosine returns the cosine of an entry's chunk and a question. For a chunk without meaning
// it returns the usual cosine of unrelated texts.
func (m model) cosine(chunk vector.Half, asked []float32) float64 {
	if chunk.IsMeaningless() {
		return m.cosines().Unrelated
	}
	return chunk.Dot(asked)
}

// ask returns a wording as the questions that fusion.Relevance takes, by the constants of
// package question: scores have another scale for each model, and for entries in another
// language.
func (m models) ask(w *resolved) (asked [question.Count]fusion.Question) {
	lacksName := w.scorer != nil && w.scorer.LacksName()
	for k := range m {
		asked[k] = fusion.Question{Familiarity: w.familiarity(k), Cosines: m[k].cosines(), LacksName: lacksName, Chatter: w.chatter || w.isGibberish()}
		if w.embeddings[k].Multilingual {
			asked[k].MaxSims = fusion.MultilingualMaxSims
		}
	}
	asked[question.Across], asked[question.AcrossScripts] = asked[multilingualModel], asked[multilingualModel]
	asked[question.Across].Cosines, asked[question.Across].MaxSims = fusion.AcrossCosines, fusion.AcrossMaxSims
	asked[question.AcrossScripts].Cosines, asked[question.AcrossScripts].MaxSims = fusion.AcrossScriptsCosines, fusion.AcrossScriptsMaxSims
	return asked
}

// modelsFor returns the serving models that have read entries of a scope. ok is false if no
// model serves.
func modelsFor(serving []memory.Model, scope acl.Scope) (used models, ok bool) {
	if len(serving) == 0 {
		return used, false
	}
	several := len(serving) > 1
	if !several || scope.Len() == 0 || scope.Any(func(a acl.Access) bool { return choice.Of(a.Detail).HasRead(mainModel) }) {
		used[mainModel] = model{serving[mainModel]}
	}
	if several && scope.Any(func(a acl.Access) bool {
		return choice.Of(a.Detail).Multilingual > 0 && !choice.Of(a.Detail).OnlyEnglish()
	}) {
		used[multilingualModel] = model{serving[multilingualModel]}
	}
	return used, true
}

// scopeOf returns the stores of a scope in which the vectors of the k-th model count, if the
// search uses both models; otherwise the whole scope.
//
// SECURITY: how many vectors remain of a model that no longer reads a store depends on
// entries above the caller's ceiling. They must not affect the results.
func (m models) scopeOf(k int, scope acl.Scope) acl.Scope {
	leftover := func(a acl.Access) bool { return !choice.Of(a.Detail).Counts(k) }
	if !m.both() || !scope.Any(leftover) {
		return scope
	}
	return scope.Without(leftover)
}

// read reports whether questions of sessions at a label may be sent to the models.
//
// SECURITY: text that was sent to an external embedder cannot be taken back.
func (m models) read(taint acl.Label) bool {
	return !slices.ContainsFunc(m[:], func(one model) bool { return one.serves() && !one.Reads(taint) })
}

// fingerprints returns the fingerprints of the vectors that a search compares.
func (m models) fingerprints() [2]string {
	return [2]string{m[mainModel].Fingerprint, m[multilingualModel].Fingerprint}
}

// name returns the name of the k-th model: english, multilingual, or the fingerprint of
// an embedder that reads every language.
func (m models) name(k int) string {
	switch {
	case k == multilingualModel, m[k].EnglishOnly:
		return choice.Name(k)
	}
	return m[k].Fingerprint
}

// both reports whether a search uses two models.
func (m models) both() bool { return m[mainModel].serves() && m[multilingualModel].serves() }

// merge merges the lists of two models. It converts their cosines to one scale, even if the
// search uses only one model. An entry in both lists has the rank that the preferred model
// gives it, or if neither is preferred, the better one.
//
// SECURITY: entries that nobody sees any more, such as deleted ones, may decide which models
// a search uses. They must not affect scores.
func (m models) merge(of [2]legList, w *resolved) legList {
	if !m[multilingualModel].serves() && !m[mainModel].EnglishOnly {
		return of[mainModel] // the only model there is
	}
	merged := legList{more: of[0].more || of[1].more, full: of[0].full || of[1].full, floor: math.Inf(-1)}
	at := make(map[uuid.UUID]int)
	first := w.prefers % len(of)
	for _, k := range [2]int{first, 1 - first} {
		before := len(merged.hits)
		for _, hit := range of[k].hits {
			hit.Score = m.scaled(w, k, hit.Score)
			switch i, listed := at[hit.Entry]; {
			case !listed:
				at[hit.Entry] = len(merged.hits)
				merged.hits = append(merged.hits, hit)
			case w.prefers == eitherModel && hit.Score > merged.hits[i].Score:
				merged.hits[i] = hit
			}
		}
		// If the other model's list adds no hit, the preferred model has read all of them, and
		// its own list decides whether hits are missing.
		if of[k].more && len(merged.hits) > before {
			merged.floor = max(merged.floor, m.scaled(w, k, of[k].floor))
		}
	}
	slices.SortStableFunc(merged.hits, func(a, b legHit) int { return cmp.Compare(b.Score, a.Score) })
	// If the first hits are all visible, they are enough. Hits that preferOne moved may be
	// below the floor of the list that they come from; without this bound, every search of a
	// store that both models have read would ask for more.
	if len(merged.hits) >= fusionDepth {
		merged.floor = min(merged.floor, merged.hits[fusionDepth-1].Score)
	}
	return merged
}

// leastFamiliar is the familiarity of a wording if none of its words is a single token of the
// English model. The model's cosines say little then, but still order the entries that only it
// has read.
const leastFamiliar = .05

// scaled converts a cosine of the k-th model to the equivalent cosine of E5-small-v2. Entries
// that only the multilingual model has read are not in English. For words in another language,
// the cosines of entries that only the English model has read say little; they are scaled down
// towards that of unrelated texts.
func (m models) scaled(w *resolved, k int, cosine float64) float64 {
	switch {
	case k == multilingualModel && w.prefers == mainModel:
		return fusion.AcrossCosines.ToE5(cosine)
	case k == mainModel && w.prefers == multilingualModel:
		unrelated := fusion.E5Cosines.Unrelated
		return unrelated + float64(max(w.familiarity(k), leastFamiliar)*(m[k].cosines().ToE5(cosine)-unrelated))
	}
	return m[k].cosines().ToE5(cosine)
}

// noteAsked records that stores were asked a question that the main model cannot read. From
// then on the multilingual model also reads all of their entries. Only stores that the caller
// may write to are recorded, so that readers and buyers have no effect.
//
// SECURITY: lower sessions must not learn what a higher one asked. After a question above
// PUBLIC the multilingual model reads only entries with the session's label or a higher one.
func (s *Searcher) noteAsked(ctx context.Context, q *searchQuery, by models) {
	if q.page != nil || !by[mainModel].EnglishOnly || !slices.ContainsFunc(q.wordings, func(w wording) bool { return w.prefers == multilingualModel }) {
		return
	}
	for _, a := range q.scope.Indexed() {
		reading := choice.Of(a.Detail)
		if mayWrite(a) && reading.Language == choice.LanguageAuto && !notedAsked(reading, q.caller.Taint) {
			s.noteAskedOf(ctx, q.caller, a.Store)
		}
	}
}

// notedAsked reports whether a store's reading already records a question of a session at taint.
func notedAsked(reading choice.Reading, taint acl.Label) bool {
	from := reading.BothFrom()
	return reading.Asked || taint > acl.Public && from != 0 && from.CanFlowTo(taint)
}

const (
	// noteAgain is how long no search tries again to record that a store was asked, while an
	// attempt runs or after one failed. Each attempt delays an answer.
	noteAgain = time.Minute
	// A search waits for an attempt for the vector leg's budget divided by noteShare: a
	// second by default.
	noteShare = 3
	// unnotedBytes bounds the cache of such attempts: about 3,000 stores.
	unnotedBytes = 1 << 20
)

// noteAskedOf is noteAsked for a store.
func (s *Searcher) noteAskedOf(ctx context.Context, c memory.Caller, store string) {
	now := s.instant()
	attempt := store + "/" + c.Taint.String()
	if tried, ok := s.unnoted.Get(attempt); ok && now.Sub(tried).Abs() < noteAgain {
		return
	}
	s.unnoted.Put(attempt, now)
	change := memory.ReadingChange{Store: store, Asked: true, QueuedAt: now}
	if c.Taint > acl.Public {
		change.Asked, change.Mixed, change.From = false, c.Taint, c.Taint
	}
	if serving := s.indexer.Serving(); len(serving) > multilingualModel {
		change.Lacking = serving[multilingualModel].Fingerprint
	}
	ctx, cancel := context.WithTimeout(ctx, s.budget/noteShare)
	defer cancel()
	done, err := s.service.Writers().Take(ctx, c, memory.Work{Stores: []string{store}})
	if err == nil {
		defer done()
		err = s.storage.Update(ctx, func(tx memory.Tx) error {
			known, err := tx.StoreFacts(ctx, []string{store})
			if was := choice.Of(known[store].Detail); err != nil || notedAsked(was, c.Taint) || was.Language != choice.LanguageAuto {
				return err // another call recorded it or set a language since the search began
			}
			return tx.PutReading(ctx, change)
		})
	}
	switch {
	case err == nil:
		s.unnoted.Put(attempt, time.Time{})
	case ctx.Err() == nil:
		s.log.WarnContext(ctx, "a store was asked in another language, but that could not be recorded", "error", err)
	}
}
