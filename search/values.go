package search

import (
	"context"
	"slices"

	"mneme/acl"
	"mneme/search/cursor"
)

// Values reads the values of an answer's hits. Its methods also return what is known only
// after the hits have been written.
type Values struct {
	answer *Answer
	// done counts the hits that Each has yielded, or left out as no longer visible.
	done   int
	loaded int // number of remaining hits that have their values
	tokens int
	label  acl.Label
}

// Values returns the values of the answer's hits. They can be read once.
func (a *Answer) Values() *Values {
	return &Values{answer: a, loaded: a.loaded, label: max(labelOf(a.Nearest), a.labelThen)}
}

// Each yields the hits of the answer in their order, with their values or passages, as many
// as the request's MaxTokens allows. It reads the values a batch at a time, each batch in a
// snapshot of its own, so that neither a large answer nor a slow reader holds much memory
// or a connection to the database. If yield returns an error, Each stops before that hit, and
// the next page begins with it.
//
// SECURITY: Each checks access again in the snapshot of each batch. It yields a hit that has
// changed since the search as it is now, and leaves out one that the caller may no longer
// see. It yields sold hits as they were sold.
func (v *Values) Each(ctx context.Context, yield func(*Hit) error) (err error) {
	a := v.answer
	if len(a.Hits) == 0 {
		return nil
	}
	if a.sold {
		return v.eachSold(ctx, yield)
	}
	shown := make(storeCounts)
	left := budget{fit: a.searcher.fitTokens, most: a.query.request.MaxTokens}
	for rest := a.Hits; len(rest) > 0; {
		batch, taken := rest[:v.loaded], v.loaded
		if taken == 0 {
			if batch, taken, err = a.searcher.reloadHits(ctx, rest); err != nil {
				return err
			}
		}
		for i := range batch {
			hit := &batch[i]
			if err := ctx.Err(); err != nil { // the caller no longer waits for further passages
				v.endBefore(rest, hit)
				return err
			}
			if !shown.add(hit.Store, hit.found.access.hits) {
				continue
			}
			hit.present()
			if !left.admit(hit) {
				v.endBefore(rest, hit)
				return nil
			}
			v.tokens = left.used
			v.label = max(v.label, hit.Label)
			if err := yield(hit); err != nil {
				v.endBefore(rest, hit)
				return err
			}
			hit.release() // it has been written
		}
		rest, v.loaded = rest[taken:], 0
		v.done += taken
	}
	return nil
}

// endBefore records that Each stops before a hit, which is in rest.
func (v *Values) endBefore(rest []Hit, hit *Hit) {
	v.done += slices.IndexFunc(rest, func(h Hit) bool { return h.found.entry.ID == hit.found.entry.ID })
}

// Label returns the highest label among the hits that Each has yielded or, if the answer has
// no hits, among the entries that it shows instead.
func (v *Values) Label() acl.Label { return v.label }

// Tokens returns the tokens of the hits that Each has yielded, if the request has MaxTokens.
func (v *Values) Tokens() int { return v.tokens }

// LeftOut returns how many hits Each did not reach because MaxTokens was used up or yield
// returned an error.
func (v *Values) LeftOut() int { return len(v.answer.Hits) - v.done + v.answer.over }

// Explanation returns the answer's explanation. Its outcome for a hit that Each did not reach
// is OutcomeBeyondTokens.
func (v *Values) Explanation() *Explanation {
	return v.answer.Explanation.cut(v.done)
}

// Next returns the cursor of the page after the hits that Each has yielded; "" if there is
// none. The parameter most bounds the cursor's candidates, the best first; 0: no bound. A
// cursor with all candidates has at most 8,600 characters, 12,900 with RankingRRF or
// Diversity, and up to 900 more with a Reranker's judgements.
//
// SECURITY: a cursor has no candidate from a store on which the caller has level search. If
// the request names such a store there is no cursor, because the next page would be denied.
func (v *Values) Next(most int) (string, error) {
	a := v.answer
	if a.query == nil || a.unpaged {
		return "", nil
	}
	next := cursor.Candidates{At: a.query.at, LogOdds: logOddsOf(a.found.verdict.judgements)}
	scored := a.query.request.scored()
	for i := v.done; i < len(a.Hits); i++ {
		if a.Hits[i].found.access.paged {
			addLeft(&next, a.Hits[i].found, scored)
		}
	}
	if len(next.IDs) == 0 { // no hit is left that the caller may read
		next.IDs, next.Scores = a.rest.IDs, a.rest.Scores
	} else {
		next.IDs, next.Scores = append(next.IDs, a.rest.IDs...), append(next.Scores, a.rest.Scores...)
	}
	if len(next.IDs) == 0 {
		return "", nil
	}
	if most > 0 {
		next.IDs, next.Scores = next.IDs[:min(most, len(next.IDs))], next.Scores[:min(most, len(next.Scores))]
	}
	return a.searcher.secret.Seal(next.Bytes(), a.query.bound()), nil
}
