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
	goodCorpus  = "{\"_id\":\"d1\",\"title\":\"T\",\"text\":\"one\",\"store\":\"s\",\"metadata\":{}}\r\n\n{\"_id\":\"d2\",\"text\":\"two\",\"store\":\"s\"}"
	goodQueries = "{\"_id\":\"q1\",\"text\":\"one?\",\"store\":\"s\",\"category\":\"hop\",\"turn\":3,\"list\":[1],\"none\":null}\n"
	goodQrels   = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n"
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
		if fields := dataset.Queries[0].fields; fields["category"] != "hop" || fields["turn"] != "3" || fields["list"] != "" || len(fields) != 5 {
			t.Errorf("fields %v", fields)
		}
		if dataset.Qrels["q1"]["d1"] != 2 || len(dataset.Qrels["q1"]) != 2 {
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
		"id in another form": {"corpus.jsonl", "{\"_id\":\"caf\u00e9\"}\n{\"_id\":\"cafe\u0301\"}\n", `corpus.jsonl:2: _id "cafe\u0301" is "caf\u00e9" in another Unicode form`},
		"query twice":        {"queries.jsonl", goodQueries + goodQueries, "queries.jsonl:2:"},
		"no header":          {"qrels.tsv", "q1\td1\t1\n", "qrels.tsv:1: the header"},
		"two columns":        {"qrels.tsv", goodQrels + "q1\td1\n", "qrels.tsv:4: 2 columns"},
		"score not a number": {"qrels.tsv", goodQrels + "q1\td3\t1.5\n", "qrels.tsv:4:"},
		"judged twice":       {"qrels.tsv", goodQrels + "q1\td1\t1\n", "qrels.tsv:4:"},
		"empty id":           {"qrels.tsv", goodQrels + "\td1\t1\n", "qrels.tsv:4: empty id"},
		"unknown query":      {"qrels.tsv", goodQrels + "q9\td1\t1\n", `qrels.tsv:4: query "q9" is not in queries.jsonl`},
		"unknown document":   {"qrels.tsv", goodQrels + "q1\td9\t1\n", `qrels.tsv:4: document "d9" is not in the corpus`},
		"nothing relevant":   {"qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t0\n", "qrels.tsv: no query has a relevant document"},
		"no judgements":      {"qrels.tsv", "\n", "qrels.tsv: no query has a relevant document"},
		"no documents":       {"corpus.jsonl", "\n", "corpus.jsonl: no documents"},
		"no queries":         {"queries.jsonl", "\n", "queries.jsonl: no queries"},
		"query without text": {"queries.jsonl", goodQueries + `{"_id":"q2","text":" ","store":"s"}`, `queries.jsonl:2: query "q2" has no text`},
		"unknown store":      {"queries.jsonl", goodQueries + `{"_id":"q2","text":"x","store":"t"}`, "queries.jsonl:2:"},
		"no store":           {"queries.jsonl", goodQueries + `{"_id":"q2","text":"x"}`, "queries.jsonl:2:"},
		"missing file":       {"qrels.tsv", "", "qrels.tsv: no such file"},
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

func TestLoadReadsExportedEntries(t *testing.T) {
	dataset, err := Load(write(t, map[string]string{
		"memories.jsonl": `{"store_id":"a","namespace":"n","key":"k/1","value":{"x":"deep"},"description":"D","tags":["t"],"version":3}
{"store":"b","key":"k","value":"plain"}
{"store":"b","key":"sealed","value":"…","encrypted":true}
{"store":"b","key":"hidden","value":"…","in_context":false}
`,
		"queries.jsonl": `{"_id":"q","text":"?","store":"a"}`,
		"qrels.tsv":     "query-id\tcorpus-id\tscore\nq\ta/n/k/1\t1\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if d := dataset.Documents; len(d) != 2 || d[0].ID != "a/n/k/1" || !strings.Contains(d[0].Text, "deep") || *d[0].entry.Description != "D" ||
		d[1].ID != "b/k" || d[1].Text != "plain" {
		t.Errorf("got %+v", d)
	}
}
