package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"mneme/clients/go/api"
	"mneme/search"
)

// shownRunes is the maximum length of a printed value, in characters.
const shownRunes = 160

// printAnswer prints an answer for people: for each hit its rank, relevance, store, key
// and label, and on the next lines the beginning of its value, or its passages.
func printAnswer(out io.Writer, terminal bool, a answer) error {
	var text strings.Builder
	if len(a.Hits) == 0 {
		text.WriteString(whyNothing(a.Answer) + "\n")
	}
	for i, h := range a.Hits {
		key, label := plain(h.Key), string(h.Label)
		if terminal {
			key, label = inStyle(bold, key), inStyle(labelStyle(label), label)
		}
		fmt.Fprintf(&text, "%2d. %.2f  %s  %s  %s", i+1, h.Relevance, plain(h.StoreID), key, label)
		if h.UpdatedBy != nil && *h.UpdatedBy != h.StoreID {
			fmt.Fprintf(&text, "  by %s", plain(*h.UpdatedBy))
		}
		if day := dayOf(h); day != "" {
			fmt.Fprintf(&text, "  %s", day)
		}
		if h.Relevance < search.Unsure {
			text.WriteString("  unsure")
		}
		text.WriteString("\n")
		for _, shown := range hitTexts(h, terminal) {
			fmt.Fprintf(&text, "    %s\n", shown)
		}
		if x := h.Explain; x != nil {
			writeExplain(&text, x, &h.Score)
		}
	}
	writeBill(&text, a.Answer)
	if a.Tokens != nil {
		fmt.Fprintf(&text, "%d tokens\n", *a.Tokens)
	}
	if x := a.Explain; x != nil {
		writeExplanation(&text, x)
	}
	if t := a.Took; t != nil {
		fmt.Fprintf(&text, "took %.1f ms: queue %.1f, filter %.1f, lexical %.1f in parallel with embed %.1f and vector %.1f, then rerank %.1f, fetch %.1f, of which rank %.1f\n",
			t.Total, t.Queue, t.Filter, t.Lexical, t.Embed, t.Vector, t.Rerank, t.Fetch, t.Rank)
	}
	lags := slices.Contains(a.Degraded, api.AnswerDegradedVectorLag)
	failed := slices.DeleteFunc(slices.Clone(a.Degraded), func(what api.AnswerDegraded) bool {
		return what == api.AnswerDegradedVectorLag || what == api.AnswerDegradedRerank
	})
	if len(failed) > 0 {
		fmt.Fprintf(&text, "without results of the %s leg, which failed or timed out\n", plain(joined(failed, " and ")))
	}
	if lags {
		text.WriteString("entries wait to be indexed: questions find their words, but not yet their meaning\n")
	}
	if slices.Contains(a.Degraded, api.AnswerDegradedRerank) {
		text.WriteString("not reranked: the reranking service failed or timed out\n")
	}
	if a.Incomplete {
		text.WriteString("there may be more\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// maxUnsure is the maximum number of hits to show with a relevance below search.Unsure,
// which may not answer the question. The tools of agents show as many.
const maxUnsure = 3

// limitUnsure keeps only the first maxUnsure of the hits with a relevance below
// search.Unsure.
func limitUnsure(hits []api.Hit) []api.Hit {
	unsure := 0
	return slices.DeleteFunc(slices.Clone(hits), func(h api.Hit) bool {
		if h.Relevance < search.Unsure {
			unsure++
		}
		return h.Relevance < search.Unsure && unsure > maxUnsure
	})
}

// dayOf returns the day of the event that a hit describes, or else the day on which it was
// written; "" if the hit has neither.
func dayOf(h api.Hit) string {
	switch {
	case h.OccurredAt != nil:
		return plain(*h.OccurredAt)
	case h.UpdatedAt != nil:
		return h.UpdatedAt.Local().Format(time.DateOnly)
	}
	return ""
}

// whyNothing returns the reason why there are no hits.
func whyNothing(a api.Answer) string {
	switch {
	case a.Reason != nil && *a.Reason == api.NoWords:
		return "nothing found: the question has no words"
	case a.Reason != nil && *a.Reason == api.NothingThen && a.NearestDay != nil:
		return "nothing found: no entry is of that time; the nearest is of " + plain(*a.NearestDay)
	case a.Reason != nil && *a.Reason == api.NothingThen:
		return "nothing found: no entry is of that time"
	}
	return "nothing found"
}

func joined[T ~string](parts []T, separator string) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = string(part)
	}
	return strings.Join(texts, separator)
}

// valueText returns the text of a string value, or the JSON of any other.
func valueText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// plain returns text on one line, without control and format characters, by which an
// agent's text could control the terminal.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// clip truncates text to shownRunes characters.
func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= shownRunes {
		return text
	}
	return string(runes[:shownRunes-1]) + "…"
}
