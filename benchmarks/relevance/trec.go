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

// ReadRun reads a run in TREC format and the tag of its first line. Like trec_eval
// it ignores the ranks. Errors name the file and the line.
func ReadRun(path string) (run Run, tag string, err error) {
	run = Run{}
	seen := make(map[[2]string]bool)
	err = osFile(path).readLines(func(line []byte) error {
		columns := strings.Fields(string(line))
		if len(columns) != 6 {
			return fmt.Errorf("%d columns, want 6: query, Q0, document, rank, score, tag", len(columns))
		}
		query, document := columns[0], columns[2]
		score, err := strconv.ParseFloat(columns[4], 64)
		if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
			return fmt.Errorf("the score %q is not a finite number", columns[4])
		}
		if seen[[2]string{query, document}] {
			return fmt.Errorf("duplicate document %s for %s", document, query)
		}
		seen[[2]string{query, document}] = true
		run[query] = append(run[query], Scored{ID: document, Score: score})
		if tag == "" {
			tag = columns[5]
		}
		return nil
	})
	if err == nil && len(run) == 0 {
		err = fmt.Errorf("%s: no lines", path)
	}
	if err != nil {
		return nil, "", err
	}
	return run, tag, nil
}

// checkWord returns an error if s cannot be a field of a run file.
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
