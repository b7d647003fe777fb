package search

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"mneme/embed/maxsim"
	"mneme/internal/passage"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

// Passage is a part of a hit's searched text: lexical.TextOf its value, or the JSON of
// a value without text.
type Passage struct {
	Text string
	// Start and End are the passage's byte range in the searched text. Both are 0 in a hit at
	// level search, so that they do not reveal how long the rest of the text is.
	Start, End int
	// Highlights are the byte ranges of Text that have words of the query, in order
	// and disjoint.
	Highlights [][2]int
}

// The bounds of passages: docs/decisions/0034-passages.md.
const (
	// longValue is the length, in bytes, of the longest value that a search with
	// Passages shows whole.
	longValue = 1000
	// passageSize bounds a passage, in bytes: about 170 tokens of English.
	passageSize = 700
	// maxPassages bounds the passages of a hit. secondShare is the share of the best
	// passage's score that another passage must reach.
	maxPassages = 2
	secondShare = 0.9
	// codedChunks is how many of a value's chunks, the nearest to the query, are
	// compared by token.
	codedChunks = 3
	// wordShare is the weight of the query's words in the choice of a passage,
	// relative to the weight of its tokens' meanings.
	wordShare = 0.5
	// maxPassageWords bounds the words that decide the choice of a passage, and so
	// its time. The words of the greatest weight are used.
	maxPassageWords = 32
)

// present applies Request.Passages to a hit: it replaces a long value by passages and
// highlights a short one.
func (h *Hit) present() {
	if r := h.query.request; !r.Passages {
		if r.MaxTokens > 0 && lexical.HasDataURL(h.whole.Value) { // shown counts only the mark in place of the data
			h.cut(passage.Options{Size: passageSize, Most: maxPassages, Share: secondShare})
		}
		return
	}
	if h.isLong() {
		h.cut(passage.Options{Size: passageSize, Most: maxPassages, Share: secondShare})
		return
	}
	if h.found.access.whole {
		h.Highlights = h.highlight(lexical.TextOf(h.Value))
	}
}

// isLong reports whether a hit's value is longer than longValue as the caller reads it: the text
// of a string, or else JSON. A value with a data URL always counts as long, since its text lacks
// the data.
func (h *Hit) isLong() bool {
	if lexical.HasDataURL(h.whole.Value) {
		return true
	}
	if len(h.whole.Value) <= longValue {
		return false
	}
	return !memory.IsText(h.whole.Value) || len(lexical.TextOf(h.whole.Value)) > longValue
}

// Cut replaces the hit's value, or its passages, by its best passage, of at most
// limit bytes. Values.Each must have read the value: call Cut while it yields the hit.
func (h *Hit) Cut(limit int) {
	h.cut(passage.Options{Size: min(limit, passageSize), Most: 1})
	p := &h.Passages[0]
	p.clip(boundary(p.Text, max(0, min(limit, len(p.Text)))))
}

// clip shortens a passage to its first n bytes.
func (p *Passage) clip(n int) {
	if p.End > 0 {
		p.End -= len(p.Text) - n
	}
	p.Text = p.Text[:n]
	for i := range p.Highlights {
		if p.Highlights[i][1] > n {
			p.Highlights = p.Highlights[:i]
			return
		}
	}
}

// cut replaces the hit's value by its best passages, best first: at least one.
func (h *Hit) cut(o passage.Options) {
	text := lexical.TextOf(h.whole.Value)
	if text == "" {
		text = string(h.whole.Value)
	}
	segments := passage.Split(text)
	evidence, weights := h.evidence(text, segments)
	h.Passages = nil
	for _, c := range passage.Choose(segments, evidence, weights, o) {
		start, end := segments[c.First].Start, segments[c.Last].End
		p := Passage{Text: text[start:end], Highlights: h.highlight(text[start:end])}
		if h.found.access.whole {
			p.Start, p.End = start, end
		}
		h.Passages = append(h.Passages, p)
	}
	if h.Passages == nil { // only white space
		h.Passages = []Passage{{}}
	}
	h.Value, h.Highlights, h.Truncated = nil, nil, true
}

// highlight returns the byte ranges of a text that have words of the query or of
// the request's exact match, in order and disjoint.
func (h *Hit) highlight(text string) [][2]int {
	var ranges [][2]int
	h.found.asked.finder().Find(text, func(_, start, end int) { ranges = append(ranges, [2]int{start, end}) })
	slices.SortFunc(ranges, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	joined := ranges[:0]
	for _, r := range ranges {
		if n := len(joined); n > 0 && r[0] <= joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], r[1])
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// evidence returns the evidence of each segment of the hit's text for the query, and the weights
// of its parts: the words of the query and of the exact match that the segment has, and if the
// codes of the text's tokens are known, the segment's best cosine with each token of the query.
// The better the encoder knows the query's language, the more the cosines weigh, as in the hit's
// relevance.
func (h *Hit) evidence(text string, segments []passage.Span) (evidence []passage.Evidence, weights []float64) {
	asked := h.found.asked
	words := asked.finder()
	weights = slices.Clone(words.weights)
	tokens := asked.tokens(h.found.model)
	if len(h.codes) == 0 {
		tokens = nil
	}
	evidence = make([]passage.Evidence, len(segments))
	// Most segments of a long text have no evidence, and a text of tiny lines has tens of thousands
	// of segments.
	of := func(segment int) passage.Evidence {
		if evidence[segment] == nil {
			evidence[segment] = make(passage.Evidence, len(words.weights)+len(tokens))
		}
		return evidence[segment]
	}
	at := 0
	words.Find(text, func(word, start, _ int) {
		term := words.columns[word]
		if term < 0 {
			return
		}
		for at > 0 && segments[at-1].End > start { // a word may be reported after its parts
			at--
		}
		for at < len(segments) && segments[at].End <= start {
			at++
		}
		if at < len(segments) {
			of(at)[term] = 1
		}
	})
	if len(tokens) == 0 {
		return evidence, weights
	}
	total, familiarity := 0.0, asked.familiarity(h.found.model)
	for _, t := range tokens {
		total += t.weight
	}
	for _, t := range tokens {
		weights = append(weights, float64(familiarity*t.weight/total))
	}
	h.addMeaning(text, segments, of, len(words.weights), tokens)
	return evidence, weights
}

// wordFinder finds the words of a wording and of a request's exact match.
type wordFinder struct {
	*lexical.Finder
	// columns maps the index of a word to its index in weights; -1: the word does not
	// decide which passages are chosen.
	columns []int
	weights []float64 // their sum is wordShare
}

// newFinder returns a finder of the words of the wording and of the request's Match. Words
// of the Match weigh as much as the wording's heaviest word: the passage that has them
// shows why the entry matches.
func (w *resolved) newFinder(match *lexical.Match) *wordFinder {
	exact, prefixes := match.Words()
	exact = slices.DeleteFunc(exact, func(e lexical.QueryTerm) bool {
		return slices.ContainsFunc(w.terms, func(t lexical.QueryTerm) bool { return t.Text == e.Text })
	})
	terms := slices.Concat(w.terms, exact)
	weights := make([]float64, len(terms)+len(prefixes))
	most := 0.0
	for i, term := range w.terms {
		if term.Variant { // the finder reports the word that it is a variant of
			continue
		}
		weights[i] = term.Weight
		if w.scorer != nil {
			weights[i] = w.scorer.Weight(i)
		}
		most = max(most, weights[i])
	}
	if most == 0 {
		most = 1
	}
	for i := len(w.terms); i < len(weights); i++ {
		if i >= len(terms) || !terms[i].Variant {
			weights[i] = most
		}
	}
	finder := &wordFinder{Finder: lexical.NewFinder(terms, prefixes...)}
	finder.setColumns(weights)
	return finder
}

// setColumns sets columns and weights from the weights of all words.
func (s *wordFinder) setColumns(all []float64) {
	order := make([]int, len(all))
	s.columns = make([]int, len(all))
	for i := range order {
		order[i], s.columns[i] = i, -1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b], all[a]) })
	order = order[:min(len(order), maxPassageWords)]
	total := 0.0
	for _, word := range order {
		total += all[word]
	}
	for column, word := range order {
		s.columns[word] = column
		s.weights = append(s.weights, float64(wordShare*all[word]/max(total, 1e-9)))
	}
}

// chunkCodes are the codes of a chunk's tokens.
type chunkCodes struct {
	chunk int
	codes []byte
}

// addMeaning adds the largest cosine of each token of the query with a token of the segment
// to the evidence of each segment, from index first on.
func (h *Hit) addMeaning(text string, segments []passage.Span, evidence func(segment int) passage.Evidence, first int, tokens []weightedToken) {
	query := make([]maxsim.Vector, len(tokens))
	for i, t := range tokens {
		query[i] = *t.vector
	}
	chunks := make([]int, len(h.codes))
	for i, c := range h.codes {
		chunks[i] = c.chunk
	}
	best, against := make([]float32, len(query)), maxsim.NewQuery(query)
	for i, words := range h.of.allModels()[h.found.model].Embedder.CodeSpans(memory.ChunkHeader(&h.whole), text, chunks) {
		codes := h.codes[i].codes
		if len(codes) != len(words)*maxsim.TokenSize { // the codes are of an earlier text
			continue
		}
		next := 0
		for s, segment := range segments {
			for next < len(words) && words[next][1] <= segment.Start {
				next++
			}
			from := next
			for next < len(words) && words[next][0] < segment.End {
				next++
			}
			if from == next || against.Best(codes[from*maxsim.TokenSize:next*maxsim.TokenSize], best) != nil {
				continue
			}
			met := evidence(s)[first:]
			for t, cosine := range best {
				met[t] = max(met[t], float64(cosine))
			}
		}
	}
}

// loadCodes reads the codes of the hits that may be shown by passages: all long hits if
// the request has Passages, or the first hit of the answer if it has only MaxTokens.
func loadCodes(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, hits []Hit, first bool) error {
	if !q.request.Passages {
		hits = hits[:min(1, len(hits))]
		if q.request.MaxTokens == 0 || !first {
			return nil
		}
	}
	return readCodes(ctx, in, found, hits)
}

// readCodes reads the codes of the long hits.
func readCodes(ctx context.Context, in snapshot, found *retrieved, hits []Hit) error {
	byID := make(map[uuid.UUID]*Hit)
	var ids []uuid.UUID
	for i := range hits {
		h := &hits[i]
		if !h.isLong() || len(h.found.asked.tokens(h.found.model)) == 0 {
			continue
		}
		if h.found.then != nil {
			h.codes = found.former.nearestCodes(h.found)
		} else {
			byID[h.whole.ID] = h
			ids = append(ids, h.whole.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	nearest, err := nearestChunks(ctx, in, found, ids, byID)
	if err != nil {
		return err
	}
	for k, model := range found.allModels() {
		of := slices.DeleteFunc(slices.Clone(nearest), func(c vector.ChunkID) bool { return byID[c.Entry].found.model != k })
		codes, err := in.tx.ChunkCodes(ctx, in.scope, model.Fingerprint, of)
		if err != nil {
			return err
		}
		for i, c := range of {
			if len(codes[i]) > 0 {
				h := byID[c.Entry]
				h.codes = append(h.codes, chunkCodes{c.Chunk, codes[i]})
			}
		}
	}
	return nil
}

// nearestChunks returns the chunks of each hit that are nearest to the query, at
// most codedChunks.
func nearestChunks(ctx context.Context, in snapshot, found *retrieved, ids []uuid.UUID, byID map[uuid.UUID]*Hit) ([]vector.ChunkID, error) {
	type scored struct {
		chunk  int
		cosine float64
	}
	chunks := make(map[uuid.UUID][]scored, len(ids))
	err := in.tx.Evidence(ctx, in.scope, memory.EvidenceQuery{Fingerprints: found.allModels().fingerprints(), Entries: ids, VectorsOnly: true}, func(e memory.Evidence) error {
		if of := byID[e.Entry].found; len(e.Vector) > 0 && e.Model == of.model {
			chunks[e.Entry] = append(chunks[e.Entry], scored{e.Chunk, e.Vector.Dot(of.asked.embeddings[e.Model].Vector)})
		}
		return nil
	})
	var nearest []vector.ChunkID
	for _, id := range ids {
		of := chunks[id]
		slices.SortFunc(of, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.chunk, b.chunk))
		})
		for _, c := range of[:min(len(of), codedChunks)] {
			nearest = append(nearest, vector.ChunkID{Entry: id, Chunk: c.chunk})
		}
	}
	return nearest, err
}

// boundary moves an index back to the start of a character.
func boundary(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
