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

// WriteRun writes a run as TREC's run file: question, "Q0", document, rank
// from 1, score and tag, separated by blanks; questions in byte order,
// documents in trec_eval's order. Ids and tag must be non-empty and without
// white space, scores numbers.
func WriteRun(w io.Writer, run Run, tag string) error {
	if err := checkWord(tag); err != nil {
		return fmt.Errorf("the tag %q %w", tag, err)
	}
	out := bufio.NewWriter(w)
	for _, query := range sortedKeys(run) {
		if err := checkWord(query); err != nil {
			return fmt.Errorf("the question %q %w", query, err)
		}
		for i, document := range ranked(run[query]) {
			if err := checkWord(document.ID); err != nil {
				return fmt.Errorf("the document %q %w", document.ID, err)
			}
			if math.IsNaN(document.Score) || math.IsInf(document.Score, 0) {
				return fmt.Errorf("the score of %q is not a number", document.ID)
			}
			score := strconv.FormatFloat(document.Score, 'g', -1, 64)
			fmt.Fprintf(out, "%s Q0 %s %d %s %s\n", query, document.ID, i+1, score, tag)
		}
	}
	return out.Flush()
}

// ReadRun reads TREC's run file. As in trec_eval the ranks in it do not count.
// An error names the line.
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
			return nil, fmt.Errorf("line %d: the score %q is not a number", number, columns[4])
		}
		if seen[[2]string{query, document}] {
			return nil, fmt.Errorf("line %d: %s comes twice for %s", number, document, query)
		}
		seen[[2]string{query, document}] = true
		run[query] = append(run[query], Scored{ID: document, Score: score})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	return run, nil
}

func checkWord(s string) error {
	if s == "" {
		return errors.New("is empty")
	}
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return errors.New("holds white space, which a run file cannot")
	}
	return nil
}

// sortedKeys makes sums and files the same on every run.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
