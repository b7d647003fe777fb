// Package samples holds the sample memories and questions about them with
// judgements: a small dataset for mneme bench relevance.
package samples

import "embed"

// Files are the files of the dataset: memories.jsonl, queries.jsonl, qrels.tsv and
// unanswerable.jsonl.
//
//go:embed memories.jsonl queries.jsonl qrels.tsv unanswerable.jsonl
var Files embed.FS
