package search

import (
	"unicode/utf8"

	"mneme/internal/passage"
	"mneme/lexical"
	"mneme/memory"
)

// MinTokens is the smallest MaxTokens of a search.
const MinTokens = 50

// minShown is the smallest number of tokens that the passage of the first hit may have. If the
// hit's description leaves fewer, the description is left out.
const minShown = 25

// FitTokens counts the tokens of a text. If there are more than most, it counts
// those of the longest prefix of whole words with at most that many, and end is the
// length of the prefix in bytes; otherwise end is len(text).
type FitTokens func(text string, most int) (tokens, end int)

// estimateTokens counts a token for every four bytes.
func estimateTokens(text string, most int) (tokens, end int) {
	if tokens := (len(text) + 3) / 4; tokens <= most {
		return tokens, len(text)
	}
	end = max(0, most*4)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return (end + 3) / 4, end
}

// budget is what an answer may show by the request's MaxTokens: keys,
// descriptions, and values or passages.
type budget struct {
	fit  FitTokens
	most int // 0: no bound
	used int
	last int  // tokens of the last admitted hit
	some bool // at least one hit was admitted
}

// admit reports whether a hit is shown, and counts it. The first hit is always shown:
// if it is too long, admit cuts it to its best passage, and the passage to what fits.
func (b *budget) admit(h *Hit) bool {
	tokens, fits := b.measure(h)
	if fits {
		b.add(tokens)
	}
	return fits
}

// measure reports, like admit, whether a hit is shown, but does not count it: if the caller
// shows it, it passes tokens to add.
func (b *budget) measure(h *Hit) (tokens int, fits bool) {
	if b.most == 0 {
		return 0, true
	}
	tokens, fits = b.count(b.most-b.used, h.shown())
	if !fits && !b.some {
		return b.shrink(h), true
	}
	return tokens, fits
}

// admitNear is admit for an entry of Answer.Nearest. Surfaces show the first NearestText
// characters of its text.
func (b *budget) admitNear(e *memory.Entry) bool {
	if b.most == 0 {
		return true
	}
	text := lexical.TextOf(e.Value)
	if !memory.IsText(e.Value) {
		text = string(e.Value)
	}
	if runes := []rune(text); len(runes) > NearestText {
		text = string(runes[:NearestText])
	}
	tokens, fits := b.count(b.most-b.used, []string{e.Key, e.Description, text})
	if !fits && b.some {
		return false
	}
	b.add(tokens)
	return true
}

func (b *budget) add(tokens int) {
	b.some = true
	b.last = tokens
	b.used += tokens
}

// count returns the tokens of texts and reports whether there are at most room.
func (b *budget) count(room int, texts []string) (tokens int, fits bool) {
	for _, text := range texts {
		n, end := b.fit(text, room-tokens)
		if tokens += n; end < len(text) {
			return tokens, false
		}
	}
	return tokens, true
}

// shown returns the texts of a hit that a budget counts.
func (h *Hit) shown() []string {
	texts := []string{h.Key, h.Description}
	switch {
	case h.Truncated:
		for _, p := range h.Passages {
			texts = append(texts, p.Text)
		}
	case memory.IsText(h.Value):
		texts = append(texts, lexical.TextOf(h.Value))
	default:
		texts = append(texts, string(h.Value))
	}
	return texts
}

// shrink cuts the first hit to what fits and returns its tokens. It keeps the best
// passage, and the description if that leaves room for a passage. Only a key with
// more tokens than the budget exceeds the budget.
func (b *budget) shrink(h *Hit) int {
	used, _ := b.fit(h.Key, len(h.Key))
	if n, end := b.fit(h.Description, b.most-used); end < len(h.Description) || b.most-used-n < minShown {
		h.Description = ""
	} else {
		used += n
	}
	room := max(0, b.most-used)
	h.cut(passage.Options{Size: passageSize, Most: 1})
	text := h.Passages[0].Text
	if n, _ := b.fit(text, len(text)); n > room {
		h.cut(passage.Options{Size: len(text) * room / n, Most: 1})
		_, end := b.fit(h.Passages[0].Text, room)
		h.Passages[0].clip(end)
	}
	n, _ := b.fit(h.Passages[0].Text, room)
	return used + n
}
