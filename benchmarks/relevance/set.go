// Package relevance reads relevance sets in BEIR's layout and judges rankings
// by them with trec_eval's measures.
package relevance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Set is a collection of documents with questions and judgements.
type Set struct {
	Documents []Document // in the file's order
	Queries   []Query    // in the file's order
	Qrels     Qrels
}

// Document is a line of corpus.jsonl.
type Document struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Store scopes the document; "" in a set without stores.
	Store string `json:"store"`
}

// Body is the text that the document is searched by: the title, if there is
// one, on a line of its own before the text.
func (d Document) Body() string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + "\n" + d.Text
}

// Query is a line of queries.jsonl.
type Query struct {
	ID   string `json:"_id"`
	Text string `json:"text"`
	// Store is the one store that the question searches; "" for all.
	Store string `json:"store"`
}

// Qrels holds judgements: question, document, relevance. Above 0 is relevant,
// and higher is more so.
type Qrels map[string]map[string]int

// Load reads a folder with corpus.jsonl, queries.jsonl and qrels.tsv (or, as
// BEIR's own archives have it, qrels/test.tsv). Unknown members of the JSON
// lines are ignored. An error names the file and the line.
//
// A judgement may name a document that the corpus lacks: trec_eval counts it
// as relevant and not found, and so does Evaluate. It must name a known
// question.
func Load(dir string) (*Set, error) {
	set := &Set{Qrels: Qrels{}}
	documents := make(map[string]bool)
	err := readLines(filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var d Document
		if err := decodeLine(line, &d); err != nil {
			return err
		}
		set.Documents = append(set.Documents, d)
		return once(documents, d.ID)
	})
	if err != nil {
		return nil, err
	}
	queries := make(map[string]bool)
	err = readLines(filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		var q Query
		if err := decodeLine(line, &q); err != nil {
			return err
		}
		set.Queries = append(set.Queries, q)
		return once(queries, q.ID)
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "qrels.tsv")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(dir, "qrels", "test.tsv")
	}
	if set.Qrels, err = LoadQrels(path); err != nil {
		return nil, err
	}
	for query := range set.Qrels {
		if !queries[query] {
			return nil, fmt.Errorf("%s: judges the question %q, which queries.jsonl lacks", path, query)
		}
	}
	return set, nil
}

// LoadQrels reads judgements: query-id, corpus-id and score, separated by
// tabs, under a heading of these names.
func LoadQrels(path string) (Qrels, error) {
	qrels := Qrels{}
	heading := true
	err := readLines(path, func(line []byte) error {
		columns := strings.Split(string(line), "\t")
		if len(columns) != 3 {
			return fmt.Errorf("%d columns, want 3 separated by tabs", len(columns))
		}
		if heading {
			heading = false
			if columns[0] != "query-id" || columns[1] != "corpus-id" || columns[2] != "score" {
				return errors.New("the heading must be query-id, corpus-id, score")
			}
			return nil
		}
		query, document := columns[0], columns[1]
		if query == "" || document == "" {
			return errors.New("an empty id")
		}
		score, err := strconv.Atoi(columns[2])
		if err != nil {
			return fmt.Errorf("the score %q is not a whole number", columns[2])
		}
		if _, ok := qrels[query][document]; ok {
			return fmt.Errorf("%s and %s are judged twice", query, document)
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

// decodeLine reads a JSON object that has an _id.
func decodeLine(line []byte, into any) error {
	var head struct {
		ID string `json:"_id"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	if head.ID == "" {
		return errors.New("no _id")
	}
	return json.Unmarshal(line, into)
}

// once refuses an id that was seen before.
func once(seen map[string]bool, id string) error {
	if seen[id] {
		return fmt.Errorf("the _id %q comes twice", id)
	}
	seen[id] = true
	return nil
}

// readLines calls each for the lines of a file that are not blank, without
// their line ends, and puts file and line number before its error.
func readLines(path string, each func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading a relevance set: %w", err)
	}
	defer file.Close()
	reader := bufio.NewReaderSize(file, 1<<16)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
		if text := strings.TrimRight(string(line), "\r\n"); strings.TrimSpace(text) != "" {
			if err := each([]byte(text)); err != nil {
				return fmt.Errorf("%s:%d: %w", path, number, err)
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
