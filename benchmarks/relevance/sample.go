package relevance

import "mneme/examples/samples"

// sampleSlice is the field by which the samples' queries are grouped.
const sampleSlice = "category"

// Samples returns the set of questions about the sample memories, which is part of
// the program, and the fields by which its queries are grouped.
func Samples() (*Set, []string, error) {
	dataset, err := LoadFS(samples.Files, "samples", "samples")
	if err != nil {
		return nil, nil, err
	}
	set := &Set{Dataset: dataset, WrongStore: true}
	set.Unanswerable, err = dataset.readQueries(file{samples.Files, "unanswerable.jsonl", "samples/unanswerable.jsonl"})
	return set, []string{sampleSlice}, err
}
