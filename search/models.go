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

// models are those of a search: the one that reads English or everything, and the
// multilingual one. One that it does not use has no embedder.
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

// cosine returns that of an entry's chunk and a question, and the usual one if the chunk
// has no meaning.
func (m model) cosine(chunk vector.Half, asked []float32) float64 {
	if chunk.IsMeaningless() {
		return m.cosines().Unrelated
	}
	return chunk.Dot(asked)
}

// ask returns what relevance depends on of a wording, as it is asked of the models.
func (m models) ask(w *resolved) (asked [question.Count]fusion.Question) {
	lacksName := w.scorer != nil && w.scorer.LacksName()
	for k := range m {
		asked[k] = fusion.Question{Familiarity: w.familiarity(k), Cosines: m[k].cosines(), LacksName: lacksName, Chatter: w.chatter || w.isSenseless()}
		if w.embeddings[k].Multilingual {
			asked[k].MaxSims = fusion.MultilingualMaxSims
		}
	}
	asked[question.Across], asked[question.AcrossScripts] = asked[multilingualModel], asked[multilingualModel]
	asked[question.Across].Cosines, asked[question.Across].MaxSims = fusion.AcrossCosines, fusion.AcrossMaxSims
	asked[question.AcrossScripts].Cosines, asked[question.AcrossScripts].MaxSims = fusion.AcrossScriptsCosines, fusion.AcrossScriptsMaxSims
	return asked
}

// modelsFor returns those of the serving models that have read entries of a scope. ok is
// false if none serves.
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

// scopeOf returns the stores of a scope in which the vectors of the k-th model count, of
// several.
//
// SECURITY: how many vectors are left of a model that no longer reads a store depends on
// entries above the caller. They must not show in what is found.
func (m models) scopeOf(k int, scope acl.Scope) acl.Scope {
	leftover := func(a acl.Access) bool { return !choice.Of(a.Detail).Counts(k) }
	if !m.both() || !scope.Any(leftover) {
		return scope
	}
	return scope.Without(leftover)
}

// read reports whether the models are sent questions of sessions at a label.
//
// SECURITY: what was sent to an embedder of others cannot be taken back.
func (m models) read(taint acl.Label) bool {
	return !slices.ContainsFunc(m[:], func(one model) bool { return one.serves() && !one.Reads(taint) })
}

// fingerprints returns those of the vectors that a search compares.
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

// merge makes one list of those of two models, whose cosines are put on one scale, whether
// the search uses one of them or both. An entry in both has the place that the preferred
// model gives it, or the better one.
//
// SECURITY: entries that nobody sees any more, such as deleted ones, may decide which models
// a search uses. They must not show in scores.
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
		// If nothing of the other model's list is left, the preferred one has read what the
		// other finds, and its own list says what is missing.
		if of[k].more && len(merged.hits) > before {
			merged.floor = max(merged.floor, m.scaled(w, k, of[k].floor))
		}
	}
	slices.SortStableFunc(merged.hits, func(a, b legHit) int { return cmp.Compare(b.Score, a.Score) })
	// Where the first hits are all visible, they are enough: hits that preferOne moved may be
	// below the floor of the list they come from, and every search of a store that both
	// models have read would ask for more.
	if len(merged.hits) >= fusionDepth {
		merged.floor = min(merged.floor, merged.hits[fusionDepth-1].Score)
	}
	return merged
}

// leastFamiliar is the familiarity of words of which the English model has none whole: what
// it makes of their pieces is next to nothing, but still orders what it alone has read.
const leastFamiliar = .05

// scaled returns the cosine of E5-small-v2 that means what one of the k-th model does. What
// the multilingual model alone has read is in another language than English. What the
// English one alone has read says little to words in another language, and is near what
// is unrelated.
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

// noteAsked records that stores were asked a question that the main model cannot read: from
// now on the multilingual one reads all of their entries, too. Those count which the
// caller may write to, so that readers and buyers have no effect.
//
// SECURITY: lower sessions must not learn what a higher one asked. After a question above
// PUBLIC the multilingual model reads what has the session's label or a higher one.
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

// notedAsked reports whether a question of a session needs not be noted.
func notedAsked(reading choice.Reading, taint acl.Label) bool {
	from := reading.BothFrom()
	return reading.Asked || taint > acl.Public && from != 0 && from.CanFlowTo(taint)
}

const (
	// noteAgain is how long no question tries again to note that a store was asked, while
	// one does or after one could not: the answer waits for each attempt.
	noteAgain = time.Minute
	// noteShare is the share of the vector leg's budget for which a search waits for an
	// attempt: a second by default.
	noteShare = 3
	// unnotedBytes bounds what is remembered of such attempts: about 3,000 stores.
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
				return err // somebody else noted it, or chose, since the search began
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
