package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mneme/fusion"
)

// Where two entries say nearly the same of the same thing, the newer one is what holds now:
// docs/decisions/0085-newer-statements.md.
const (
	// newerDepth is how many of the first candidates are compared with each other.
	newerDepth = 20
	// minAlikeCosine is the cosine, as one of E5-small-v2, below which none are alike.
	minAlikeCosine = 0.87
	// Of two statements of one thing, one says with other words of a few what the other does:
	// they are alike (fusion.MinAlike) and have so much of their words in common. Those
	// without dates that were written within a sitting, as an import is, may be a list: they
	// must be nearly the same.
	minInCommon = 0.35
	// Those that are surely alike (sameThing) may be so short that they have little in common
	// but what they speak of: "the launch is on 3 March", "the launch was moved to 17 April".
	sameThing      = 0.985
	fewInCommon    = 0.05
	sitting        = time.Minute
	alikeInSitting = 0.96
	inCommonAtOnce = 0.45
	// newerMargin is how much more the first of two statements may score and still be swapped
	// with the other: the one whose words are nearer to the question's scores so much
	// more by chance.
	newerMargin = 0.56
)

// newerFirst swaps the newer of two statements with the older one where both say nearly the
// same and the older one is first, or the newer one if the question asks for the past, and
// marks the older one. The candidates are in their order. Scores stay, and so do the ranks
// of all others.
//
// SECURITY: of stores at level search neither the order nor the mark says which entry is
// newer.
func newerFirst(ctx context.Context, tx assessmentTx, found *retrieved, ordered []*candidate) error {
	first := ordered[:min(len(ordered), newerDepth)]
	words, err := newCommonWords(tx, first)
	if err != nil {
		return err
	}
	for i := range first {
		for {
			at, err := found.swapRank(ctx, words, ordered, i)
			if err != nil {
				return err
			}
			if at == i {
				break
			}
			ordered[at], ordered[i] = ordered[i], ordered[at] // what is at i now is looked at, too
		}
	}
	return nil
}

// swapRank returns the first index up to i whose candidate the i-th should be swapped with;
// i if there is none.
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
		if first == c && timeOf(c) >= timeOf(ordered[j]) { // the time that the question names comes first
			at = j
		}
	}
	return at, nil
}

// sayNearlyTheSame reports whether two candidates are statements of one thing. What is
// cheaper to tell is asked first: most pairs are none.
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

// asksForWhatWasBefore reports whether a wording asks for what was so before a time. It is
// asked of the whole search, so that one order holds for all pairs and the swaps end.
func (r *retrieved) asksForWhatWasBefore(t time.Time) bool {
	return slices.ContainsFunc(r.wordings, func(w resolved) bool { return w.past.Before(t) })
}

// inOrder returns which of two candidates of a store and namespace is the newer one: by when
// what they describe happened, or else, or of the same day, by when they were written.
// atOnce says that nothing but moments between two writes tells. ok is false if they are of
// the same time or not compared.
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

// alike returns how likely two candidates say nearly the same, 0–1, by the chunks of them
// that are nearest to the question and a model that has read both; 0 if that is surely less
// than a likelihood.
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
			continue // codes of another form: the entries are not compared
		}
		most = max(most, fusion.Alike(cosines, maxSims, cosine, maxSim))
	}
	return most
}

// timeOf returns what a candidate's relevance says of its time; 0 if that is not known.
func timeOf(c *candidate) float64 {
	if c.When == nil {
		return 0
	}
	return *c.When
}
