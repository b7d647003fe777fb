package relevance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// WriteRun writes a run in TREC format, a line for each document: query ID, "Q0",
// document ID, rank from 1, score and tag, separated by spaces. Queries are in
// byte order of their IDs, documents in trec_eval's order. IDs and tag must be
// non-empty and without white space, and scores finite.
func WriteRun(w io.Writer, run Run, tag string) error {
	if err := checkWord(tag); err != nil {
		return fmt.Errorf("the tag %q %w", tag, err)
	}
	out := bufio.NewWriter(w)
	for _, query := range sortedKeys(run) {
		if err := checkWord(query); err != nil {
			return fmt.Errorf("the query %q %w", query, err)
		}
		for i, document := range ranked(run[query]) {
			if err := checkWord(document.ID); err != nil {
				return fmt.Errorf("the document %q %w", document.ID, err)
			}
			if math.IsNaN(document.Score) || math.IsInf(document.Score, 0) {
				return fmt.Errorf("the score of %q is not finite", document.ID)
			}
			score := strconv.FormatFloat(document.Score, 'g', -1, 64)
			fmt.Fprintf(out, "%s Q0 %s %d %s %s\n", query, document.ID, i+1, score, tag)
		}
	}
	return out.Flush()
}

// ReadRun reads a run in TREC format. Like trec_eval it ignores the ranks. Errors
// name the line.
func ReadRun(r io.Reader) (Run, error) {
	run := Run{}
	seen := make(map[[2]string]bool)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	number := 0
	for lines.Scan() {
		number++
		columns := strings.Fields(lines.Text())
		if len(columns) == 0 {
			continue
		}
		if len(columns) != 6 {
			return nil, fmt.Errorf("line %d: %d columns, want 6", number, len(columns))
		}
		query, document := columns[0], columns[2]
		score, err := strconv.ParseFloat(columns[4], 64)
		if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
			return nil, fmt.Errorf("line %d: the score %q is not a finite number", number, columns[4])
		}
		if seen[[2]string{query, document}] {
			return nil, fmt.Errorf("line %d: duplicate document %s for %s", number, document, query)
		}
		seen[[2]string{query, document}] = true
		run[query] = append(run[query], Scored{ID: document, Score: score})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	return run, nil
}

// checkWord reports what keeps s from being a field of a run file.
func checkWord(s string) error {
	if s == "" {
		return errors.New("is empty")
	}
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return errors.New("contains white space, which a run file cannot represent")
	}
	return nil
}

// sortedKeys returns the keys in order, so that sums and files are reproducible.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
