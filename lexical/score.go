package lexical

import (
	"math"
	"slices"
	"strings"
)

// The parameters of BM25: k1 sets how fast repetitions of a term saturate, b how much the
// document's length counts. The values are those of the plain BM25 baseline for LoCoMo and
// SciFact in docs/decisions/0002-lexical-analysis.md.
const (
	k1 = 0.9
	b  = 0.2
)

// typoEvidence is the evidence of a word with typing errors.
const typoEvidence = 0.3

// Stats describe the collection that a query is scored against: the entries of
// the searched stores at labels within the caller's scope, and no others.
type Stats struct {
	Documents int64 // number of documents
	Length    int64 // sum of their Document.Length
}

// Scorer scores documents for one query by BM25: Robertson and Zaragoza,
// "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
// Lucene's inverse document frequency, ln(1 + (N-df+½)/(df+½)), which is never
// negative. It is safe for concurrent use.
type Scorer struct {
	weights      []float64    // by query term: inverse document frequency times QueryTerm.Weight
	evidence     []float64    // by query term: see Evidence
	known        []bool       // by query term: whether a document has it
	replacements []substitute // terms that replace QueryTerm.For
	variants     []substitute // variants of QueryTerm.For
	heads        []int        // by query term: the term it is a variant of, or its own index; nil: the query has no variants
	lacksName    bool         // see LacksName
	of           counted      // the arguments of NewScorer

	onlyCorrected bool    // see OnlyCorrected
	base          float64 // k1 · (1-b)
	slope         float64 // k1 · b / mean length
}

// counted holds the arguments from which a Scorer is computed.
type counted struct {
	stats Stats
	df    []int64
}

// With returns the Scorer of the same query for a collection with additional documents:
// those of stats, of which df[i] contain query[i].
func (s *Scorer) With(stats Stats, query []QueryTerm, df []int64) *Scorer {
	sum := slices.Clone(s.of.df)
	for i, n := range df {
		sum[i] += n
	}
	return NewScorer(Stats{Documents: s.of.stats.Documents + stats.Documents, Length: s.of.stats.Length + stats.Length}, query, sum)
}

// NewScorer returns a Scorer for one query. df[i] is the number of documents, among those
// counted in stats, that contain query[i].
func NewScorer(stats Stats, query []QueryTerm, df []int64) *Scorer {
	s := &Scorer{weights: make([]float64, len(query)), evidence: make([]float64, len(query)), known: make([]bool, len(query)), base: float64(k1 * (1 - b)), of: counted{stats, slices.Clone(df)}}
	if stats.Documents > 0 && stats.Length > 0 {
		mean := float64(stats.Length) / float64(stats.Documents)
		s.slope = float64(k1*b) / mean
	}
	df = s.join(query, df)
	for i, term := range query {
		s.known[i] = df[i] > 0
		s.weights[i] = float64(term.Weight * Rarity(stats.Documents, df[i]))
	}
	s.weighEvidence(query, df)
	return s
}

// Rarity returns the inverse document frequency of a term by Lucene's BM25: ln(1 +
// (N-n+.5)/(n+.5)), where N is documents, and n, the number of those that contain the term, is
// having.
func Rarity(documents, having int64) float64 {
	// The counts may come from different snapshots, so having may exceed documents. The
	// logarithm must stay defined.
	ratio := (max(float64(documents)-float64(having), 0) + 0.5) / (float64(having) + 0.5)
	return ln(1 + ratio)
}

// join sets heads and variants, and returns the document frequencies. A word and its stems
// all get the largest frequency among them, since they have one weight.
func (s *Scorer) join(query []QueryTerm, df []int64) []int64 {
	for i, term := range query {
		if !term.Variant {
			continue
		}
		of, ok := indexOf(query, term.For)
		if !ok {
			continue
		}
		if s.heads == nil {
			df = slices.Clone(df)
			s.heads = make([]int, len(query))
			for j := range s.heads {
				s.heads[j] = j
			}
		}
		s.heads[i] = of
		s.variants = append(s.variants, substitute{i, of, term.Share})
		if term.Share == stemShare {
			df[of] = max(df[of], df[i])
		}
	}
	for _, x := range s.variants {
		if df[x.term] > 0 && (x.share == stemShare || df[x.term] < df[x.of]) {
			df[x.term] = df[x.of]
		}
	}
	return df
}

// weighVariants sets the shares of the variants as evidence. A word that no document has
// gets the weight of its rarest compound or part.
func (s *Scorer) weighVariants() {
	found := make(map[int]float64) // by word that no document has
	for i, x := range s.variants {
		switch {
		case !s.known[x.term]:
		case s.known[x.of]:
			s.variants[i].share = s.weights[x.term] / s.weights[x.of]
		default:
			found[x.of] = max(found[x.of], s.weights[x.term]/x.share)
		}
	}
	for of, weight := range found {
		s.known[of], s.evidence[of] = true, weight
	}
}

// indexOf returns the index of a term in a query.
func indexOf(query []QueryTerm, text string) (int, bool) {
	return slices.BinarySearchFunc(query, text, func(t QueryTerm, text string) int { return strings.Compare(t.Text, text) })
}

// weighEvidence sets the weights of the terms as evidence, and lacksName.
func (s *Scorer) weighEvidence(query []QueryTerm, df []int64) {
	named, known, sum := false, false, 0.0
	share := s.shareOfParts(query, df)
	for i, term := range query {
		weight := s.weights[i]
		switch {
		case term.For != "":
			weight = 0
		case (term.Role == Asking || term.Role == Joined) && df[i] == 0, term.Part && share > 0:
			weight = 0
		case term.Role == Joined:
			weight += share
		case term.Role == Name:
			weight = max(weight, float64(nameWeight*term.Weight))
			named, known = true, known || df[i] > 0
		}
		s.evidence[i] = weight
		sum += weight
	}
	s.lacksName = named && !known
	s.weighVariants()
	s.replaceTypos(query)
	s.onlyCorrected = len(s.replacements) > 0
	for i, term := range query {
		if term.For == "" && term.Role != Asking && s.known[i] {
			s.onlyCorrected = false
		}
	}
	if sum == 0 { // the query has only words of asking
		copy(s.evidence, s.weights)
	}
}

// replaceTypos gives a term with replacements the weight of the rarest of them.
func (s *Scorer) replaceTypos(query []QueryTerm) {
	for i, term := range query {
		if term.For == "" || term.Variant || !s.known[i] {
			continue
		}
		of, ok := indexOf(query, term.For)
		if !ok {
			continue
		}
		weight := s.weights[i] / term.Share
		if !s.isReplaced(of) || weight > s.evidence[of] {
			s.evidence[of] = weight
		}
		s.replacements = append(s.replacements, substitute{i, of, term.Share})
	}
}

// substitute is a query term that replaces another or is a variant of it, with a share of
// its weight. Both are indexes.
type substitute struct {
	term, of int
	share    float64
}

// isReplaced reports whether query term i has replacements.
func (s *Scorer) isReplaced(i int) bool {
	return slices.ContainsFunc(s.replacements, func(x substitute) bool { return x.of == i })
}

// Known reports whether a document has query term i or a variant of it.
func (s *Scorer) Known(i int) bool { return s.known[i] }

// shareOfParts returns the additional weight of each joined number or code that a document
// has, taken from the groups of the query's numbers and codes; 0 if there is none.
func (s *Scorer) shareOfParts(query []QueryTerm, df []int64) float64 {
	parts, whole := 0.0, 0
	for i, term := range query {
		switch {
		case term.Part:
			parts += s.weights[i]
		case term.Role == Joined && df[i] > 0:
			whole++
		}
	}
	if whole == 0 {
		return 0
	}
	return parts / float64(whole)
}

// Evidence returns how much query term i counts as evidence that a document answers the query,
// per occurrence in the query: its weight, but 0 for a term with the role Asking that no
// document has, and at least a minimum for a name. The groups of a number or code count like
// words, and a word with typing errors counts little.
func (s *Scorer) Evidence(i int, term QueryTerm) float64 {
	switch {
	case term.Part, term.For != "":
		return s.weights[i] / term.Weight
	case s.isReplaced(i):
		return typoEvidence
	}
	return s.evidence[i] / term.Weight
}

// OnlyCorrected reports whether documents have none of the query's words, except terms with the
// role Asking and replacements of typing errors.
func (s *Scorer) OnlyCorrected() bool { return s.onlyCorrected }

// HasNone reports whether no document has any of the query's terms.
func (s *Scorer) HasNone() bool { return !slices.Contains(s.known, true) }

// LacksName reports whether the query has names and no document has any of them.
func (s *Scorer) LacksName() bool { return s.lacksName }

// Coverage returns the share, 0–1, of the query's evidence in a document of length tokens
// that contains query term i counts[i] times.
func (s *Scorer) Coverage(counts []int, length int) float64 {
	found, total := 0.0, 0.0
	norm := s.base + float64(s.slope*float64(length))
	for i, weight := range s.evidence {
		total += weight
		share := max(best(s.replacements, i, counts, norm), best(s.variants, i, counts, norm))
		if tf := float64(counts[i]); tf > 0 {
			share = max(share, tf/(tf+norm))
		}
		found += float64(weight * share)
	}
	if total == 0 {
		return 0
	}
	return found / total
}

// best returns how much of query term i a document has, 0–1, by the best of the term's
// replacements or variants.
func best(terms []substitute, i int, counts []int, norm float64) (most float64) {
	for _, x := range terms {
		if tf := float64(counts[x.term]); x.of == i && tf > 0 {
			most = max(most, float64(x.share*(tf/(tf+norm))))
		}
	}
	return most
}

// Term returns the contribution of query term i to the score of a document of length
// tokens that contains the term count times. It is 0 if count is 0. Of a term and its
// variants (Head) only the largest contribution counts. A document's score is the sum of
// these contributions in the order of the query's terms; added in that order, it has the
// same bits on every platform.
//
// The conversions around products keep the compiler from fusing them with the
// additions, as it does on arm64 and not on amd64 (Go specification,
// "Floating-point operators").
func (s *Scorer) Term(i int, count, length int) float64 {
	if count <= 0 {
		return 0
	}
	tf := float64(count)
	norm := s.base + float64(s.slope*float64(length))
	return float64(s.weights[i] * (tf / (tf + norm)))
}

// Weight returns the weight of query term i, greater than 0: its inverse document
// frequency times QueryTerm.Weight. A term that no document has weighs most.
func (s *Scorer) Weight(i int) float64 { return s.weights[i] }

// Head returns the index of the term that query term i is a variant of; i itself if it is
// none.
func (s *Scorer) Head(i int) int {
	if s.heads == nil {
		return i
	}
	return s.heads[i]
}

// TotalWeight returns the sum of the weights of all terms except variants, in their order:
// no score reaches it. It is 0 for a query without terms.
func (s *Scorer) TotalWeight() float64 {
	sum := 0.0
	for i, weight := range s.weights {
		if s.Head(i) == i {
			sum += weight
		}
	}
	return sum
}

// Score returns the score of a document of length tokens that contains query term
// i counts[i] times. It has the same bits as the sum of Term.
func (s *Scorer) Score(counts []int, length int) float64 {
	sum := 0.0
	for i, count := range counts {
		if s.Head(i) != i {
			continue
		}
		most := s.Term(i, count, length)
		for _, x := range s.variants {
			if x.of == i {
				most = max(most, s.Term(x.term, counts[x.term], length))
			}
		}
		sum += most
	}
	return sum
}

// ln returns the natural logarithm of a positive number, by the series of the
// inverse hyperbolic tangent: ln m = 2·(s + s³/3 + s⁵/5 + …) with
// s = (m-1)/(m+1). The result of math.Log depends on the platform, since it is
// assembly on some and may be fused on others.
func ln(x float64) float64 {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exponent = 2*m, exponent-1
	}
	s := (m - 1) / (m + 1) // within ±0.172
	square := float64(s * s)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 { // s²² / 23 < 2⁻⁵⁷
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(2*s*sum) + float64(float64(exponent)*math.Ln2)
}
