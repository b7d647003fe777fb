package relevance

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Qrels holds relevance judgements by query ID and document ID. A grade above 0
// is relevant, and a higher one more so.
type Qrels map[string]map[string]int

// LoadQrels reads a file of judgements: a header line, and lines of query-id,
// corpus-id and score, separated by tabs. Errors name the line.
func LoadQrels(path string) (Qrels, error) {
	qrels := Qrels{}
	header := true
	err := readLines(path, func(line []byte) error {
		columns := strings.Split(string(line), "\t")
		if len(columns) != 3 {
			return fmt.Errorf("%d columns, want 3 separated by tabs", len(columns))
		}
		if header {
			header = false
			if columns[0] != "query-id" || columns[1] != "corpus-id" || columns[2] != "score" {
				return errors.New("the header must be query-id, corpus-id, score")
			}
			return nil
		}
		query, document := columns[0], columns[1]
		if query == "" || document == "" {
			return errors.New("empty id")
		}
		score, err := strconv.Atoi(columns[2])
		if err != nil {
			return fmt.Errorf("the score %q is not an integer", columns[2])
		}
		if _, ok := qrels[query][document]; ok {
			return fmt.Errorf("duplicate judgement of %s and %s", query, document)
		}
		if qrels[query] == nil {
			qrels[query] = make(map[string]int)
		}
		qrels[query][document] = score
		return nil
	})
	if err != nil {
		return nil, err
	}
	return qrels, nil
}
