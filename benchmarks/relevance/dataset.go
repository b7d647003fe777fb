// Package relevance measures the relevance of search results. It reads datasets in
// BEIR's layout, runs their queries on a backend, evaluates the rankings with
// trec_eval's measures, and compares them with each other and with rankings of
// other systems.
package relevance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mneme/lexical"
	"mneme/memory"
)

// Dataset is a collection of documents with queries and relevance judgements.
type Dataset struct {
	Name      string     // base name of the folder
	Documents []Document // in the file's order
	Queries   []Query    // in the file's order
	Qrels     Qrels

	documents map[string]int    // index by ID
	forms     map[string]string // ID of a document by its NFC, the form of stored keys
	queries   map[string]int
	stores    map[string]int // number of documents
}

// Document is a line of corpus.jsonl or memories.jsonl.
type Document struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Store is the store of the document; "" in a dataset without stores.
	Store string `json:"store"`

	entry *entry // of memories.jsonl
}

// Body returns the document as one text: the title, if there is one, on a line
// before the text.
func (d Document) Body() string {
	if d.Title == "" {
		return d.Text
	}
	return d.Title + "\n" + d.Text
}

// entry is a line of memories.jsonl: what mneme export prints. Other fields are
// ignored.
type entry struct {
	Store       string          `json:"store"`
	StoreID     string          `json:"store_id"`
	Namespace   string          `json:"namespace"`
	Key         string          `json:"key"`
	Value       json.RawMessage `json:"value"`
	Type        *string         `json:"type"`
	Description *string         `json:"description"`
	OccurredAt  *string         `json:"occurred_at"`
	Tags        *[]string       `json:"tags"`
	InContext   *bool           `json:"in_context"`
	Encrypted   bool            `json:"encrypted"`
}

// document returns the entry as a document. Its ID is the path: store, namespace
// and key, joined by slashes, without those that are empty.
func (e *entry) document() Document {
	store := e.Store + e.StoreID // only one of the two is set
	return Document{ID: path.Join(store, e.Namespace, e.Key), Text: lexical.TextOf(e.Value), Store: store, entry: e}
}

// searchable reports whether a search may find the entry.
func (e *entry) searchable() bool { return !e.Encrypted && (e.InContext == nil || *e.InContext) }

// Query is a line of queries.jsonl.
type Query struct {
	ID   string
	Text string
	// Store is the store that the query searches; "" if the dataset has no stores.
	Store string
	// fields holds the line's strings, numbers and booleans, as text.
	fields map[string]string
}

// UnmarshalJSON decodes a line of queries.jsonl.
func (q *Query) UnmarshalJSON(line []byte) error {
	var known struct {
		ID    string `json:"_id"`
		Text  string `json:"text"`
		Store string `json:"store"`
	}
	if err := json.Unmarshal(line, &known); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return err
	}
	*q = Query{ID: known.ID, Text: known.Text, Store: known.Store, fields: make(map[string]string)}
	for name, raw := range all {
		var text string
		switch {
		case json.Unmarshal(raw, &text) == nil && string(raw) != "null":
			q.fields[name] = text
		case !strings.ContainsAny(string(raw[:1]), "[{n"):
			q.fields[name] = string(raw)
		}
	}
	return nil
}

// Load reads a folder with corpus.jsonl, queries.jsonl and qrels.tsv (or
// qrels/test.tsv, as in BEIR's own archives). In place of corpus.jsonl it may have
// memories.jsonl, the output of mneme export; entries that no search can find are
// left out. It ignores unknown fields of the JSON lines. Errors name the file and
// the line.
//
// Every judgement must name a known query and a known document, and every query
// must have a text and a store with documents.
func Load(dir string) (*Dataset, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("read dataset: %w", err)
	}
	return LoadFS(os.DirFS(dir), dir, filepath.Base(absolute))
}

// LoadFS is Load for a file system; dir is its path in errors, and name the
// dataset's.
func LoadFS(fsys fs.FS, dir, name string) (*Dataset, error) {
	d := &Dataset{
		Name: name, documents: make(map[string]int), forms: make(map[string]string), queries: make(map[string]int), stores: make(map[string]int),
	}
	in := func(name string) file { return file{fsys, name, filepath.Join(dir, filepath.FromSlash(name))} }
	corpus, each := in("corpus.jsonl"), d.addDocument
	if !corpus.exists() && in("memories.jsonl").exists() {
		corpus, each = in("memories.jsonl"), d.addEntry
	}
	if err := corpus.readLines(each); err != nil {
		return nil, err
	}
	if len(d.Documents) == 0 {
		return nil, fmt.Errorf("%s: no documents", corpus.name)
	}
	var err error
	if d.Queries, err = d.readQueries(in("queries.jsonl")); err != nil {
		return nil, err
	}
	for i, q := range d.Queries {
		d.queries[q.ID] = i
	}
	judgements := in("qrels.tsv")
	if alternative := in("qrels/test.tsv"); !judgements.exists() && alternative.exists() {
		judgements = alternative
	}
	if d.Qrels, err = readQrels(judgements, d.checkJudgement); err != nil {
		return nil, err
	}
	return d, nil
}

// UseQrels replaces the judgements by those of a file.
func (d *Dataset) UseQrels(path string) (err error) {
	d.Qrels, err = readQrels(osFile(path), d.checkJudgement)
	return err
}

// LoadQueries reads further queries over the dataset's documents.
func (d *Dataset) LoadQueries(path string) ([]Query, error) { return d.readQueries(osFile(path)) }

// Stores returns the number of stores with documents.
func (d *Dataset) Stores() int { return len(d.stores) }

func (d *Dataset) addDocument(line []byte) error {
	var one Document
	if err := json.Unmarshal(line, &one); err != nil {
		return err
	}
	if one.ID == "" {
		return errors.New("no _id")
	}
	return d.add(one)
}

func (d *Dataset) addEntry(line []byte) error {
	one := new(entry)
	if err := json.Unmarshal(line, one); err != nil {
		return err
	}
	if one.Key == "" {
		return errors.New("no key")
	}
	if !one.searchable() {
		return nil
	}
	return d.add(one.document())
}

func (d *Dataset) add(one Document) error {
	if _, ok := d.documents[one.ID]; ok {
		return fmt.Errorf("duplicate _id %q", one.ID)
	}
	form := memory.NormalName(one.ID)
	if other, ok := d.forms[form]; ok {
		return fmt.Errorf("_id %+q is %+q in another Unicode form", one.ID, other)
	}
	d.forms[form] = one.ID
	d.documents[one.ID] = len(d.Documents)
	d.stores[one.Store]++
	d.Documents = append(d.Documents, one)
	return nil
}

func (d *Dataset) readQueries(from file) (queries []Query, err error) {
	seen := make(map[string]bool)
	err = from.readLines(func(line []byte) error {
		var q Query
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		switch {
		case q.ID == "":
			return errors.New("no _id")
		case seen[q.ID]:
			return fmt.Errorf("duplicate _id %q", q.ID)
		case strings.TrimSpace(q.Text) == "":
			return fmt.Errorf("query %q has no text", q.ID)
		case d.stores[q.Store] == 0 && q.Store == "":
			return fmt.Errorf("query %q names no store, but every document has one", q.ID)
		case d.stores[q.Store] == 0:
			return fmt.Errorf("query %q names the store %q, which has no documents", q.ID, q.Store)
		}
		seen[q.ID] = true
		queries = append(queries, q)
		return nil
	})
	if err == nil && len(queries) == 0 {
		err = fmt.Errorf("%s: no queries", from.name)
	}
	return queries, err
}

func (d *Dataset) checkJudgement(query, document string) error {
	if _, ok := d.queries[query]; !ok {
		return fmt.Errorf("query %q is not in queries.jsonl", query)
	}
	if _, ok := d.documents[document]; !ok {
		return fmt.Errorf("document %q is not in the corpus", document)
	}
	return nil
}
