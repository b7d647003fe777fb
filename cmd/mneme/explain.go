package main

import (
	"fmt"
	"strings"
	"time"

	"mneme/clients/go/api"
)

// writeExplain writes how an entry was ranked; a nil score is unknown.
func writeExplain(text *strings.Builder, x *api.Explain, score *float64) {
	fmt.Fprintf(text, "    lexical %s, vector %s; seen as %s", formatRank(x, x.Lexical), formatRank(x, x.Vector), plain(string(x.Via)))
	if x.Model != nil {
		fmt.Fprintf(text, "; model %s", plain(*x.Model))
	}
	if x.Language != nil {
		fmt.Fprintf(text, "; language %s", plain(*x.Language))
	}
	text.WriteByte('\n')
	text.WriteString("    ")
	if r := x.Rerank; r != nil {
		fmt.Fprintf(text, "reranked %s; ", formatJudgement(r))
	}
	if score != nil {
		fmt.Fprintf(text, "score %.4f; ", *score)
	}
	fmt.Fprintf(text, "relevance from %s\n", formatSummands(x.Summands))
}

// writeExplanation writes what the filter dropped, and the outcome for an entry.
func writeExplanation(text *strings.Builder, x *api.Explanation) {
	for _, t := range deref(x.Typos) {
		fmt.Fprintf(text, "no entry has %s; looked for %s\n", plain(t.Word), plain(strings.Join(t.Found, ", ")))
	}
	for _, d := range deref(x.Dates) {
		fmt.Fprintf(text, "%s is read as %s\n", plain(d.Text), formatTime(d))
	}
	for _, r := range deref(x.Readers) {
		fmt.Fprintf(text, "asked of: %s\n", plain(strings.Join(r.Models, ", ")))
	}
	if f := x.Filter; f != nil && f.Passing != nil {
		fmt.Fprintf(text, "the search looked among the %d that pass the filter\n", *f.Passing)
	} else if f != nil {
		dropped := make([]string, len(f.Options))
		for i, o := range f.Options {
			dropped[i] = fmt.Sprintf("%s %d", plain(string(o.Name)), deref(o.Dropped))
		}
		fmt.Fprintf(text, "the filter dropped, of what was found: %s\n", strings.Join(dropped, ", "))
	}
	e := x.Entry
	if e == nil {
		return
	}
	fmt.Fprintf(text, "that entry: %s\n", formatOutcome(e))
	if e.Explain != nil {
		fmt.Fprintf(text, "    relevance %.2f\n", deref(e.Relevance))
		writeExplain(text, e.Explain, e.Score)
	}
	if deref(e.VectorsWait) {
		text.WriteString("    it waits to be indexed\n")
	}
}

// formatOutcome describes the outcome for an entry.
func formatOutcome(e *api.EntryExplanation) string {
	rank := ""
	if e.Rank != nil {
		rank = fmt.Sprintf(" %d", *e.Rank)
	}
	switch e.Outcome {
	case api.EntryExplanationOutcomeHit:
		return "a hit, at rank" + rank
	case api.EntryExplanationOutcomeBeyondLimit:
		return "beyond the limit, at rank" + rank
	case api.EntryExplanationOutcomeBeyondMaxTokens:
		return "beyond --max-tokens, at rank" + rank
	case api.EntryExplanationOutcomeBelowMinRelevance:
		return "less relevant than --min-relevance"
	case api.EntryExplanationOutcomeBeyondDepth:
		return "found, but not among the candidates"
	case api.EntryExplanationOutcomeNotRetrieved:
		if rank != "" {
			return "found by no leg; its score would have been rank" + rank
		}
		return "found by no leg"
	case api.EntryExplanationOutcomeNotInCursor:
		return "on an earlier page, or not among the candidates"
	case api.EntryExplanationOutcomeFiltered:
		return "does not pass " + plain(joined(deref(e.Options), ", "))
	case api.EntryExplanationOutcomeEncrypted:
		return "encrypted, no search finds it"
	case api.EntryExplanationOutcomeNotInContext:
		return "not in context, no search finds it"
	case api.EntryExplanationOutcomeStoreNotSearched:
		return "its store was not searched"
	case api.EntryExplanationOutcomeNotFound:
		return "not found"
	}
	return plain(string(e.Outcome))
}

// formatRank formats a hit's rank and score in one leg of the search (lexical or vector).
// It adds the wording of the question that found the hit in this leg, unless that is
// x.Wording.
func formatRank(x *api.Explain, r *api.LegRank) string {
	if r == nil {
		return "-"
	}
	by := ""
	switch {
	case r.Wording == nil:
	case *r.Wording == x.Wording:
		by = " by another part of the question"
	default:
		by = fmt.Sprintf(" by queries[%d]", *r.Wording)
	}
	return fmt.Sprintf("#%d (%.3f)%s", r.Rank, r.Score, by)
}

// formatJudgement formats a reranking service's score of a hit.
func formatJudgement(j *api.Judgement) string {
	if j.Rank == nil {
		return fmt.Sprintf("(%.3f)", j.Score)
	}
	return fmt.Sprintf("#%d (%.3f)", *j.Rank, j.Score)
}

// formatSummands formats the summands of a relevance.
func formatSummands(summands []api.Summand) string {
	parts := make([]string, len(summands))
	for i, s := range summands {
		parts[i] = fmt.Sprintf("%s %.3f", plain(s.Name), s.Value)
	}
	return strings.Join(parts, " + ")
}

// deref returns what p refers to, or a zero value.
func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// formatTime formats a time that a question names.
func formatTime(d api.NamedTime) string {
	formatted := "any time"
	switch {
	case d.From != nil && d.Until != nil:
		formatted = fmt.Sprintf("%s until before %s", d.From.Format(time.DateOnly), d.Until.Format(time.DateOnly))
	case d.From != nil:
		formatted = "from " + d.From.Format(time.DateOnly) + " on"
	case d.Until != nil:
		formatted = "before " + d.Until.Format(time.DateOnly)
	}
	if deref(d.AnyYear) {
		formatted += ", of any year"
	}
	return formatted
}
