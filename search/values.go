package search

import (
	"context"
	"slices"

	"mneme/acl"
	"mneme/search/cursor"
)

// Values reads the values of an answer's hits. An answer is complete without: what is known
// only once its hits were written is here.
type Values struct {
	answer *Answer
	// done is how many hits Each has yielded, or found that the caller no longer sees.
	done   int
	loaded int // of the hits that are left, how many have their values
	tokens int
	label  acl.Label
}

// Values returns the values of the answer's hits, to be read once.
func (a *Answer) Values() *Values {
	return &Values{answer: a, loaded: a.loaded, label: max(labelOf(a.Nearest), a.labelThen)}
}

// Each yields the hits of the answer in their order, with their values or passages, as many
// as the request's MaxTokens allows. It reads the values a batch at a time, each batch in a
// snapshot of its own, so that neither a large answer nor a slow reader holds much memory
// or a connection to the database. An error of yield ends it before the hit: a next page
// begins with that one.
//
// SECURITY: each batch is judged again in its snapshot. A hit that changed
// since the search is shown as it is now; one that the caller may no longer
// see is left out. Hits that were sold are shown as they were then.
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
			if err := ctx.Err(); err != nil { // nobody waits for the passages of the others
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
			hit.release() // written: let it go
		}
		rest, v.loaded = rest[taken:], 0
		v.done += taken
	}
	return nil
}

// endBefore records that Each ends before a hit, which is among the rest of its hits.
func (v *Values) endBefore(rest []Hit, hit *Hit) {
	v.done += slices.IndexFunc(rest, func(h Hit) bool { return h.found.entry.ID == hit.found.entry.ID })
}

// Label returns the highest label among the hits that Each has yielded, or of an answer
// without hits among what it shows in their place.
func (v *Values) Label() acl.Label { return v.label }

// Tokens returns, if the request has MaxTokens, those of what Each has yielded.
func (v *Values) Tokens() int { return v.tokens }

// LeftOut returns how many hits Each did not come to: for want of tokens, or because yield
// ended it.
func (v *Values) LeftOut() int { return len(v.answer.Hits) - v.done + v.answer.over }

// Explanation returns the answer's, with what became of a hit that Each did not come to.
func (v *Values) Explanation() *Explanation {
	return v.answer.Explanation.cut(v.done)
}

// Next returns the cursor of the page after what Each has yielded; "" if there is none.
// It holds at most so many candidates, best first; 0: all. With all it is at most
// 8,600 characters long, 12,900 with RankingRRF or Diversity, and up to 900 longer with
// what a Reranker said.
//
// SECURITY: a cursor holds no candidate from a store on which the caller has
// level search, and there is none where such a store was named, since the next
// page would be denied.
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
