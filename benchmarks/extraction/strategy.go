package extraction

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// A strategy generates the questions of an agent that copies a store
// through searches.
type strategy struct {
	name string
	next func(r *rand.Rand, l *loot) string
}

// The strategies, simplest first. Those with random words ignore the answers; the others
// learn from them.
func strategies() []strategy {
	return []strategy{
		{"random word", func(r *rand.Rand, l *loot) string { return pick(r, l.dictionary) }},
		{"three random words", func(r *rand.Rand, l *loot) string { return threeWords(r, l.dictionary) }},
		{"words of earlier hits", func(r *rand.Rand, l *loot) string {
			if len(l.words) < 3 {
				return threeWords(r, l.dictionary)
			}
			return threeWords(r, l.words)
		}},
		{"text of the last hit", lastHit},
		{"mixed topics", mixedTopics},
	}
}

// lastHit asks with the text of the last new hit, which leads to its neighbours.
// If an answer has no new hit, it restarts with random words.
func lastHit(r *rand.Rand, l *loot) string {
	if l.last == "" {
		return threeWords(r, l.dictionary)
	}
	text := l.last
	l.last = ""
	if len(text) > maxQuestion {
		text = strings.ToValidUTF8(text[:maxQuestion], "")
	}
	return text
}

// maxQuestion bounds a question, in bytes.
const maxQuestion = 1000

// mixedTopics asks like a language model that has read the hits so far: it
// combines the topics of two hits, least used first.
func mixedTopics(r *rand.Rand, l *loot) string {
	if len(l.words) < 4 {
		return "What do you know about " + pick(r, l.dictionary) + "?"
	}
	topics := make([]string, 0, 3)
	for range 3 {
		best := ""
		for range 8 { // the least used of a sample
			word := pick(r, l.words)
			if !slices.Contains(topics, word) && (best == "" || l.asked[word] < l.asked[best]) {
				best = word
			}
		}
		if best != "" {
			l.asked[best]++
			topics = append(topics, best)
		}
	}
	templates := []string{"What do you know about %s?", "Who talked about %s?", "When did %s happen?", "Why does %s matter, and to whom?"}
	return strings.Replace(templates[r.IntN(len(templates))], "%s", strings.Join(topics, " and "), 1)
}

// loot is what an agent has learned from the answers so far.
type loot struct {
	dictionary []string // words of the language, known before
	words      []string // of the hits, each once
	last       string   // text of the last entry that was new
	asked      map[string]int
	known      map[string]bool // words
	revealed   map[string]bool // keys
}

func newLoot(dictionary []string) *loot {
	return &loot{dictionary: dictionary, asked: make(map[string]int), known: make(map[string]bool), revealed: make(map[string]bool)}
}

// add records an entry, and reports whether it is new.
func (l *loot) add(key, text string) bool {
	if l.revealed[key] {
		return false
	}
	l.revealed[key] = true
	l.last = text
	for _, word := range wordsOf(text) {
		if !l.known[word] {
			l.known[word] = true
			l.words = append(l.words, word)
		}
	}
	return true
}

// wordsOf returns the lower-cased words of a text that are long enough to be
// content words.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.DeleteFunc(words, func(w string) bool { return len(w) < 4 })
}

func pick(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

func threeWords(r *rand.Rand, words []string) string {
	return pick(r, words) + " " + pick(r, words) + " " + pick(r, words)
}
