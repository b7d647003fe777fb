package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/indexer"
	"mneme/internal/condition"
	"mneme/internal/workload"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/storagetest"
	"mneme/vector"
)

// The measurements of docs/decisions/0006-postgres.md:
//
//	go test ./storage/postgres -run '^$' -bench Storage -benchtime 1x -entries 200000
//
// and of docs/decisions/0032-conditions.md and 0033-match.md, in stores of 200 entries and
// in a single one:
//
//	go test ./storage/postgres -run '^$' -bench Where -benchtime 5x -entries 200000
//	go test ./storage/postgres -run '^$' -bench Where -benchtime 5x -entries 100000 -stores 1
var (
	entries = flag.Int("entries", 2000, "how many entries the benchmarks measure with")
	stores  = flag.Int("stores", 0, "among how many stores BenchmarkWhere and BenchmarkScore spread them; 0: 200 entries a store, and one")
	parts   = flag.Int("partitions", 0, "into how many partitions the tables are divided")
	forms   = flag.Bool("forms", true, "whether BenchmarkStorage imports the forms by which exact words are found")
)

func BenchmarkStorage(b *testing.B) {
	for _, stores := range []int{1, 1000} {
		b.Run(fmt.Sprintf("%d stores", stores), func(b *testing.B) {
			for range b.N {
				measure(b, openForSpeed(b), storagetest.Few(*entries), stores)
			}
		})
	}
}

// measure fills a database and logs its speed and size.
func measure(b *testing.B, s *Storage, entries, stores int) {
	ctx := b.Context()
	z := workload.NewZipf(1)
	var ids []uuid.UUID
	began := time.Now()
	for from := 0; from < entries; from += 100 {
		batch, docs := make([]memory.Entry, 100), make([]lexical.Document, 100)
		for i := range batch {
			batch[i], docs[i] = benchEntry(z, storeName((from+i)*stores/entries), fmt.Sprint("turn/", from+i))
			ids = append(ids, batch[i].ID)
		}
		must(b, s.Update(ctx, func(tx memory.Tx) error {
			for i := range batch {
				if err := tx.Put(ctx, batch[i], docs[i]); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	took := time.Since(began)
	b.Logf("import: %.1f s, %.0f entries/s", took.Seconds(), float64(entries)/took.Seconds())
	_, err := s.pool.Exec(ctx, "VACUUM ANALYZE")
	must(b, err)
	var size int64
	must(b, s.pool.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&size))
	b.Logf("disk: %d bytes per entry", size/int64(entries))
	names := make([]string, stores)
	for i := range names {
		names[i] = storeName(i)
	}
	for _, words := range []int{8, 12} {
		measureLeg(b, s, names[:1], words)
		if stores > 1 {
			measureLeg(b, s, names, words)
		}
	}
	b.Logf("single put: %s", times(200, func(i int) {
		e, doc := benchEntry(z, storeName(0), fmt.Sprint("single/", i))
		must(b, s.Update(ctx, func(tx memory.Tx) error { return tx.Put(ctx, e, doc) }))
	}))
	half := vector.ToHalf(make([]float32, 384))
	began = time.Now()
	embedded := ids[:min(len(ids), 20_000)]
	for batch := range slices.Chunk(embedded, 64) {
		must(b, s.ForIndexer().Update(ctx, func(tx indexer.Tx) error {
			for _, id := range batch {
				if _, err := tx.SaveVectors(ctx, id, 1, "model", []vector.Record{{Vector: half}}); err != nil {
					return err
				}
				if err := tx.Finish(ctx, indexer.Lease{Entry: id, Revision: 1}, nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	b.Logf("save vectors: %.0f/s", float64(len(embedded))/time.Since(began).Seconds())
	began = time.Now()
	must(b, s.ForIndexer().View(ctx, func(tx indexer.ReadTx) error {
		return tx.AllVectors(ctx, "model", func(vector.Record) error { return nil })
	}))
	b.Logf("all vectors: %.0f/s", float64(len(embedded))/time.Since(began).Seconds())
	scope := benchScope(b, s, names)
	for name, fn := range map[string]func(tx memory.ReadTx) error{
		"siblings of 400": func(tx memory.ReadTx) error {
			_, err := tx.Siblings(ctx, scope, ids[:400])
			return err
		},
		"get 10": func(tx memory.ReadTx) error { _, err := tx.Get(ctx, ids[:10]); return err },
		"scan 100": func(tx memory.ReadTx) error {
			_, err := tx.Scan(ctx, memory.ScanQuery{Store: storeName(0), Ceiling: acl.Restricted, Limit: 100})
			return err
		},
		"matching none by tag": func(tx memory.ReadTx) error {
			_, _, err := tx.Matching(ctx, scope, memory.Filter{Tags: []string{"none"}, Where: condition.Compare(condition.Encrypted, condition.Eq, condition.Bool(false))}, nil, 1000)
			return err
		},
	} {
		b.Logf("%s: %s", name, times(50, func(int) { must(b, s.View(ctx, fn)) }))
	}
}

func measureLeg(b *testing.B, s *Storage, stores []string, words int) {
	ctx := context.Background()
	scope := benchScope(b, s, stores)
	q := workload.NewZipf(2)
	b.Logf("lexical in %d stores, %d words: %s", len(stores), words, times(200, func(int) {
		terms := lexical.ParseQuery(q.Text(words))
		must(b, s.View(ctx, func(tx memory.ReadTx) error {
			_, _, err := tx.Lexical(ctx, scope, memory.LexicalQuery{Terms: terms, Limit: 256, Now: time.Now()})
			return err
		}))
	}))
}

func storeName(i int) string { return fmt.Sprint("store-", i) }

func benchEntry(z *workload.Zipf, store, key string) (memory.Entry, lexical.Document) {
	text := z.Text(20 + z.Random.IntN(20))
	e := newEntry(store, key)
	e.Value, _ = json.Marshal(text) // a string always marshals
	doc := lexical.Analyze(text)
	if !*forms {
		doc.Forms = nil
	}
	return e, doc
}

func benchScope(b *testing.B, s *Storage, stores []string) acl.Scope {
	facts := acltest.Facts{AgentSettings: map[string]acl.Settings{"reader": {Enabled: true}}}
	for _, store := range stores {
		facts.GrantList = append(facts.GrantList, acl.Grant{Store: store, Grantee: "reader", Level: acl.Search, MaxLabel: acl.Restricted, Label: acl.Public, Accepted: acl.Public, ByPlatform: true})
	}
	must(b, s.View(context.Background(), func(tx memory.ReadTx) (err error) {
		known, err := tx.StoreFacts(context.Background(), stores)
		facts.Numbers = make(map[string]int64)
		for store, of := range known {
			facts.Numbers[store] = of.Number
		}
		return err
	}))
	return facts.Scope(b, acl.Principal{Agent: "reader", Taint: acl.Restricted}, acl.ScopeRequest{})
}

// times formats the median and the 99th percentile of n runs.
func times(n int, run func(i int)) string {
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		run(i)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("p50 %.2f ms, p99 %.2f ms", ms(took[n/2]), ms(took[n*99/100]))
}

func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// openForSpeed opens an empty database with the number of partitions in the flag.
func openForSpeed(b *testing.B) *Storage {
	s, err := Open(b.Context(), postgrestest.Database(b), Options{Partitions: *parts})
	must(b, err)
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func BenchmarkScore(b *testing.B) {
	s := openForSpeed(b)
	storagetest.BenchmarkScore(b, s, storagetest.Few(*entries), cmp.Or(*stores, 1))
	var size int64
	must(b, s.pool.QueryRow(b.Context(), "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE oid = 'vector'::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'vector'::regclass)").Scan(&size))
	b.Logf("table vector: %d bytes per entry", size/int64(storagetest.Few(*entries)))
}

func BenchmarkWhere(b *testing.B) {
	storagetest.BenchmarkWhere(b, openForSpeed(b), storagetest.Few(*entries), cmp.Or(*stores, max(1, storagetest.Few(*entries)/200)))
}
