package posting_test

import (
	"context"
	"fmt"

	"mneme/acl"
	"mneme/lexical"
	"mneme/lexical/posting"
)

// table stores aligned blocks, like a database table.
type table map[tableKey][]byte

type tableKey struct {
	posting.List
	start int64
}

func (t table) Append(_ context.Context, blocks []posting.Block) error {
	for _, b := range blocks {
		key := tableKey{b.List, b.Start}
		t[key] = append(t[key], b.Data...)
	}
	return nil
}

func (t table) Read(_ context.Context, blocks []posting.Block) error {
	for i, b := range blocks {
		blocks[i].Data = t[tableKey{b.List, b.Start}]
	}
	return nil
}

func (t table) Replace(_ context.Context, blocks []posting.Block) error {
	for _, b := range blocks {
		t[tableKey{b.List, b.Start}] = b.Data
	}
	return nil
}

func (t table) Delete(_ context.Context, blocks []posting.Block) error {
	for _, b := range blocks {
		delete(t, tableKey{b.List, b.Start})
	}
	return nil
}

// Three documents of one store are indexed and ranked for a query.
func Example() {
	ctx := context.Background()
	const store = 1
	texts := []string{"The cat sat on the mat.", "Dogs chase cats, cats chase mice.", "A quiet day."}

	// A transaction collects its changes and flushes them before it commits.
	index := table{}
	writer := posting.NewAlignedWriter()
	for doc, text := range texts {
		words := lexical.Analyze(text)
		_, err := writer.Replace(nil, &posting.Document{
			DocKey: posting.DocKey{Store: store, Doc: int64(doc)}, Label: acl.Public,
			Length: words.Length, Terms: posting.Aligned.EncodeTerms(words.Terms),
		})
		if err != nil {
			panic(err)
		}
	}
	totals := writer.TakeTotals()
	if err := writer.Flush(ctx, index); err != nil {
		panic(err)
	}

	// A query reads the totals and the blocks of its terms.
	evaluation := posting.NewEvaluation(posting.Aligned, lexical.ParseQuery("Which cats chase mice?"))
	defer evaluation.Close()
	for _, t := range totals {
		evaluation.AddTotal(t.Documents, t.Length)
	}
	for i, term := range evaluation.TermKeys() {
		data, ok := index[tableKey{posting.List{Store: store, Term: term, Label: acl.Public}, 0}]
		if !ok {
			continue
		}
		if err := evaluation.AddBlock(store, i, 0, data); err != nil {
			panic(err)
		}
	}
	ranked, err := evaluation.Rank(ctx, 10)
	if err != nil {
		panic(err)
	}
	for _, hit := range ranked {
		fmt.Printf("%.2f %s\n", hit.Score, texts[hit.Doc])
	}
	// Output:
	// 1.49 Dogs chase cats, cats chase mice.
	// 0.24 The cat sat on the mat.
}
