package lexical_test

import (
	"fmt"
	"slices"
	"strings"

	"mneme/lexical"
)

// A search over three documents: analyze them, count the statistics, and score
// each document for the query.
func Example() {
	texts := []string{
		"Caroline went to an LGBTQ support group yesterday.",
		"Melanie painted a sunrise over the lake last year.",
		"The support team answers within a day.",
	}
	// The documents, and the count of each term in each of them.
	documents := make([]lexical.Document, len(texts))
	counts := make([]map[string]int, len(texts))
	stats := lexical.Stats{Documents: int64(len(texts))}
	for i, text := range texts {
		documents[i] = lexical.Analyze(text)
		counts[i] = make(map[string]int)
		for _, term := range documents[i].Terms {
			counts[i][term.Text] = term.Count
		}
		stats.Length += int64(documents[i].Length)
	}

	// The query's terms, and the number of documents that contain each.
	query := lexical.ParseQuery("When did Caroline go to the support groups?")
	df := make([]int64, len(query))
	for i, term := range query {
		for _, c := range counts {
			if c[term.Text] > 0 {
				df[i]++
			}
		}
	}

	// A document's score is the sum over the query's terms, in their order.
	scorer := lexical.NewScorer(stats, query, df)
	for i, text := range texts {
		score := 0.0
		for t, term := range query {
			score += scorer.Term(t, counts[i][term.Text], documents[i].Length)
		}
		fmt.Printf("%.3f %s\n", score, text)
	}
	// Output:
	// 1.796 Caroline went to an LGBTQ support group yesterday.
	// 0.000 Melanie painted a sunrise over the lake last year.
	// 0.250 The support team answers within a day.
}

// Analyze folds, splits and stems. Inflections share a term, and compounds are
// found whole and by their parts.
func ExampleAnalyze() {
	for _, text := range []string{
		"She went; they are going",
		"Crème brûlée, e-mail, getUserName",
		"v1.2.3 costs 1,000.50",
		"東京",
	} {
		var terms []string
		for _, term := range lexical.Analyze(text).Terms {
			terms = append(terms, term.Text)
		}
		fmt.Println(strings.Join(terms, " "))
	}
	// Output:
	// are go she they
	// brule creme e email get getusernam mail name user
	// 1.2.3 1000.5 1000.50 cost
	// 东 东京 京
}

// ParseQuery leaves out the stop words of the query's language. A capitalized
// word within a sentence is a name, not a stop word.
func ExampleParseQuery() {
	for _, query := range []string{
		"What did Will do in the US in May?",
		"¿Cuándo fue el terremoto de Chile?",
		"who are you",
	} {
		var terms []string
		for _, term := range lexical.ParseQuery(query) {
			terms = append(terms, term.Text)
		}
		fmt.Println(terms, slices.IsSorted(terms))
	}
	// Output:
	// [may us will] true
	// [chile terremoto ~chil ~chile ~terremot ~terremoto] true
	// [are who you] true
}

// TextOf extracts what is searched from a JSON value; KeyWords splits a key.
func ExampleTextOf() {
	fmt.Printf("%q\n", lexical.TextOf([]byte(`{"name": "Ada", "pets": ["Otto", "Mia"], "age": 36}`)))
	fmt.Printf("%q\n", lexical.KeyWords("projects/buildStatus_v2"))
	// Output:
	// "name: Ada\npets\nOtto\nMia\nage: 36"
	// "projects build Status v2"
}
