package fit

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"mneme/embed/e5"
)

// maxLine is the maximum length of a line of a .jsonl file, in bytes.
const maxLine = 16 << 20

// The built-in texts were written for this project: paragraphs of its pages, in English,
// and short passages in thirty languages.
var (
	//go:embed texts.jsonl
	english []byte
	//go:embed multilingual.jsonl
	multilingual []byte
)

// Source is the name of the built-in texts in projections.
const Source = "mneme"

// BuiltIn returns the built-in texts that suit an encoder: the English ones if its tokenizer is
// WordPiece, and otherwise all of them.
func BuiltIn(encoder *e5.Encoder) []string {
	files := [][]byte{multilingual, english}
	if encoder.English() {
		files = files[1:]
	}
	var passages []string
	for _, file := range files {
		texts, err := corpus("the texts in the program", file)
		if err != nil {
			panic(err)
		}
		passages = append(passages, texts...)
	}
	return passages
}

// Read returns the passages in a file: if it is a BEIR corpus (.jsonl), its documents, each
// with its title on the first line; otherwise the chunks of its text.
func Read(encoder *e5.Encoder, file string) ([]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(file) != ".jsonl" {
		return encoder.Split("", string(content)), nil
	}
	return corpus(file, content)
}

// corpus returns the documents of a BEIR corpus.
func corpus(file string, content []byte) ([]string, error) {
	var passages []string
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var document struct{ Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &document); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", file, len(passages)+1, err)
		}
		if document.Title != "" {
			document.Text = document.Title + "\n" + document.Text
		}
		passages = append(passages, document.Text)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return passages, nil
}

// Evenly returns at most limit of passages, evenly spaced.
func Evenly(passages []string, limit int) []string {
	if len(passages) <= limit {
		return passages
	}
	chosen := make([]string, limit)
	for i := range chosen {
		chosen[i] = passages[i*len(passages)/limit]
	}
	return chosen
}
