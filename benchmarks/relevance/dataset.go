// Package relevance measures the relevance of search results. It reads datasets in
// BEIR's layout, runs their queries on a backend, and evaluates the rankings with
// trec_eval's measures.
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
	"strings"
)

// Dataset is a collection of documents with queries and relevance judgements.
type Dataset struct {
	Documents []Document // in the file's order
	Queries   []Query    // in the file's order
	Qrels     Qrels
}

// Document is a line of corpus.jsonl.
type Document struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Store is the store of the document; "" in a dataset without stores.
	Store string `json:"store"`
}

// Body returns the document as one text: the title, if there is one, on a line
// before the text.
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
	// Store is the store that the query searches; "" if the dataset has no stores.
	Store string `json:"store"`
}

// Load reads a folder with corpus.jsonl, queries.jsonl and qrels.tsv (or
// qrels/test.tsv, as in BEIR's own archives). It ignores unknown fields of the
// JSON lines. Errors name the file and the line.
//
// Every judgement must name a known query. It may name a document that the
// corpus lacks: like trec_eval, Evaluate counts it as relevant and not found.
func Load(dir string) (*Dataset, error) {
	dataset := &Dataset{Qrels: Qrels{}}
	documents := make(map[string]bool)
	err := readLines(filepath.Join(dir, "corpus.jsonl"), func(line []byte) error {
		var d Document
		if err := decodeLine(line, &d); err != nil {
			return err
		}
		dataset.Documents = append(dataset.Documents, d)
		return checkUnique(documents, d.ID)
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
		dataset.Queries = append(dataset.Queries, q)
		return checkUnique(queries, q.ID)
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "qrels.tsv")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(dir, "qrels", "test.tsv")
	}
	if dataset.Qrels, err = LoadQrels(path); err != nil {
		return nil, err
	}
	for query := range dataset.Qrels {
		if !queries[query] {
			return nil, fmt.Errorf("%s: query %q is not in queries.jsonl", path, query)
		}
	}
	return dataset, nil
}

// decodeLine decodes a JSON object that has an _id.
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

// checkUnique returns an error if id was seen before.
func checkUnique(seen map[string]bool, id string) error {
	if seen[id] {
		return fmt.Errorf("duplicate _id %q", id)
	}
	seen[id] = true
	return nil
}

// readLines calls each for every line of a file that is not blank, without its
// line end. It prefixes errors with the file and the line number.
func readLines(path string, each func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read dataset: %w", err)
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
