package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/indexer"
	"mneme/internal/condition"
	"mneme/internal/system"
	"mneme/internal/workload"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/storagetest"
	"mneme/vector"
)

// The measurements of docs/decisions/0003-sqlite-postings.md:
//
//	go test ./storage/sqlite -run '^$' -bench Storage -benchtime 1x -entries 100000
//
// and of docs/decisions/0032-conditions.md and 0033-match.md, in stores of 200 entries and
// in a single one:
//
//	go test ./storage/sqlite -run '^$' -bench Where -benchtime 5x -entries 200000
//	go test ./storage/sqlite -run '^$' -bench Where -benchtime 5x -entries 100000 -stores 1
var (
	entries = flag.Int("entries", 2000, "how many entries the benchmarks measure with")
	stores  = flag.Int("stores", 0, "among how many stores BenchmarkWhere and BenchmarkScore spread them; 0: 200 entries a store, and one")
	forms   = flag.Bool("forms", true, "whether BenchmarkStorage imports the forms by which exact words are found")
)

func BenchmarkStorage(b *testing.B) {
	for _, stores := range []int{1, 1000} {
		b.Run(fmt.Sprintf("%d stores", stores), func(b *testing.B) {
			for range b.N {
				measure(b, storagetest.Few(*entries), stores)
			}
		})
	}
}

// measure fills a database and logs its speed and size.
func measure(t *testing.B, entries, stores int) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	defer func() { _ = s.Close() }()
	z := workload.NewZipf(1)
	now := time.Now()
	var ids []uuid.UUID
	began, longest, before := time.Now(), time.Duration(0), system.ProcessTime()
	var analysis time.Duration
	for from := 0; from < entries; from += 100 {
		batch := make([]memory.Entry, 100)
		docs := make([]lexical.Document, 100)
		for i := range batch {
			text := z.Text(20 + z.Random.IntN(20))
			value, _ := json.Marshal(text)
			store := fmt.Sprint("store-", 1+(from+i)*stores/entries)
			batch[i] = memory.Entry{ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: store, Key: fmt.Sprint("turn/", from+i)},
				Owner: store, Label: acl.Public, Value: value, InContext: true, Version: 1, Revision: 1, CreatedAt: now, UpdatedAt: now, UpdatedBy: store}
			ids = append(ids, batch[i].ID)
			a := time.Now()
			docs[i] = lexical.Analyze(text)
			analysis += time.Since(a)
			if !*forms {
				docs[i].Forms = nil
			}
		}
		one := time.Now()
		if err := s.Update(ctx, func(tx memory.Tx) error {
			for i := range batch {
				if err := tx.Put(ctx, batch[i], docs[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		longest = max(longest, time.Since(one))
	}
	took := time.Since(began)
	t.Logf("import: %.1f s (%.1f s of CPU), %.0f entries/s, longest transaction %d ms, analysis %.1f s",
		took.Seconds(), (system.ProcessTime() - before).Seconds(), float64(entries)/took.Seconds(), longest.Milliseconds(), analysis.Seconds())
	size := func() int64 {
		var n int64
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(path + suffix); err == nil {
				n += info.Size()
			}
		}
		return n
	}
	t.Logf("disk: %d bytes per entry", size()/int64(entries))
	s.logTableSizes(t)

	var one, all []acltest.Reach
	for i := range stores {
		all = append(all, acltest.Reach{Number: int64(i + 1), Ceiling: acl.Restricted})
	}
	one = all[:1]
	lexicalTimes := func(name string, reaches []acltest.Reach, words int) {
		scope := acltest.Scope(t, reaches...)
		q := workload.NewZipf(2)
		var took []time.Duration
		hits, before := 0, system.ProcessTime()
		for range 300 {
			terms := lexical.ParseQuery(q.Text(words))
			a := time.Now()
			if err := s.View(ctx, func(tx memory.ReadTx) error {
				found, _, err := tx.Lexical(ctx, scope, memory.LexicalQuery{Terms: terms, Limit: 200, Now: now})
				hits += len(found)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(a))
		}
		slices.Sort(took)
		t.Logf("%s, %d words: p50 %.2f ms, p99 %.2f ms (%.2f ms of CPU), %d hits", name, words,
			ms(took[len(took)/2]), ms(took[len(took)*99/100]), ms((system.ProcessTime()-before)/300), hits/300)
	}
	for _, words := range []int{8, 12} {
		lexicalTimes("lexical, one store", one, words)
		if stores > 1 {
			lexicalTimes(fmt.Sprintf("lexical, %d stores", stores), all, words)
		}
	}

	var single []time.Duration
	for i := range 200 {
		text := z.Text(30)
		value, _ := json.Marshal(text)
		e := memory.Entry{ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: "store-1", Key: fmt.Sprint("single/", i)}, Owner: "x", Label: acl.Public,
			Value: value, InContext: true, Version: 1, Revision: 1, CreatedAt: now, UpdatedAt: now}
		doc := lexical.Analyze(text)
		a := time.Now()
		if err := s.Update(ctx, func(tx memory.Tx) error { return tx.Put(ctx, e, doc) }); err != nil {
			t.Fatal(err)
		}
		single = append(single, time.Since(a))
	}
	slices.Sort(single)
	t.Logf("single put: p50 %.2f ms, p99 %.2f ms", ms(single[100]), ms(single[197]))

	half := vector.ToHalf(make([]float32, 384))
	began = time.Now()
	for from := 0; from < entries; from += 64 {
		batch := ids[from:min(from+64, entries)]
		if err := s.ForIndexer().Update(ctx, func(tx indexer.Tx) error {
			for _, id := range batch {
				if _, err := tx.SaveVectors(ctx, id, 1, "model", []vector.Record{{Vector: half}}); err != nil {
					return err
				}
				if err := tx.Finish(ctx, indexer.Lease{Entry: id, Revision: 1}, nil); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("save vectors: %.1f s, disk %d bytes per entry", time.Since(began).Seconds(), size()/int64(entries))
	for range 2 {
		began = time.Now()
		n := 0
		if err := s.ForIndexer().View(ctx, func(tx indexer.ReadTx) error {
			return tx.AllVectors(ctx, "model", func(vector.Record) error { n++; return nil })
		}); err != nil {
			t.Fatal(err)
		}
		t.Logf("all vectors: %d in %.2f s", n, time.Since(began).Seconds())
	}
	read := func(name string, fn func(tx memory.ReadTx) error) {
		var took []time.Duration
		for range 20 {
			a := time.Now()
			if err := s.View(ctx, fn); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(a))
		}
		slices.Sort(took)
		t.Logf("%s: p50 %.2f ms", name, ms(took[10]))
	}
	scope := acltest.Scope(t, all...)
	some := ids[:400]
	read("siblings of 400", func(tx memory.ReadTx) error {
		_, err := tx.Siblings(ctx, scope, some)
		return err
	})
	read("get 10", func(tx memory.ReadTx) error { _, err := tx.Get(ctx, ids[:10]); return err })
	read("unembedded", func(tx memory.ReadTx) error {
		_, err := tx.(indexer.ReadTx).Unembedded(ctx, indexer.Unembedded{Fingerprint: "model", Now: now}, uuid.Nil, 100)
		return err
	})
	read("matching none by tag", func(tx memory.ReadTx) error {
		_, _, err := tx.Matching(ctx, scope, memory.Filter{Tags: []string{"none"}, Where: condition.Compare(condition.Encrypted, condition.Eq, condition.Bool(false))}, nil, 1000)
		return err
	})
	read("scan 100", func(tx memory.ReadTx) error {
		_, err := tx.Scan(ctx, memory.ScanQuery{Store: "store-1", Ceiling: acl.Restricted, Limit: 100})
		return err
	})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// logTableSizes logs the size of the largest tables.
func (s *Storage) logTableSizes(t *testing.B) {
	err := s.readers.with(t.Context(), func(c *session) error {
		rows, err := c.conn.QueryContext(t.Context(), "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 12")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var n, unused int64
			if err := rows.Scan(&name, &n, &unused); err != nil {
				return err
			}
			t.Logf("  %s: %.1f MB, %.1f MB unused", name, float64(n)/1e6, float64(unused)/1e6)
		}
		return rows.Err()
	})
	if err != nil {
		t.Log(err)
	}
}

func BenchmarkScore(b *testing.B) {
	s := openAt(b, filepath.Join(b.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	storagetest.BenchmarkScore(b, s, storagetest.Few(*entries), cmp.Or(*stores, 1))
	s.logTableSizes(b)
}

func BenchmarkWhere(b *testing.B) {
	storagetest.BenchmarkWhere(b, openAt(b, filepath.Join(b.TempDir(), "mneme.db")), storagetest.Few(*entries), cmp.Or(*stores, max(1, storagetest.Few(*entries)/200)))
}

// BenchmarkScrub scrubs a database of 100,000 entries after one of them was purged. The first
// scrub changes every page, and later ones those that writes have changed since.
func BenchmarkScrub(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "mneme.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	n, words := 100_000, strings.Repeat("some words of a text of usual length ", 8)
	if testing.Short() {
		n = 1000
	}
	write := func(from, to int) {
		err := s.Update(b.Context(), func(tx memory.Tx) error {
			for i := from; i < to; i++ {
				text := fmt.Sprint(words, i)
				if err := tx.Put(b.Context(), newEntry(fmt.Sprint("k", i), text), lexical.Analyze(text)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for from := 0; from < n; from += 1000 {
		write(from, from+1000)
	}
	scrub := func() time.Duration {
		began := time.Now()
		if _, err := s.Scrub(b.Context(), time.Now); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	first := scrub()
	for b.Loop() {
		err := s.update(b.Context(), func(w *writeTx) error {
			w.dropped = true
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		scrub()
	}
	b.ReportMetric(first.Seconds(), "s/first")
}
