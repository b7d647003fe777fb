package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/lexical/dates"
	"mneme/lexical/language"
	"mneme/memory"
)

// Explanation describes a search beyond its hits.
//
// SECURITY: it depends only on entries that the caller may read.
type Explanation struct {
	Filter *FilterCost       // nil: the request has no filter
	Entry  *EntryExplanation // of Request.ExplainEntry; nil: the request has none
	Typos  []Typo            // the corrected words of the query
	Dates  []NamedTime       // the times that the wordings name
	// Readers lists the models that each wording was asked of, if two models have read
	// entries of the scope. nil: one model answers.
	Readers []Readers
}

// NamedTime is a span of time that a wording names.
type NamedTime struct {
	Wording int    // the index of the query
	Text    string // the words that name it
	// From is the first instant of the span, and Until the first instant after it; nil: the
	// span has no beginning, or no end.
	From, Until *time.Time
	// AnyYear reports whether the wording names no year.
	AnyYear bool
}

// Readers lists the models that a wording was asked of.
type Readers struct {
	Wording  int    // the index of the query
	Language string // guessed from its words, a code of ISO 639-1; "": unknown
	// Models are the models that score an entry which both have read: english or
	// multilingual, or both.
	Models []string
}

// FilterCost describes how a filter was applied. If few entries pass, the legs searched
// only these. Otherwise the legs searched all entries, and the filter was applied to each
// row that they found. On a page after the first it is applied to each candidate.
type FilterCost struct {
	// Passing is how many visible entries pass; nil: too many to hand to the legs.
	Passing *int
	Options []OptionCost
}

// OptionCost is one of the options of a filter.
type OptionCost struct {
	Name string // namespace, tags, type, where or match
	// Dropped is the number of visible entries that do not pass this option, whichever other
	// options they pass, among those that the legs found before their last candidate; nil
	// if the legs searched only the passing entries.
	Dropped *int
}

// Outcome is the result of a search for one entry.
type Outcome string

// The outcomes.
const (
	OutcomeHit              Outcome = "hit"
	OutcomeBeyondLimit      Outcome = "beyond_limit"        // after the hits
	OutcomeBeyondTokens     Outcome = "beyond_max_tokens"   // a hit that did not fit
	OutcomeBelowRelevance   Outcome = "below_min_relevance" // a candidate that is not relevant enough
	OutcomeBeyondDepth      Outcome = "beyond_depth"        // found by a leg, but not among the first merged candidates
	OutcomeNotRetrieved     Outcome = "not_retrieved"       // not among the first results of any leg
	OutcomeNotInCursor      Outcome = "not_in_cursor"       // on an earlier page, or not a candidate of the first
	OutcomeFiltered         Outcome = "filtered"            // does not pass the filter
	OutcomeEncrypted        Outcome = "encrypted"           // no search finds it
	OutcomeNotInContext     Outcome = "not_in_context"      // no search finds it
	OutcomeStoreNotSearched Outcome = "store_not_searched"  // its store is not in the scope
	OutcomeNotFound         Outcome = "not_found"           // absent, or the caller may not read it
)

// EntryExplanation describes how a search treated the entry that a path resolves to.
// For OutcomeNotFound it has only the outcome.
type EntryExplanation struct {
	Outcome Outcome
	ID      uuid.UUID
	Label   acl.Label
	// Rank is the rank, from 1, among the candidates that could be hits; on a page
	// after the first, rank 1 is that page's first hit. With OutcomeNotRetrieved it is
	// the rank that the entry's score would give it. 0: none, or unknown.
	Rank int
	// Options are the options of the filter that the entry does not pass.
	Options []string
	// Relevance, Score and Explain have the meaning that they have for a hit. Score is nil
	// if it depends on other candidates and was not computed. All are nil if no search finds
	// the entry.
	Relevance, Score *float64
	Explain          *Explain
	// VectorsWait reports whether the entry still lacks vectors, so that the vector leg
	// cannot find it.
	VectorsWait bool
}

// explainHit explains how a candidate was ranked and why the caller may see it. e is its
// entry with the value, which c.entry lacks.
func explainHit(q *searchQuery, found *retrieved, c *candidate, e *memory.Entry) *Explain {
	lexical, vector, dated := c.legRanks(q.wordings)
	x := &Explain{
		Lexical: lexical, Vector: vector, Dates: dated, Parts: c.Parts, Summands: fusion.Summands(c.asked.questions[c.question], c.Parts), Wording: c.asked.number,
		Rerank: c.judged.explain(), Recency: c.recency, Similarity: c.similarity, Via: c.access.Via, Label: c.entry.Label,
		Language: languageOf(e),
	}
	if c.Cosine != nil {
		x.Model = found.models.name(c.model)
	}
	if c.judged != nil {
		x.Summands = append(x.Summands, fusion.Summand{Name: StepRerank, Value: c.judged.summand})
	}
	if q.page == nil {
		x.Fused = &c.fused.Score
	}
	return x
}

// languageOf guesses the language of an entry's text; "" if it is not known.
func languageOf(e *memory.Entry) string {
	return language.Of(e.Description + "\n" + lexical.TextOf(e.Value)).Language
}

// explain explains a selection of hits, in its snapshot.
func (s *Searcher) explain(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, ranked selected) (*Explanation, error) {
	var x Explanation
	var err error
	if !q.request.Filter.Empty() {
		if x.Filter, err = s.filterCost(ctx, in, q, ranked.dropped); err != nil {
			return nil, err
		}
	}
	for i, asked := range q.wordings {
		x.Typos = append(x.Typos, found.wordings[i].typos...)
		for _, span := range asked.named.read {
			named := NamedTime{Wording: asked.number, Text: asked.text[span.Start:span.End], AnyYear: span.AnyYear}
			if !span.From.Equal(dates.Earliest) {
				named.From = &span.From
			}
			if !span.Until.Equal(dates.Latest) {
				named.Until = &span.Until
			}
			x.Dates = append(x.Dates, named)
		}
	}
	x.Readers = found.readers()
	if q.request.ExplainEntry != nil {
		x.Entry, err = s.explainEntry(ctx, in, q, found, ranked)
	}
	return &x, err
}

// readers returns the models that each wording was asked of, if there are two.
func (r *retrieved) readers() (readers []Readers) {
	if !r.models.both() {
		return nil
	}
	for _, w := range r.wordings {
		of := Readers{Wording: w.number, Language: w.language}
		for k := range r.models {
			if w.prefers == k || w.prefers == eitherModel {
				of.Models = append(of.Models, r.models.name(k))
			}
		}
		readers = append(readers, of)
	}
	return readers
}

// droppedFrom returns the entries that the filter dropped from the legs' lists, each once.
// In each list it stops at the last hit that could be a candidate: the hits after it depend
// on how many the leg was asked for.
func droppedFrom(lists []legList, visible map[uuid.UUID]*candidate, dropped map[uuid.UUID]*memory.Entry) (before []*memory.Entry) {
	if len(dropped) == 0 {
		return nil
	}
	entry := func(id uuid.UUID) *memory.Entry {
		if c := visible[id]; c != nil {
			return c.entry
		}
		return dropped[id]
	}
	seen := make(map[uuid.UUID]bool)
	for _, list := range lists {
		hits := slices.DeleteFunc(slices.Clone(list.hits), func(hit legHit) bool { return entry(hit.Entry) == nil })
		sortHits(hits, func(hit legHit) *memory.Entry { return entry(hit.Entry) })
		kept := 0
		for _, hit := range hits {
			if kept == fusionDepth {
				break
			}
			if visible[hit.Entry] != nil {
				kept++
			} else if !seen[hit.Entry] {
				seen[hit.Entry] = true
				before = append(before, dropped[hit.Entry])
			}
		}
	}
	return before
}

// filterCost returns how the filter was applied and how many entries each option dropped.
func (s *Searcher) filterCost(ctx context.Context, in snapshot, q *searchQuery, dropped []*memory.Entry) (*FilterCost, error) {
	var cost FilterCost
	few := q.only != nil || q.nothing
	if few {
		passing := make(map[uuid.UUID]*candidate)
		if err := s.addVisible(ctx, in, q.caller, q.request.Filter, q.only, passing); err != nil {
			return nil, err
		}
		cost.Passing = new(len(passing))
	}
	for _, option := range q.request.Filter.Options() {
		of := OptionCost{Name: option.Name}
		if !few {
			passed, err := option.Passing(ctx, in.tx, in.scope, dropped)
			if err != nil {
				return nil, err
			}
			of.Dropped = new(len(dropped) - len(passed))
		}
		cost.Options = append(cost.Options, of)
	}
	return &cost, nil
}

// explainEntry explains the request's ExplainEntry.
//
// SECURITY: an entry that the caller may not read costs and reveals no more than an absent
// one: explainEntry examines only the entry that the path resolves to for the caller.
func (s *Searcher) explainEntry(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, ranked selected) (*EntryExplanation, error) {
	path, now := *q.request.ExplainEntry, s.instant()
	a, err := readAccess(ctx, in.tx, q.caller, path.Store, now)
	if errors.Is(err, acl.ErrDenied) {
		return &EntryExplanation{Outcome: OutcomeNotFound}, nil
	}
	if err != nil {
		return nil, err
	}
	entries, err := in.tx.At(ctx, path.At(a.Ceiling))
	if err != nil {
		return nil, err
	}
	e := memory.Resolve(memory.Caller{Principal: q.caller.Principal}, a, entries, now) // like addVisible
	if e == nil {
		e = memory.Resolve(q.caller, a, entries, now)
	}
	if e == nil {
		return &EntryExplanation{Outcome: OutcomeNotFound}, nil
	}
	x := &EntryExplanation{ID: e.ID, Label: e.Label}
	access, searched := accessIn(in.scope, path.Store)
	switch {
	case !e.InContext:
		x.Outcome = OutcomeNotInContext
	case e.Encrypted:
		x.Outcome = OutcomeEncrypted
	case !searched:
		x.Outcome = OutcomeStoreNotSearched
	default:
		err = s.explainSearchable(ctx, in, q, found, ranked, &candidate{entry: e, access: access}, x)
	}
	return x, err
}

// explainSearchable explains a searchable entry of the scope.
func (s *Searcher) explainSearchable(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, ranked selected, c *candidate, x *EntryExplanation) error {
	if read := ranked.visible[c.entry.ID]; read != nil {
		x.Rank = slices.Index(ranked.ordered, read) + 1
		row := *read // ranked must not change
		c = &row
	}
	if c.asked == nil {
		c.ask(found, 0)
	}
	if !c.assessed() {
		before := c.score
		if err := s.assess(ctx, in, q, found, []*candidate{c}); err != nil {
			return err
		}
		q.weighRecency([]*candidate{c})
		if c.ordered {
			c.score = before
		}
	}
	for _, option := range q.request.Filter.Options() {
		passed, err := option.Passing(ctx, in.tx, in.scope, []*memory.Entry{c.entry})
		if err != nil {
			return err
		}
		if len(passed) == 0 {
			x.Options = append(x.Options, option.Name)
		}
	}
	x.Outcome = outcomeOf(q, ranked, c, x)
	if x.Outcome == OutcomeNotRetrieved {
		x.Rank = q.wouldRank(ranked.ordered, c)
	}
	whole, err := in.tx.Get(ctx, []uuid.UUID{c.entry.ID})
	if err != nil {
		return err
	}
	if len(whole) == 0 {
		whole = []memory.Entry{*c.entry}
	}
	x.Relevance, x.Explain = &c.relevance, explainHit(q, found, c, &whole[0])
	if c.ordered || !q.request.scored() {
		x.Score = &c.score
	}
	x.VectorsWait = c.asked.embedded() && c.Cosine == nil
	return nil
}

// outcomeOf returns the outcome of a searchable entry. x has its rank and the options
// that it does not pass.
func outcomeOf(q *searchQuery, ranked selected, c *candidate, x *EntryExplanation) Outcome {
	entry := c.entry.ID
	switch read := ranked.visible[entry] != nil; {
	case len(x.Options) > 0:
		return OutcomeFiltered
	case 0 < x.Rank && x.Rank <= len(ranked.hits):
		return OutcomeHit
	case x.Rank > 0:
		return OutcomeBeyondLimit
	case q.page != nil && !read:
		return OutcomeNotInCursor
	case q.page == nil && !ranked.found.has(entry):
		return OutcomeNotRetrieved
	case !q.reaches(c), q.request.MaxUnsure > 0 && c.relevance < Unsure:
		return OutcomeBelowRelevance
	}
	return OutcomeBeyondDepth
}

// has reports whether one of the lists has an entry.
func (l *legHits) has(entry uuid.UUID) bool {
	return slices.ContainsFunc(slices.Concat(l.lexical, l.vector, l.dated), func(hits []legHit) bool {
		return slices.ContainsFunc(hits, func(hit legHit) bool { return hit.Entry == entry })
	})
}

// wouldRank returns the rank by score of a candidate that no leg found; 0 if it would have
// none, or if the score depends on other candidates.
func (q *searchQuery) wouldRank(ordered []*candidate, c *candidate) int {
	if q.request.scored() || !q.reaches(c) {
		return 0
	}
	byRelevance := ordered[:min(relevanceDepth, len(ordered))]
	rank := 1
	for _, other := range byRelevance {
		if other.score > c.score || other.score == c.score && compareOrder(other.entry, c.entry) < 0 {
			rank++
		}
	}
	if rank > relevanceDepth {
		return 0
	}
	return rank
}

// cut returns the explanation for an answer of which only the first shown hits are shown: a hit
// after them is OutcomeBeyondTokens.
func (x *Explanation) cut(shown int) *Explanation {
	if x == nil || x.Entry == nil || x.Entry.Outcome != OutcomeHit || x.Entry.Rank <= shown {
		return x
	}
	of, entry := *x, *x.Entry
	entry.Outcome, of.Entry = OutcomeBeyondTokens, &entry
	return &of
}
