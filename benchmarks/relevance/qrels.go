package relevance

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Qrels holds relevance judgements by query ID and document ID. A grade above 0
// means relevant; higher grades mean more relevant.
type Qrels map[string]map[string]int

// Answerable returns the queries with a relevant document, in byte order of
// their IDs.
func (q Qrels) Answerable() []string {
	var queries []string
	for _, query := range sortedKeys(q) {
		if len(q.relevant(query)) > 0 {
			queries = append(queries, query)
		}
	}
	return queries
}

// relevant returns the relevant documents of a query, in byte order.
func (q Qrels) relevant(query string) []string {
	var documents []string
	for _, document := range sortedKeys(q[query]) {
		if q[query][document] > 0 {
			documents = append(documents, document)
		}
	}
	return documents
}

// LoadQrels reads a file of judgements: a header line, and lines of query-id,
// corpus-id and score, separated by tabs. Errors name the line.
func LoadQrels(path string) (Qrels, error) { return readQrels(osFile(path), nil) }

// readQrels reads judgements. check, unless nil, may refuse one.
func readQrels(from file, check func(query, document string) error) (Qrels, error) {
	qrels := Qrels{}
	header := true
	err := from.readLines(func(line []byte) error {
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
		if check != nil {
			if err := check(query, document); err != nil {
				return err
			}
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
	if len(qrels.Answerable()) == 0 {
		return nil, fmt.Errorf("%s: no query has a relevant document", from.name)
	}
	return qrels, nil
}
