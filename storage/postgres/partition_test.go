package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/vector"
)

// fillStores writes tagged entries with vectors, former versions and expiry into stores.
func fillStores(t *testing.T, s *Storage, stores, each int) {
	t.Helper()
	for i := range stores {
		mustUpdate(t, s, func(tx memory.Tx) error {
			for j := range each {
				e := newEntry(fmt.Sprint("s", i), fmt.Sprint("k", j))
				e.Tags, e.Type, e.Value = []string{"t", fmt.Sprint("t", j)}, "note", fmt.Appendf(nil, `"word w%d"`, j)
				e.ExpiresAt = e.CreatedAt.Add(time.Duration(j+1) * time.Hour)
				for range 2 {
					if err := tx.Put(t.Context(), e, lexical.Analyze("word "+fmt.Sprint("w", j))); err != nil {
						return err
					}
					e.Version, e.Revision = e.Version+1, e.Revision+1
				}
				records := []vector.Record{{Vector: vector.Half{1}, Codes: []byte{1}}}
				if _, err := tx.(*writeTx).SaveVectors(t.Context(), e.ID, e.Revision-1, "model", records); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// contents returns the rows of each table as text, in order.
func contents(t *testing.T, s *Storage) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	err := s.view(t.Context(), func(r *readTx) error {
		for _, table := range append(slices.Clone(tables), "store", "change", "feed", "feed_head") {
			err := r.each(t.Context(), func(rows pgx.Rows) error {
				var row string
				err := rows.Scan(&row)
				found[table] = append(found[table], row)
				return err
			}, "SELECT r::text FROM "+table+" r ORDER BY 1")
			if err != nil {
				return err
			}
		}
		return nil
	})
	must(t, err)
	return found
}

// list returns the texts that a query selects, in order.
func list(t *testing.T, s *Storage, query string, args ...any) []string {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), query, args...)
	must(t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	slices.Sort(texts)
	return texts
}

func TestPartitioningPreservesAllRows(t *testing.T) {
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	fillStores(t, s, 12, 3)
	_, err := s.pool.Exec(t.Context(), "GRANT SELECT ON usage TO PUBLIC")
	must(t, err)
	const (
		indexes  = `SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY ($1)`
		columns  = `SELECT format('%s %s %s %s %s', c.relname, attname, attstorage, attnotnull, attcollation) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid WHERE relname = ANY ($1) AND attnum > 0`
		checks   = `SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid::regclass::text = ANY ($1) AND contype IN ('c', 'f') AND conparentid = 0`
		policies = `SELECT format('%s %s %s %s %s', tablename, policyname, permissive, cmd, qual) FROM pg_policies WHERE tablename = ANY ($1)`
		rls      = `SELECT format('%s %s %s', relname, relrowsecurity, relforcerowsecurity) FROM pg_class WHERE relname = ANY ($1)`
	)
	catalog := func() (all []string) {
		for _, query := range []string{indexes, columns, checks, policies, rls} {
			all = append(all, list(t, s, query, partitionedTables)...)
		}
		return all
	}
	options := func(suffix string) []string {
		return list(t, s, `SELECT format('%s %s', replace(relname, $2, ''), reloptions) FROM pg_class WHERE relname = ANY ($1)`, suffixed(suffix), suffix)
	}
	before, schema, stored := contents(t, s), catalog(), options("")

	partitioned, err := Open(t.Context(), dsn, Options{Partitions: 4})
	must(t, err)
	must(t, partitioned.Close())
	// A process that was running during the conversion reads the same rows.
	if after := contents(t, s); !maps.EqualFunc(before, after, slices.Equal) {
		t.Errorf("before:\n%v\nafter:\n%v", before, after)
	}
	if after := catalog(); !slices.Equal(schema, after) {
		t.Errorf("before:\n%s\nafter:\n%s", strings.Join(schema, "\n"), strings.Join(after, "\n"))
	}
	for i := range 4 {
		suffix := fmt.Sprint("_p", i)
		if of := options(suffix); !slices.Equal(stored, of) {
			t.Errorf("storage parameters of partitions %d: %v, want %v", i, of, stored)
		}
		for _, query := range []string{policies, columns, rls} {
			whole := list(t, s, query, partitionedTables)
			of := list(t, s, query, suffixed(suffix))
			for i := range of {
				of[i] = strings.Replace(of[i], suffix, "", 1)
			}
			slices.Sort(of)
			if !slices.Equal(of, whole) {
				t.Errorf("%s\nof partitions %d:\n%v\nwant:\n%v", query, i, of, whole)
			}
		}
	}
	if acl := list(t, s, "SELECT relacl::text FROM pg_class WHERE relname = 'usage'"); !strings.Contains(acl[0], "{=r/") && !strings.Contains(acl[0], ",=r/") {
		t.Errorf("the grants were lost: %v", acl)
	}
	mustUpdate(t, s, func(tx memory.Tx) error { return tx.Put(t.Context(), newEntry("s0", "new"), doc("word")) })
	s.checkIndex(t)
}

// suffixed returns the names of the partitioned tables with a suffix.
func suffixed(suffix string) []string {
	names := slices.Clone(partitionedTables)
	for i := range names {
		names[i] += suffix
	}
	return names
}

func TestAConnectionWithoutAScopeSeesNothingOfAPartition(t *testing.T) {
	s := openAt(t, partitionedDatabase(t))
	fillStores(t, s, 12, 2)
	for _, table := range protected {
		if table == "queue" {
			continue
		}
		for i := range 4 {
			var n int
			if err := s.pool.QueryRow(t.Context(), fmt.Sprintf("SELECT count(*) FROM %s_p%d", table, i)).Scan(&n); err != nil || n != 0 {
				t.Errorf("%d rows of partition %d of %s: %v", n, i, table, err)
			}
		}
	}
}

func TestTheNumberOfPartitionsDoesNotChange(t *testing.T) {
	dsn := postgrestest.Database(t)
	reopen := func(partitions int, want error) {
		t.Helper()
		s, err := Open(t.Context(), dsn, Options{Partitions: partitions})
		if !errors.Is(err, want) {
			t.Fatalf("%d partitions: error %v, want %v", partitions, err, want)
		}
		if err == nil {
			must(t, s.Close())
		}
	}
	for _, impossible := range []int{-1, 1, MaxPartitions + 1} {
		reopen(impossible, ErrPartitions)
	}
	reopen(0, nil)
	reopen(3, nil)
	reopen(3, nil)
	reopen(0, nil)
	reopen(4, ErrPartitions)
	if n := list(t, openAt(t, dsn), "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'entry'::regclass"); len(n) != 3 {
		t.Errorf("partitions %v", n)
	}
}

// Commands open a database while a server uses it, and a conversion would disturb the server.
func TestKeepPartitionsUsesTheNumberOfTheDatabase(t *testing.T) {
	plain, partitioned, fresh := postgrestest.Database(t), partitionedDatabase(t), postgrestest.Database(t)
	must(t, openAt(t, plain).Close())
	for dsn, want := range map[string]int{plain: 0, partitioned: 4, fresh: 8} {
		for range 2 {
			s, err := Open(t.Context(), dsn, Options{Partitions: 8, KeepPartitions: true})
			must(t, err)
			has := list(t, s, "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'entry'::regclass")
			if len(has) != want || s.Partitions() != want {
				t.Errorf("partitions %v and %d, want %d", has, s.Partitions(), want)
			}
			must(t, s.Close())
		}
	}
}

func TestProcessesStartedConcurrentlyPartitionOnce(t *testing.T) {
	dsn := postgrestest.Database(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := Open(t.Context(), dsn, Options{Partitions: 4})
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	group.Wait()
}

// If the conversion of the last table fails, those of all tables before it are undone.
func TestAConversionThatFailsChangesNothing(t *testing.T) {
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	fillStores(t, s, 6, 2)
	const relations = "SELECT format('%s %s', relname, relkind) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
	before, schema := contents(t, s), list(t, s, relations)
	last := partitionedTables[len(partitionedTables)-1] + "_p3"
	_, err := s.pool.Exec(t.Context(), "CREATE TABLE "+last+" ()")
	must(t, err)
	if _, err := Open(t.Context(), dsn, Options{Partitions: 4}); err == nil {
		t.Fatal("a table was overwritten")
	}
	_, err = s.pool.Exec(t.Context(), "DROP TABLE "+last)
	must(t, err)
	if after := list(t, s, relations); !slices.Equal(schema, after) {
		t.Errorf("before %v, after %v", schema, after)
	}
	if after := contents(t, s); !maps.EqualFunc(before, after, slices.Equal) {
		t.Error("rows have changed")
	}
	again, err := Open(t.Context(), dsn, Options{Partitions: 4})
	must(t, err)
	must(t, again.Close())
	if after := contents(t, s); !maps.EqualFunc(before, after, slices.Equal) {
		t.Error("rows have changed at the second attempt")
	}
}

// A partitioned table has no unique key of the ID alone. So an ID is unique only because the
// storage looks up each ID that a caller provides.
func TestIDsAreUniqueAcrossPartitions(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		first := newEntry("first", "k")
		mustUpdate(t, s, func(tx memory.Tx) error { return tx.Put(t.Context(), first, doc("word")) })
		for i := range 8 { // enough stores for all partitions
			again := first
			again.Store, again.Owner = fmt.Sprint("other", i), "other"
			for name, write := range map[string]func(tx memory.Tx) error{
				"put":  func(tx memory.Tx) error { return tx.Put(t.Context(), again, doc("word")) },
				"load": func(tx memory.Tx) error { return tx.Load(t.Context(), memory.DumpRecord{Entry: &again}, doc("word")) },
			} {
				err := s.Update(t.Context(), write)
				if !errors.Is(err, memory.ErrStale) && !errors.Is(err, memory.ErrExists) {
					t.Errorf("%s into %s: error %v", name, again.Store, err)
				}
			}
		}
		err := s.View(t.Context(), func(tx memory.ReadTx) error {
			entries, err := tx.Get(t.Context(), []uuid.UUID{first.ID})
			if len(entries) != 1 || entries[0].Store != "first" {
				t.Errorf("entries %v", entries)
			}
			return err
		})
		must(t, err)
	})
}

// operation is an operation on a known store.
type operation struct {
	name string
	run  func(ctx context.Context, w *writeTx) error
}

// TestOperationsStayInsideThePartitionOfTheirStore counts, by the server's statistics, the
// scans of each partition during an operation on one store, under each kind of plan.
func TestOperationsStayInsideThePartitionOfTheirStore(t *testing.T) {
	dsn := partitionedDatabase(t)
	fillStores(t, openAt(t, dsn), 16, 4)
	for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
		t.Run(mode, func(t *testing.T) {
			s := openAt(t, dsn+"&plan_cache_mode="+mode)
			number := numberOf(t, s, "s3")
			suffix := list(t, s, `SELECT '_p' || i FROM generate_series(0, 3) i WHERE satisfies_hash_partition('entry'::regclass, 4, i, $1::bigint)`, number)[0]
			for _, op := range append(readOperations(t, s), writeOperations(t, s)...) {
				t.Run(op.name, func(t *testing.T) {
					if inside, outside := scans(t, s, suffix, op); inside == 0 || len(outside) > 0 {
						t.Errorf("%d scans of partition %s, others: %v", inside, suffix, outside)
					}
				})
			}
			// An operation that knows only an ID reads every partition: the statistics show it.
			byID := operation{"by ID", func(ctx context.Context, w *writeTx) error {
				_, err := w.Get(ctx, []uuid.UUID{uuid.Max})
				return err
			}}
			if _, outside := scans(t, s, suffix, byID); len(outside) != 3 {
				t.Errorf("a look-up by ID scanned %v", outside)
			}
		})
	}
}

func numberOf(t *testing.T, s *Storage, store string) (number int64) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), "SELECT number FROM store WHERE id = $1", store).Scan(&number))
	return number
}

var errUndo = errors.New("undo")

// scans runs an operation, rolls it back, and returns how often partitions with a suffix
// were scanned and which others were.
func scans(t *testing.T, s *Storage, suffix string, op operation) (inside int64, outside []string) {
	t.Helper()
	err := s.update(t.Context(), func(w *writeTx) error {
		must(t, w.flushBatch(t.Context()))
		before := scanCounts(t, w)
		must(t, op.run(t.Context(), w))
		must(t, w.flush(t.Context()))
		must(t, w.flushBatch(t.Context()))
		for table, n := range scanCounts(t, w) {
			if n -= before[table]; strings.HasSuffix(table, suffix) {
				inside += n
			} else if n > 0 {
				outside = append(outside, table)
			}
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	slices.Sort(outside)
	return inside, outside
}

// scanCounts returns the number of scans of each partition so far.
func scanCounts(t *testing.T, w *writeTx) map[string]int64 {
	t.Helper()
	counts := make(map[string]int64)
	err := w.each(t.Context(), func(rows pgx.Rows) error {
		var table string
		var n int64
		err := rows.Scan(&table, &n)
		counts[table] = n
		return err
	}, `SELECT relname::text, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables
		WHERE relid IN (SELECT inhrelid FROM pg_inherits JOIN pg_class ON oid = inhparent WHERE relkind = 'p')`)
	must(t, err)
	return counts
}

// readOperations are reads of store s3.
func readOperations(t *testing.T, s *Storage) []operation {
	t.Helper()
	now := time.Now()
	var ids []uuid.UUID
	var chunks []vector.ChunkID
	var scope acl.Scope
	must(t, s.View(t.Context(), func(tx memory.ReadTx) (err error) {
		entries, err := tx.Scan(t.Context(), memory.ScanQuery{Store: "s3", Ceiling: acl.Restricted, Limit: 10})
		for _, e := range entries {
			ids, chunks = append(ids, e.ID), append(chunks, vector.ChunkID{Entry: e.ID})
		}
		if err == nil {
			scope, err = acl.NewScope(t.Context(), tx, acl.Principal{Agent: "s3", Taint: acl.Restricted}, acl.ScopeRequest{}, now)
		}
		return err
	}))
	operations := []operation{
		{"words", func(ctx context.Context, w *writeTx) error {
			hits, _, err := w.Lexical(ctx, scope, memory.LexicalQuery{Terms: lexical.ParseQuery("word w1"), Limit: 10, Now: now.Add(150 * time.Minute)})
			return wantRows(len(hits), err)
		}},
		{"words of some", func(ctx context.Context, w *writeTx) error {
			hits, _, err := w.Lexical(ctx, scope, memory.LexicalQuery{Terms: lexical.ParseQuery("word"), Limit: 10, Only: ids, Now: now})
			return wantRows(len(hits), err)
		}},
		{"terms", func(ctx context.Context, w *writeTx) error {
			found, _, err := w.Terms(ctx, scope, memory.TermQuery{Prefix: "w", Limit: 10})
			return wantRows(len(found), err)
		}},
		{"many terms", func(ctx context.Context, w *writeTx) error {
			_, err := w.ManyTerms(ctx, scope, memory.TermQuery{Prefix: "w", Limit: 10})
			return err
		}},
		{"candidates", func(ctx context.Context, w *writeTx) error {
			found, err := w.Siblings(ctx, scope, ids)
			return wantRows(len(found), err)
		}},
		{"vectors and terms", func(ctx context.Context, w *writeTx) error {
			n := 0
			query := memory.EvidenceQuery{Fingerprints: [2]string{"model"}, Entries: ids}
			err := w.Evidence(ctx, scope, query, func(e memory.Evidence) error { n += len(e.Vector); return nil })
			return wantRows(n, err)
		}},
		{"codes", func(ctx context.Context, w *writeTx) error {
			codes, err := w.ChunkCodes(ctx, scope, "model", chunks)
			return wantRows(len(codes[0]), err)
		}},
		{"waiting", func(ctx context.Context, w *writeTx) error {
			found, err := w.WaitingIn(ctx, scope, now.Add(time.Hour), now)
			if err == nil && !found {
				err = errors.New("nothing waits")
			}
			return err
		}},
		{"path", func(ctx context.Context, w *writeTx) error {
			found, err := w.At(ctx, memory.Path{Store: "s3", Key: "k1"}.At(acl.Restricted))
			return wantRows(len(found), err)
		}},
		{"paths", func(ctx context.Context, w *writeTx) error {
			paths := []memory.Path{{Store: "s3", Key: "k1"}, {Store: "s3", Key: "k2"}}
			found, err := w.At(ctx, memory.AtPaths{Paths: paths, Ceiling: acl.Restricted, InContext: true})
			return wantRows(len(found), err)
		}},
		{"list", func(ctx context.Context, w *writeTx) error {
			found, err := w.Scan(ctx, memory.ScanQuery{Store: "s3", Ceiling: acl.Restricted, Limit: 2})
			return wantRows(len(found), err)
		}},
		{"list of a namespace", func(ctx context.Context, w *writeTx) error {
			found, err := w.Scan(ctx, memory.ScanQuery{Store: "s3", Namespace: new(string), Ceiling: acl.Restricted, Limit: 2})
			return wantRows(len(found), err)
		}},
		{"trash", func(ctx context.Context, w *writeTx) error {
			_, err := w.Trash(ctx, memory.TrashQuery{Store: "s3", Label: acl.Public, Limit: 2})
			return err
		}},
		{"trash of an owner", func(ctx context.Context, w *writeTx) error {
			_, err := w.Trash(ctx, memory.TrashQuery{Store: "s3", Label: acl.Public, Owner: "a", Limit: 2})
			return err
		}},
		{"usage", func(ctx context.Context, w *writeTx) error {
			usage, err := w.Usage(ctx, "s3", "s3", acl.Public, now)
			return wantRows(int(usage.Entries), err)
		}},
		{"expiring", func(ctx context.Context, w *writeTx) error {
			found, err := w.Expiring(ctx, memory.ExpiryQuery{Store: "s3", Ceiling: acl.Restricted, Limit: 2})
			return wantRows(len(found), err)
		}},
		{"feed", func(ctx context.Context, w *writeTx) error {
			feeds, err := w.Feed(ctx, memory.FeedQuery{Store: "s3", Ceiling: acl.Restricted, Limit: 2})
			return wantRows(len(feeds[0].Records), err)
		}},
	}
	for name, f := range filters(t) {
		for _, of := range [][]uuid.UUID{nil, ids} {
			operations = append(operations, operation{fmt.Sprint("filter by ", name, " of ", len(of)), func(ctx context.Context, w *writeTx) error {
				found, _, err := w.Matching(ctx, scope, f, of, 100)
				return wantRows(len(found), err)
			}})
		}
	}
	return operations
}

func wantRows(n int, err error) error {
	if err == nil && n == 0 {
		err = errors.New("nothing was found")
	}
	return err
}

// filters cover the ways in which Matching finds entries.
func filters(t *testing.T) map[string]memory.Filter {
	t.Helper()
	all := map[string]memory.Filter{"type": {Type: "note"}, "namespace": {Namespace: new(string)}, "nothing": {}}
	for name, text := range map[string]string{
		"a tag":   `{"tags":{"contains":"t"},"encrypted":{"eq":false}}`,
		"key":     `{"key":{"prefix":"k"}}`,
		"updated": `{"updated_at":{"gte":"2020-01-01T00:00:00Z"}}`,
		"value":   `{"value.n":{"exists":false}}`,
	} {
		where, err := memory.ParseWhere([]byte(text))
		must(t, err)
		all[name] = memory.Filter{Where: where.At(time.Now(), time.UTC)}
	}
	tags := all["a tag"]
	tags.Tags = []string{"t1"}
	all["tags"] = tags
	for name, text := range map[string]string{"words": `{"all":["word"]}`, "absent words": `{"none":["w1"]}`, "a phrase": `{"all":["word w1"]}`} {
		match, err := memory.ParseMatch([]byte(text))
		must(t, err)
		all[name] = memory.Filter{Match: match}
	}
	return all
}

// writeOperations are writes to store s3.
func writeOperations(t *testing.T, s *Storage) []operation {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	// change puts an entry again as memory.Service does.
	change := func(key string, alter func(*memory.Entry)) func(context.Context, *writeTx) error {
		return func(ctx context.Context, w *writeTx) error {
			path := memory.Path{Store: "s3", Key: key}
			plan := memory.WritePlan{Store: "s3", Paths: []memory.Path{path}, Label: acl.Public, Agent: "s3"}
			if err := w.PrepareWrite(ctx, plan); err != nil {
				return err
			}
			entries, err := w.At(ctx, path.At(acl.Public))
			if err != nil || len(entries) != 1 {
				return fmt.Errorf("%d entries: %w", len(entries), err)
			}
			e := entries[0]
			e.Version, e.Revision, e.Value, e.Tags = e.Version+1, e.Revision+1, json.RawMessage(`"other"`), []string{"other"}
			alter(&e)
			if err := w.Put(ctx, e, lexical.Analyze("other words")); err != nil {
				return err
			}
			return w.TrimHistory(ctx, e.ID, memory.HistoryLimits{Versions: 100, Bytes: 1 << 20})
		}
	}
	put := func(n int) func(context.Context, *writeTx) error {
		return func(ctx context.Context, w *writeTx) error {
			var paths []memory.Path
			for i := range n {
				paths = append(paths, memory.Path{Store: "s3", Key: fmt.Sprint("new", i)})
			}
			if err := w.PrepareWrite(ctx, memory.WritePlan{Store: "s3", Paths: paths, Label: acl.Public, Agent: "s3"}); err != nil {
				return err
			}
			for _, path := range paths {
				e := newEntry("s3", path.Key)
				e.Tags = []string{"t", "new"}
				if err := w.Put(ctx, e, lexical.Analyze("word and new words")); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return []operation{
		{"put", put(1)},
		{"import", put(300)},
		{"overwrite", change("k1", func(*memory.Entry) {})},
		{"relabel", change("k1", func(e *memory.Entry) { e.Label = acl.Internal })},
		{"delete", change("k2", func(e *memory.Entry) { e.DeletedAt = now })},
		{"old vectors of several entries", func(ctx context.Context, w *writeTx) error {
			// A worker locks the rows by ID first (PrepareVectors), which is not measured here.
			entries, err := w.Scan(ctx, memory.ScanQuery{Store: "s3", Ceiling: acl.Restricted, Limit: 2})
			if err != nil {
				return err
			}
			for _, e := range entries {
				w.locked[e.ID] = lockedRow{store: numberOf(t, s, "s3"), revision: e.Revision, embeddable: true}
				saved, err := w.SaveVectors(ctx, e.ID, e.Revision, "model", []vector.Record{{Vector: vector.Half{2}}})
				if err != nil || !saved {
					return fmt.Errorf("saved %v: %w", saved, err)
				}
				if err := w.Finish(ctx, indexer.Lease{Entry: e.ID, Revision: e.Revision}, nil); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}
