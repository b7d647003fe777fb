package search

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// eachSold is Each for an answer with sold hits. It yields hits from stores at level search as
// they were sold, whatever has changed since: they were paid for, or count toward a cap. It
// reads hits from other stores again, and shows them within the tokens of MaxTokens that the
// sold hits leave. At the first of these that does not fit it stops reading; the next page
// begins with that hit.
func (v *Values) eachSold(ctx context.Context, yield func(*Hit) error) (err error) {
	a := v.answer
	read := rereading{service: a.searcher}
	tokens := 0 // of all sold hits
	for i := range a.Hits {
		if hit := &a.Hits[i]; hit.sold {
			tokens += hit.tokens
		} else {
			read.rest = append(read.rest, *hit)
		}
	}
	most := a.query.request.MaxTokens
	left := budget{fit: a.searcher.fitTokens, most: most, used: tokens, some: tokens > 0}
	shownOf := make(storeCounts) // also bounds stores where the level has dropped to search since
	full := false
	v.done = len(a.Hits)
	shown := 0
	for i := range a.Hits {
		hit := &a.Hits[i]
		if !hit.sold {
			if full {
				continue
			}
			if hit, err = read.next(ctx, hit.found.entry.ID); err != nil {
				return err
			}
			if hit == nil || !shownOf.add(hit.Store, hit.found.access.hits) {
				continue
			}
			hit.present()
			if full = !left.admit(hit); full {
				v.done = i
				continue
			}
			hit.tokens = left.last
		}
		if most > 0 {
			shown += hit.tokens
			v.tokens = shown
		}
		v.label = max(v.label, hit.Label)
		if err := yield(hit); err != nil {
			v.done = min(v.done, i)
			return err
		}
		hit.release()
	}
	return nil
}

// rereading reads hits of a search again, a batch at a time.
type rereading struct {
	service *Searcher
	rest    []Hit // not read yet
	batch   []Hit // read, and still visible to the caller
}

// next returns the hit of an entry as it is now; nil if the caller may no longer see it. It
// must be called in the order of the hits.
func (r *rereading) next(ctx context.Context, entry uuid.UUID) (*Hit, error) {
	for {
		if len(r.batch) > 0 && r.batch[0].whole.ID == entry {
			hit := &r.batch[0]
			r.batch = r.batch[1:]
			return hit, nil
		}
		if !slices.ContainsFunc(r.rest, func(h Hit) bool { return h.found.entry.ID == entry }) {
			return nil, nil
		}
		batch, taken, err := r.service.reloadHits(ctx, r.rest)
		if err != nil {
			return nil, err
		}
		r.batch, r.rest = batch, r.rest[taken:]
	}
}
