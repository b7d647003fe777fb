package relevance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes the files of a dataset and returns its folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	goodCorpus  = "{\"_id\":\"d1\",\"title\":\"T\",\"text\":\"one\",\"store\":\"s\",\"metadata\":{}}\r\n\n{\"_id\":\"d2\",\"text\":\"two\"}"
	goodQueries = "{\"_id\":\"q1\",\"text\":\"one?\",\"store\":\"s\"}\n"
	goodQrels   = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\tgone\t1\n"
)

func TestLoadReadsBEIRsLayout(t *testing.T) {
	for _, qrels := range []string{"qrels.tsv", "qrels/test.tsv"} {
		dataset, err := Load(write(t, map[string]string{"corpus.jsonl": goodCorpus, "queries.jsonl": goodQueries, qrels: goodQrels}))
		if err != nil {
			t.Fatal(err)
		}
		if len(dataset.Documents) != 2 || dataset.Documents[0].Store != "s" || dataset.Documents[0].Body() != "T\none" || dataset.Documents[1].Body() != "two" {
			t.Errorf("documents %+v", dataset.Documents)
		}
		if len(dataset.Queries) != 1 || dataset.Queries[0].Store != "s" {
			t.Errorf("queries %+v", dataset.Queries)
		}
		if dataset.Qrels["q1"]["d1"] != 2 || dataset.Qrels["q1"]["gone"] != 1 {
			t.Errorf("qrels %v", dataset.Qrels)
		}
	}
}

func TestLoadNamesTheInvalidLine(t *testing.T) {
	for name, bad := range map[string]struct{ file, text, want string }{
		"not JSON":           {"corpus.jsonl", goodCorpus + "\n{", "corpus.jsonl:4:"},
		"not an object":      {"corpus.jsonl", "[]\n", "corpus.jsonl:1:"},
		"wrong type":         {"corpus.jsonl", `{"_id":"d","text":3}`, "corpus.jsonl:1:"},
		"no id":              {"corpus.jsonl", `{"text":"x"}`, "corpus.jsonl:1: no _id"},
		"id twice":           {"corpus.jsonl", "{\"_id\":\"d\"}\n{\"_id\":\"d\"}\n", "corpus.jsonl:2:"},
		"query twice":        {"queries.jsonl", goodQueries + goodQueries, "queries.jsonl:2:"},
		"no header":          {"qrels.tsv", "q1\td1\t1\n", "qrels.tsv:1: the header"},
		"two columns":        {"qrels.tsv", goodQrels + "q1\td1\n", "qrels.tsv:4: 2 columns"},
		"score not a number": {"qrels.tsv", goodQrels + "q1\td3\t1.5\n", "qrels.tsv:4:"},
		"judged twice":       {"qrels.tsv", goodQrels + "q1\td1\t1\n", "qrels.tsv:4:"},
		"empty id":           {"qrels.tsv", goodQrels + "\td1\t1\n", "qrels.tsv:4: empty id"},
		"unknown query":      {"qrels.tsv", goodQrels + "q9\td1\t1\n", `"q9"`},
		"missing file":       {"qrels.tsv", "", "qrels"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"corpus.jsonl": goodCorpus, "queries.jsonl": goodQueries, "qrels.tsv": goodQrels}
			files[bad.file] = bad.text
			if bad.text == "" {
				delete(files, bad.file)
			}
			_, err := Load(write(t, files))
			if err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("got %v, want %s", err, bad.want)
			}
		})
	}
}
