// Package samples holds the sample memories and questions about them with
// judgements: a small dataset for mneme bench relevance. mneme demo shows the
// memories, and the memories of one more agent, which sells searches.
package samples

import "embed"

// Files are the files of the dataset: memories.jsonl, queries.jsonl, qrels.tsv and
// unanswerable.jsonl; and demo.jsonl, of the demo alone.
//
//go:embed memories.jsonl demo.jsonl queries.jsonl qrels.tsv unanswerable.jsonl
var Files embed.FS
