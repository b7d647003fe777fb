package relevance_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/benchmarks/harness"
	"mneme/benchmarks/relevance"
	"mneme/embed/e5"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// The figures of docs/decisions/0034-passages.md:
//
//	go test ./benchmarks/relevance -run '^$' -bench Passages -benchtime 1x -timeout 1h -passages locomo -group session
//	go test ./benchmarks/relevance -run '^$' -bench Passages -benchtime 1x -timeout 1h -passages xquad-r-dev -group article -every 4
var (
	passagesOf = flag.String("passages", "", "the folder of the dataset of BenchmarkPassages")
	groupBy    = flag.String("group", "session", "the field of a document by which documents of a store are one value")
	every      = flag.Int("every", 1, "ask each so many questions")
)

// BenchmarkPassages measures how often the passages shown of a long value contain the whole
// answer. Documents of the same store and group form one value: the title of the first, followed
// by the texts, one per line. For each question and each value with a judged document, the
// answer counts if one of these documents is entirely within the shown text.
func BenchmarkPassages(b *testing.B) {
	if *passagesOf == "" {
		b.Skip("-passages names no dataset")
	}
	set, err := relevance.Load(*passagesOf)
	if err != nil {
		b.Fatal(err)
	}
	encoder, err := e5.New(e5.Options{Codes: true})
	if err != nil {
		b.Fatal(err)
	}
	f := backendtest.Open(b, backendtest.Embedded(), backendtest.Options{}, encoder)
	texts, paths := grouped(b, filepath.Join(*passagesOf, "corpus.jsonl"))
	for path, text := range texts {
		put(b, f.Service, path, text)
	}
	f.Index()
	for b.Loop() {
		stores := map[string]*shares{}
		for i, q := range set.Queries {
			if i%*every != 0 {
				continue
			}
			answers := map[memory.Path][]string{}
			for id, grade := range set.Qrels[q.ID] {
				if grade > 0 {
					d := paths[id]
					answers[d.path] = append(answers[d.path], d.text)
				}
			}
			ask(b, f.Searcher, q, answers, func(whole bool, shown int) {
				for _, name := range []string{"all", q.Store} {
					if stores[name] == nil {
						stores[name] = &shares{}
					}
					stores[name].add(whole, shown)
				}
			})
		}
		for name, s := range stores {
			b.Logf("%s: %.3f of %d answers are whole within what is shown, %.0f bytes", name, float64(s.whole)/float64(s.asked), s.asked, float64(s.bytes)/float64(s.found))
		}
		b.ReportMetric(float64(stores["all"].whole)/float64(stores["all"].asked), "share")
	}
}

// shares counts answers.
type shares struct{ asked, found, whole, bytes int }

// add counts an answer. shown is the length of the shown text, in bytes; 0: no
// hit.
func (s *shares) add(whole bool, shown int) {
	s.asked++
	if whole {
		s.whole++
	}
	if shown > 0 {
		s.found++
		s.bytes += shown
	}
}

// document is a document and the path of the value that contains it.
type document struct {
	path memory.Path
	text string
}

// grouped reads a corpus: the values, and each document by its ID.
func grouped(b *testing.B, name string) (map[memory.Path]string, map[string]document) {
	b.Helper()
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	texts, documents := map[memory.Path]string{}, map[string]document{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var d relevance.Document
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			b.Fatal(err)
		}
		if err := json.Unmarshal(lines.Bytes(), &fields); err != nil {
			b.Fatal(err)
		}
		path := memory.Path{Store: d.Store, Key: *groupBy + "/" + strings.Trim(string(fields[*groupBy]), `"`)}
		if texts[path] == "" {
			texts[path] = d.Body()
		} else {
			texts[path] += "\n" + d.Text
		}
		documents[d.ID] = document{path, d.Text}
	}
	if err := lines.Err(); err != nil {
		b.Fatal(err)
	}
	return texts, documents
}

func put(b *testing.B, service *memory.Service, path memory.Path, text string) {
	b.Helper()
	owner := memory.Caller{Principal: acl.Principal{Agent: path.Store, Taint: acl.Public}}
	if _, err := service.Put(b.Context(), owner, harness.NewText(path.Store, path.Key, text)); err != nil {
		b.Fatal(err)
	}
}

// ask searches the question's store, and calls count for each value with answers.
func ask(b *testing.B, searcher *search.Searcher, q relevance.Query, answers map[memory.Path][]string, count func(whole bool, shown int)) {
	b.Helper()
	agent := memory.Caller{Principal: acl.Principal{Agent: q.Store, Taint: acl.Public}}
	a, err := searcher.Search(b.Context(), agent, search.Request{Query: q.Text, Limit: 100, Passages: true})
	if err != nil {
		b.Fatal(err)
	}
	shown := map[memory.Path][]string{}
	if err := a.Values().Each(b.Context(), func(h *search.Hit) error {
		for _, p := range h.Passages {
			shown[h.Path] = append(shown[h.Path], p.Text)
		}
		if h.Passages != nil {
			return nil
		}
		var text string
		err := json.Unmarshal(h.Value, &text)
		shown[h.Path] = []string{text}
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for path, texts := range answers {
		whole, bytes := false, 0
		for _, passage := range shown[path] {
			bytes += len(passage)
			for _, text := range texts {
				whole = whole || strings.Contains(passage, strings.TrimSpace(text))
			}
		}
		count(whole, bytes)
	}
}
