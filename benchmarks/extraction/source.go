package extraction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"mneme/benchmarks/relevance"
	"mneme/examples/samples"
	"mneme/internal/workload"
)

// Generated returns a store of n generated memories, and a question about every
// fifth of them.
func Generated(seed uint64, entries int) Source {
	s := Source{Name: fmt.Sprintf("%d generated memories", entries)}
	for i := range entries {
		m := workload.NewMemory(seed, i)
		s.Texts = append(s.Texts, m.Text())
		if i%5 == 0 {
			s.Questions = append(s.Questions, m.Question())
		}
	}
	return s
}

// FromDataset returns the documents of a dataset as one store, and its queries.
func FromDataset(d *relevance.Dataset) Source {
	s := Source{Name: d.Name}
	for _, document := range d.Documents {
		s.Texts = append(s.Texts, document.Body())
	}
	for _, query := range d.Queries {
		s.Questions = append(s.Questions, query.Text)
	}
	return s
}

// dictionary returns the words that a buyer knows in advance: those of the sample
// memories and their questions, in alphabetical order.
func dictionary() ([]string, error) {
	var words []string
	for _, name := range []string{"memories.jsonl", "queries.jsonl", "unanswerable.jsonl"} {
		text, err := samples.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var fields struct{ Text, Description string }
			var value struct{ Value json.RawMessage }
			if err := json.Unmarshal(line, &fields); err != nil {
				return nil, err
			}
			_ = json.Unmarshal(line, &value) // questions have none
			var text string
			_ = json.Unmarshal(value.Value, &text) // only values that are strings have words
			words = append(words, wordsOf(fields.Text+" "+fields.Description+" "+text)...)
		}
	}
	slices.Sort(words)
	return slices.Compact(words), nil
}
