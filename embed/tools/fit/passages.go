package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"mneme/embed/e5"
)

// maxLine is the maximum length of a line of a .jsonl file, in bytes.
const maxLine = 16 << 20

// readPassages returns the documents of a BEIR corpus, each with its title on
// the first line, or the chunks of a text.
func readPassages(encoder *e5.Encoder, file string) ([]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(file) != ".jsonl" {
		return encoder.Split("", string(content)), nil
	}
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

// evenly returns at most limit of passages, evenly spaced.
func evenly(passages []string, limit int) []string {
	if len(passages) <= limit {
		return passages
	}
	chosen := make([]string, limit)
	for i := range chosen {
		chosen[i] = passages[i*len(passages)/limit]
	}
	return chosen
}
