package memory

import (
	"math"
	"strings"
	"unicode/utf8"

	"mneme/lexical"
)

// Bytes returns the size of the hit's value, whether it was read or not.
func (h *Hit) Bytes() int { return max(h.Size, len(h.Value)) }

// Passage returns the stretch of a hit's searched text that answers the query
// best, of at most limit bytes: the chunk that the vector leg found, or else
// the chunk with the most of the query's terms. Of a value without text it
// returns the beginning. The value must have been read; see EachHit.
func (h *Hit) Passage(limit int) string {
	text := lexical.TextOf(h.whole.Value)
	if text == "" {
		text = string(h.whole.Value)
	}
	return clip(h.bestChunk(text), h.found.asked.terms, limit)
}

// bestChunk returns a chunk of the hit's text.
func (h *Hit) bestChunk(text string) string {
	spans := h.spans(text)
	best := h.found.chunk
	// The numbers of the index are those of the text that it was made from.
	if best < 0 || best >= len(spans) || h.found.edited {
		best = bestByTerms(text, spans, h.found.asked.terms)
	}
	return strings.TrimSpace(text[spans[best][0]:spans[best][1]])
}

// spans returns the byte ranges of the text's chunks, as the indexer makes them
// if there is an embedder.
func (h *Hit) spans(text string) [][2]int {
	if h.query.embedder != nil {
		return h.query.embedder.Spans(ChunkHeader(&h.whole), text)
	}
	var spans [][2]int
	for start := 0; ; {
		end := boundary(text, min(start+plainChunk, len(text)))
		spans = append(spans, [2]int{start, end})
		if start = end; end == len(text) {
			return spans
		}
	}
}

// plainChunk is the length of a chunk, in bytes, where no embedder splits the
// text: about that of the built-in model's.
const plainChunk = 2000

// bestByTerms returns the span with the most weight of the query's terms, the
// first of several. As in a search, a rare term weighs more, and so does one
// that occurs often; rare is here what few of the spans have.
func bestByTerms(text string, spans [][2]int, terms []lexical.QueryTerm) int {
	if len(spans) == 1 {
		return 0
	}
	counts := make([][]float64, len(spans)) // of each term in each span
	having := make([]float64, len(terms))   // spans with each term
	for i, span := range spans {
		found := make(map[string]int)
		for _, term := range lexical.Analyze(text[span[0]:span[1]]).Terms {
			found[term.Text] = term.Count
		}
		counts[i] = make([]float64, len(terms))
		for t, term := range terms {
			if n := found[term.Text]; n > 0 {
				counts[i][t] = float64(n)
				having[t]++
			}
		}
	}
	best, most := 0, 0.0
	for i := range spans {
		weight := 0.0
		for t, term := range terms {
			if n := counts[i][t]; n > 0 {
				weight += term.Weight * math.Log1p(float64(len(spans))/having[t]) * n / (n + 1)
			}
		}
		if weight > most {
			best, most = i, weight
		}
	}
	return best
}

// clip cuts a chunk to at most limit bytes between characters. It keeps the
// part with the most of the query's terms.
func clip(chunk string, terms []lexical.QueryTerm, limit int) string {
	if len(chunk) <= limit {
		return chunk
	}
	if limit <= 0 {
		return ""
	}
	var windows [][2]int // mostly overlapping by half, so that one has the words of any short stretch
	step := max(1, limit/2, len(chunk)/maxWindows)
	for at := 0; at < len(chunk); at += step {
		start := boundary(chunk, at)
		windows = append(windows, [2]int{start, boundary(chunk, min(start+limit, len(chunk)))})
	}
	best := windows[bestByTerms(chunk, windows, terms)]
	return chunk[best[0]:best[1]]
}

// maxWindows bounds about how many windows clip compares in a chunk.
const maxWindows = 64

// boundary moves an index back to the start of a character.
func boundary(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
