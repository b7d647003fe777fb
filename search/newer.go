package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mneme/fusion"
)

// If two entries say nearly the same about the same thing, the newer one is current:
// docs/decisions/0085-newer-statements.md.
const (
	// newerDepth is how many of the first candidates are compared with each other.
	newerDepth = 20
	// Entries whose cosine, on the scale of E5-small-v2, is below minAlikeCosine are not alike.
	minAlikeCosine = 0.87
	// Two statements about one thing are alike (fusion.MinAlike) and have at least this share
	// of their words in common.
	minInCommon = 0.35
	// Statements that are alike with at least this probability may be so short that they have
	// in common little more than their subject: "the launch is on 3 March", "the launch was
	// moved to 17 April".
	sameThing   = 0.985
	fewInCommon = 0.05
	// Statements without dates that were written within a sitting, such as an import, may be
	// the items of a list: only those that are nearly the same are about one thing.
	sitting        = time.Minute
	alikeInSitting = 0.96
	inCommonAtOnce = 0.45
	// newerMargin is the largest difference in score at which two statements are still swapped.
	// Of two statements about one thing, the one whose words are nearer to the question's may
	// score that much more by chance.
	newerMargin = 0.56
)

// newerFirst finds pairs of ordered candidates that say nearly the same and marks the older
// one. It swaps the two if the older one is first, or if the question asks for the past and
// the newer one is first. Scores do not change, nor do the ranks of other candidates.
//
// SECURITY: for stores at level search, neither the order nor a mark reveals which entry is
// newer.
func newerFirst(ctx context.Context, in snapshot, found *retrieved, ordered []*candidate) error {
	first := ordered[:min(len(ordered), newerDepth)]
	words := newCommonWords(in, first)
	for i := range first {
		for {
			at, err := found.swapRank(ctx, words, ordered, i)
			if err != nil {
				return err
			}
			if at == i {
				break
			}
			ordered[at], ordered[i] = ordered[i], ordered[at] // examine the new candidate at i, too
		}
	}
	return nil
}

// swapRank returns the first index whose candidate should be swapped with the i-th; i if there
// is none.
func (r *retrieved) swapRank(ctx context.Context, words *commonWords, ordered []*candidate, i int) (at int, err error) {
	at = i
	c := ordered[i]
	for j := i - 1; j >= 0 && c.relevance >= Irrelevant; j-- {
		if ordered[j].merit-c.merit > newerMargin {
			continue
		}
		newer, older, atOnce, ok := inOrder(ordered[j], c)
		if !ok {
			continue
		}
		if ok, err := r.sayNearlyTheSame(ctx, words, newer, older, atOnce); err != nil {
			return i, err
		} else if !ok {
			continue
		}
		older.supersededBy = cmp.Or(older.supersededBy, newer)
		first := newer
		if r.asksForWhatWasBefore(happened(newer.entry)) {
			first = older
		}
		if first == c && timeOf(c) >= timeOf(ordered[j]) { // it fits the time of the question at least as well
			at = j
		}
	}
	return at, nil
}

// sayNearlyTheSame reports whether two candidates are statements about one thing. The cheaper
// tests come first: most pairs fail them.
func (r *retrieved) sayNearlyTheSame(ctx context.Context, words *commonWords, newer, older *candidate, atOnce bool) (bool, error) {
	least := fusion.MinAlike
	switch share := words.share(newer, older); {
	case atOnce && share >= inCommonAtOnce:
		least = alikeInSitting
	case atOnce, share < fewInCommon:
		return false, nil
	case share < minInCommon:
		least = sameThing
	}
	if r.models.alike(newer, older, least) < least {
		return false, nil
	}
	for _, c := range []*candidate{newer, older} {
		if is, err := words.isReply(ctx, c); is || err != nil {
			return false, err
		}
	}
	return true, nil
}

// asksForWhatWasBefore reports whether a wording asks for the state before a time. It
// considers all wordings, so that one order holds for all pairs and the swaps end.
func (r *retrieved) asksForWhatWasBefore(t time.Time) bool {
	return slices.ContainsFunc(r.wordings, func(w resolved) bool { return w.past.Before(t) })
}

// inOrder returns the newer and the older of two candidates of a store and namespace. It
// compares when what they describe happened; if that is unknown or the same day, when they were
// written. atOnce says that only writes less than a sitting apart decide. ok is false if the
// times are equal or the candidates cannot be compared.
func inOrder(a, b *candidate) (newer, older *candidate, atOnce, ok bool) {
	if a.entry.Store != b.entry.Store || a.entry.Namespace != b.entry.Namespace || !a.access.times {
		return nil, nil, false, false
	}
	order := happened(a.entry).Compare(happened(b.entry))
	if order == 0 || a.entry.OccurredAt.IsZero() && b.entry.OccurredAt.IsZero() {
		order = a.entry.UpdatedAt.Compare(b.entry.UpdatedAt)
		atOnce = a.entry.UpdatedAt.Sub(b.entry.UpdatedAt).Abs() < sitting
	}
	if order < 0 {
		a, b = b, a
	}
	return a, b, atOnce, order != 0
}

// alike returns the probability, 0–1, that two candidates say nearly the same. It compares
// their chunks nearest to the question, by a model that has read both. It may return 0 instead
// of a probability below least.
func (m models) alike(a, b *candidate, least float64) (most float64) {
	for k := range m {
		x, y := &a.by[k], &b.by[k]
		if len(x.vector) == 0 || len(y.vector) == 0 || x.vector.IsMeaningless() || y.vector.IsMeaningless() {
			continue
		}
		cosines, maxSims := alikeRanges(m[k], k == multilingualModel)
		cosine := x.vector.Dot(y.vector.Floats())
		if cosines.ToE5(cosine) < max(minAlikeCosine, fusion.MinAlikeCosine(least)) {
			continue
		}
		maxSim, err := bothMaxSims(x.codes, y.codes)
		if err != nil {
			continue // codes of another format: this model cannot compare the entries
		}
		most = max(most, fusion.Alike(cosines, maxSims, cosine, maxSim))
	}
	return most
}

// timeOf returns a candidate's fusion.Parts.When; 0 if that is nil.
func timeOf(c *candidate) float64 {
	if c.When == nil {
		return 0
	}
	return *c.When
}
