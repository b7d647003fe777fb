package storagetest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/internal/condition"
	"mneme/internal/workload"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage"
	"mneme/vector"
)

// Few returns how many of n entries a benchmark uses: with -short, at most 500.
func Few(n int) int {
	if testing.Short() {
		return min(n, 500)
	}
	return n
}

// BenchmarkScore measures the reads of a search in several stores: reading the scope, ranking by
// the words of several queries in turns, and reading the data of the first 100 hits of one
// query. The entries have 20 to 40 words, and each has one vector of 384 dimensions with the
// codes of as many tokens. Then it measures reading all vectors without their codes.
func BenchmarkScore(b *testing.B, s storage.Storage, entries, stores int) {
	ctx := b.Context()
	z, model := workload.NewZipf(1), "model"
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	var all []memory.Entry
	for i := range entries {
		all = append(all, entry(fmt.Sprint("store-", i*stores/entries), fmt.Sprint(i), says(z.Text(20+z.Random.IntN(20)))))
	}
	for batch := range slices.Chunk(all, 100) {
		check(s.Update(ctx, func(tx memory.Tx) error { return put(ctx, tx, batch...) }))
		check(s.ForIndexer().Update(ctx, func(tx indexer.Tx) error {
			for _, e := range batch {
				if _, err := tx.SaveVectors(ctx, e.ID, 1, model, []vector.Record{benchRecord(z.Random, words(e).Length)}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	reaches := make([]reach, stores)
	for i := range reaches {
		reaches[i] = reach{fmt.Sprint("store-", i), acl.Restricted}
	}
	check(s.Update(ctx, func(tx memory.Tx) error {
		for _, r := range reaches {
			grant := acl.Grant{Store: r.store, Grantee: "reader", Level: acl.Read, MaxLabel: acl.Restricted, Label: acl.Public, Accepted: acl.Public, ByPlatform: true, CreatedAt: start}
			if err := tx.PutGrant(ctx, grant); err != nil {
				return err
			}
		}
		return nil
	}))
	scope := scopeOf(b, s, reaches...)
	view := func(name string, fn func(tx memory.ReadTx) error) {
		b.Run(name, func(b *testing.B) {
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				began := time.Now()
				check(s.View(ctx, fn))
				best = min(best, time.Since(began))
			}
			b.ReportMetric(float64(best.Microseconds()), "best-µs") // the one least disturbed by other load
		})
	}
	var queries []memory.LexicalQuery
	for words := workload.NewZipf(2); len(queries) < 20; {
		queries = append(queries, memory.LexicalQuery{Terms: lexical.ParseQuery(words.Text(10)), Limit: 256, Now: start})
	}
	query, asked := queries[0], 0
	var ids []uuid.UUID
	var chunks []vector.ChunkID
	check(s.View(ctx, func(tx memory.ReadTx) error {
		hits, _, err := tx.Lexical(ctx, scope, query)
		for _, hit := range hits[:min(100, len(hits))] {
			ids, chunks = append(ids, hit.Entry), append(chunks, vector.ChunkID{Entry: hit.Entry})
		}
		return err
	}))
	view("scope", func(tx memory.ReadTx) error {
		_, err := acl.NewScope(ctx, tx, acl.Principal{Agent: "reader", Taint: acl.Restricted}, acl.ScopeRequest{}, start)
		return err
	})
	view("lexical", func(tx memory.ReadTx) error {
		asked++
		_, _, err := tx.Lexical(ctx, scope, queries[asked%len(queries)])
		return err
	})
	view(fmt.Sprint("siblings of ", len(ids)), func(tx memory.ReadTx) error {
		_, err := tx.Siblings(ctx, scope, ids)
		return err
	})
	view(fmt.Sprint("evidence of ", len(ids)), func(tx memory.ReadTx) error {
		query := memory.EvidenceQuery{Fingerprints: [2]string{model}, Entries: ids}
		return tx.Evidence(ctx, scope, query, func(memory.Evidence) error { return nil })
	})
	view(fmt.Sprint("codes of ", len(ids)), func(tx memory.ReadTx) error { _, err := tx.ChunkCodes(ctx, scope, model, chunks); return err })
	view("all vectors", func(tx memory.ReadTx) error {
		return tx.(indexer.ReadTx).AllVectors(ctx, model, func(vector.Record) error { return nil })
	})
}

// benchRecord returns a random vector with the codes of n tokens.
func benchRecord(r *rand.Rand, n int) vector.Record {
	record := vector.Record{Vector: vector.ToHalf(workload.Direction(r, 384)), Codes: make([]byte, 32*n)}
	for i := range record.Codes {
		record.Codes[i] = byte(r.Uint32())
	}
	return record
}

// BenchmarkWhere measures Matching by conditions and exact words, in several stores and in one,
// over entries of a year whose values are objects of about 200 bytes.
func BenchmarkWhere(b *testing.B, s storage.Storage, entries, stores int) {
	ctx := b.Context()
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	z := workload.NewZipf(1)
	var batch []memory.Entry
	for i := range entries {
		e := entry(fmt.Sprint("store-", i%stores), fmt.Sprint("key/", i), tagged(fmt.Sprint("tag-", i%1000)), func(e *memory.Entry) {
			e.Value, _ = json.Marshal(map[string]any{"n": i % 10_000, "open": i%2 == 0, "text": z.Text(25)}) // always marshals
			e.UpdatedAt = after(-365 * 24 * time.Hour / time.Duration(entries) * time.Duration(i))
		})
		if batch = append(batch, e); len(batch) == 500 || i == entries-1 {
			check(s.Update(ctx, func(tx memory.Tx) error { return put(ctx, tx, batch...) }))
			batch = nil
		}
	}
	reaches := make([]reach, stores)
	for i := range reaches {
		reaches[i] = reach{fmt.Sprint("store-", i), acl.Restricted}
	}
	scopes := [][]reach{reaches, reaches[:1]}
	if stores == 1 {
		scopes = scopes[:1]
	}
	for _, in := range scopes {
		scope := scopeOf(b, s, in...)
		var filters []memory.Filter
		for _, where := range []string{
			`{"tags":{"contains":"tag-7"}}`, `{"updated_at":{"gte":"now-1d"}}`, `{"updated_at":{"gte":"now-180d"}}`,
			`{"key":{"contains":"/77777"}}`, `{"value.n":{"eq":77}}`, `{"value.open":{"eq":true}}`,
			`{"tags":{"contains":"tag-7"},"value.n":{"lt":5000}}`, `{"updated_at":{"gte":"now-1d"},"value.open":{"eq":true}}`,
		} {
			filters = append(filters, whereFilter(b, where))
		}
		// w0x is in most entries, w50x in some per cent of them, and w2000x in some per mille.
		for _, items := range [][]string{{"w0x"}, {"w50x"}, {"w2000x"}, {"w0x", "w2000x"}, {"w0x w1x"}, {"w0x w2000x"}, {"w20*"}} {
			filters = append(filters, memory.Filter{Match: newMatch(items, nil, nil)})
		}
		filters = append(filters, memory.Filter{Match: newMatch(nil, nil, []string{"w0x"})})
		for _, filter := range filters {
			name := asJSON(filter)
			filter.Where = condition.All(filter.Where, condition.Compare(condition.Encrypted, condition.Eq, condition.Bool(false)))
			b.Run(fmt.Sprintf("%d stores/%s", len(in), name), func(b *testing.B) {
				best, found := time.Duration(math.MaxInt64), ""
				for b.Loop() {
					began := time.Now()
					check(s.View(ctx, func(tx memory.ReadTx) error {
						ids, more, err := tx.Matching(ctx, scope, filter, nil, vector.MaxOnly)
						found = fmt.Sprint(len(ids), " found, more: ", more)
						return err
					}))
					best = min(best, time.Since(began))
				}
				b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
				b.Log(found)
			})
		}
	}
}
