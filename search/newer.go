package search

import (
	"cmp"

	"mneme/fusion"
	"mneme/memory"
)

// Where two entries say nearly the same of the same thing, the newer one is what holds now:
// docs/decisions/0085-newer-statements.md.
const (
	// newerDepth is how many of the first candidates are compared with each other.
	newerDepth = 20
	// minAlike is the likeness (fusion.Alike) from which one statement supersedes another,
	// and minAlikeCosine the cosine, as one of E5-small-v2, below which none is reached.
	minAlike       = 0.62
	minAlikeCosine = 0.87
	// newerMargin is how much more the older of two statements may score and still be put
	// after the newer one: of a statement and its newer form, the one whose words are nearer
	// to the question's scores so much more by chance. Of two that are in nearly the same
	// words, from sameWords on, that is sameWordsMargin. Others are not moved where one of
	// them is Unsure.
	newerMargin     = 0.35
	sameWords       = 0.96
	sameWordsMargin = 0.56
)

// newerFirst lets the newer of two statements and the older one change places where both
// say nearly the same and the older one is first, or the newer one if the question asks for
// the past, and marks the older one. The candidates are in their order. Their scores stay,
// and so do the places of all others.
//
// SECURITY: of stores at level search neither the order nor the mark says which entry is
// newer.
func (q *searchQuery) newerFirst(ordered []*candidate) {
	for i := range min(len(ordered), newerDepth) {
		for at := q.placeOf(ordered, i); at < i; at = q.placeOf(ordered, i) {
			ordered[at], ordered[i] = ordered[i], ordered[at] // what is at i now is looked at, too
		}
	}
}

// placeOf returns the first place up to i whose candidate the i-th should change places
// with; i if there is none.
func (q *searchQuery) placeOf(ordered []*candidate, i int) (at int) {
	at = i
	c := ordered[i]
	for j := i - 1; j >= 0 && c.relevance >= Irrelevant; j-- {
		more := ordered[j].merit - c.merit
		if more > sameWordsMargin {
			continue
		}
		newer, older, alike := q.sameStatement(ordered[j], c)
		if alike < minAlike || alike < sameWords && (more > newerMargin || min(ordered[j].relevance, c.relevance) < Unsure) {
			continue
		}
		older.supersededBy = cmp.Or(older.supersededBy, newer)
		first := newer
		if c.asked.past.Before(happened(newer.entry)) {
			first = older
		}
		if first == c {
			at = j
		}
	}
	return at
}

// sameStatement returns which of two candidates is the newer one, and how likely they say
// nearly the same, 0–1.
func (q *searchQuery) sameStatement(a, b *candidate) (newer, older *candidate, alike float64) {
	if a.entry.Store != b.entry.Store || a.entry.Namespace != b.entry.Namespace || searchOnly(*a.access) {
		return nil, nil, 0
	}
	switch compareTime(a.entry, b.entry) {
	case 0:
		return nil, nil, 0
	case 1:
		return a, b, q.alike(a, b)
	}
	return b, a, q.alike(a, b)
}

// compareTime compares when what two entries describe happened, or else when they were
// written; of the same day, when they were written.
func compareTime(a, b *memory.Entry) int {
	if c := happened(a).Compare(happened(b)); c != 0 {
		return c
	}
	return a.UpdatedAt.Compare(b.UpdatedAt)
}

// alike returns how likely two candidates say nearly the same, 0–1, by the chunks of them
// that are nearest to the question and a model that has read both.
func (q *searchQuery) alike(a, b *candidate) (most float64) {
	for k := range q.models {
		x, y := &a.by[k], &b.by[k]
		if len(x.vector) == 0 || len(y.vector) == 0 || x.vector.IsMeaningless() || y.vector.IsMeaningless() {
			continue
		}
		cosines, maxSims := alikeRanges(q.models[k], k == multilingualModel)
		cosine := x.vector.Dot(y.vector.Floats())
		if cosines.ToE5(cosine) < minAlikeCosine {
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
