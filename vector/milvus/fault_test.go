package milvus

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/internal/workload"
	"mneme/test/faulttest"
	"mneme/test/wait"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus/milvustest"
)

const testDim = 8

var quiet = slog.New(slog.DiscardHandler)

func axis(i int) []float32 {
	v := make([]float32, testDim)
	v[i] = 1
	return v
}

func one(n byte, store int64, v []float32) vector.Record {
	return vector.Record{Entry: uuid.UUID{15: n}, Store: store, Label: acl.Public, Vector: vector.ToHalf(v)}
}

func store(t testing.TB, n int64) acl.Scope {
	return acltest.Scope(t, acltest.Reach{Number: n, Ceiling: acl.Public})
}

func TestOpenFailsIfNothingListens(t *testing.T) {
	const address = "127.0.0.1:1" // a privileged port: nothing listens there
	_, err := Open(context.Background(), testConfig(address, testDim), quiet)
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

// A server that accepts connections and does not answer must not block Open,
// or the start of a process, for longer than Timeouts.Open.
func TestOpenTimesOutAtAnUnresponsiveServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	config := testConfig(l.Addr().String(), testDim)
	config.Timeouts.Open = 50 * time.Millisecond
	if _, err := Open(context.Background(), config, quiet); !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, config, quiet); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled context: error %v", err)
	}
}

func TestErrorsDoNotQuoteTheAddress(t *testing.T) {
	for _, addr := range []string{"root:secret@127.0.0.1:1", "http://root:secret@127.0.0.1:1", "127.0.0.1:secret", "secret"} {
		config := testConfig(addr, testDim)
		config.Timeouts.Open = 2 * time.Second
		_, err := Open(context.Background(), config, quiet)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v", err)
		}
	}
}

func TestOpenRejectsACollectionThatDoesNotMatch(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	ctx := context.Background()
	base := testConfig(addr, testDim)
	opened(t, base)

	wider := base
	wider.Dim = testDim + 1
	if _, err := Open(ctx, wider, quiet); !errors.Is(err, ErrMismatch) {
		t.Errorf("another dimension: error %v", err)
	}
	exact := base
	exact.Exact = true
	if _, err := Open(ctx, exact, quiet); !errors.Is(err, ErrMismatch) {
		t.Errorf("another kind of index: error %v", err)
	}

	foreign := testConfig(addr, testDim)
	x := opened(t, testConfig(addr, testDim))
	err := x.client.CreateCollection(ctx, entity.NewSchema().WithName(foreign.collection()).
		WithField(entity.NewField().WithName("id").WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName("vector").WithDataType(entity.FieldTypeFloatVector).WithDim(testDim)), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.client.DropCollection(ctx, foreign.collection()) })
	_, err = Open(ctx, foreign, quiet)
	if !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), foreign.collection()) {
		t.Errorf("foreign collection: error %v", err)
	}
}

func TestOpenFindsRowsOfAnotherProcess(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	ctx, config := context.Background(), testConfig(addr, testDim)
	x := opened(t, config)
	if err := x.Upsert(ctx, []vector.Record{one(1, 1, axis(0))}); err != nil {
		t.Fatal(err)
	}
	config.Consistency = Strong
	y := opened(t, config)
	hits, err := y.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 1})
	if err != nil || len(hits) != 1 {
		t.Errorf("%d hits, error %v", len(hits), err)
	}
}

// Several processes start at the same time with an empty Milvus.
func TestOpenCreatesTheCollectionOnce(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	config := testConfig(addr, testDim)
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			x, err := Open(context.Background(), config, quiet)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			_ = x.Close()
		})
	}
	starting.Wait()
	opened(t, config)
}

// A killed process may have sent writes that reach Milvus only after the writes of the process
// that took over its work. If a delete comes late, it must not remove newer rows. If an insert
// comes late, List must show it, so that a reconciliation removes it.
func TestLateWritesOfAKilledProcessAreListedAndRemoveNothingNewer(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	ctx := context.Background()
	x := opened(t, testConfig(addr, testDim))
	before, now := one(1, 1, axis(0)), one(1, 1, axis(1))
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	wantListed := func(what string, digest uint64) {
		t.Helper()
		var listed []vector.IndexedEntry
		check(x.List(ctx, func(e vector.IndexedEntry) error { listed = append(listed, e); return nil }))
		if want := []vector.IndexedEntry{{Entry: now.Entry, Digest: digest}}; !slices.Equal(listed, want) {
			t.Errorf("%s: listed %v, want %v", what, listed, want)
		}
	}
	wantScore := func(what string, query []float32, want float64) {
		t.Helper()
		settle(t, x)
		hits, err := x.Search(ctx, store(t, 1), vector.Query{Vector: query, Limit: 9})
		if err != nil || len(hits) != 1 || math.Abs(hits[0].Score-want) > .001 {
			t.Errorf("%s: hits %v, error %v, want one with score %v", what, hits, err, want)
		}
	}
	check(x.Upsert(ctx, []vector.Record{before}))
	late, err := x.rowIDs(ctx, []uuid.UUID{before.Entry}) // the rows that the killed process is about to delete
	check(err)
	check(x.Upsert(ctx, []vector.Record{now}))

	check(x.deleteRows(ctx, late))
	wantListed("after a late delete", now.Digest())
	wantScore("after a late delete", axis(1), 1)

	check(x.insertRows(ctx, []vector.Record{before}))
	wantListed("after a late insert", before.Digest()+now.Digest())
	check(x.Upsert(ctx, []vector.Record{now}))
	wantListed("repaired", now.Digest())
	wantScore("repaired", axis(0), 0)
	wantScore("repaired", axis(1), 1)
}

// Milvus 2.3 reports failures in a field that the SDK ignores. Without failOnStatus, a search
// would return no hits and no error.
func TestADroppedCollectionIsAnErrorAndNotAnEmptyAnswer(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	ctx := context.Background()
	x := opened(t, testConfig(addr, testDim))
	if err := x.Upsert(ctx, []vector.Record{one(1, 1, axis(0))}); err != nil {
		t.Fatal(err)
	}
	if err := x.client.DropCollection(ctx, x.name); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 1})
	if !errors.Is(err, ErrMissing) || len(hits) > 0 {
		t.Errorf("search: %d hits, error %v", len(hits), err)
	}
	if !x.Lost() || x.Lost() {
		t.Error("Lost must report the loss once")
	}
	if err := x.List(ctx, func(vector.IndexedEntry) error { return nil }); err != nil {
		t.Errorf("list: %v", err)
	}
	// A write must create the collection again, so that the rows can be indexed again without a
	// restart.
	if err := x.client.DropCollection(ctx, x.name); err != nil {
		t.Fatal(err)
	}
	if err := x.Upsert(ctx, []vector.Record{one(2, 1, axis(0))}); err != nil {
		t.Fatalf("upsert: %v", err)
	}
	if !x.Lost() {
		t.Error("Lost does not report a loss that a write found")
	}
	settle(t, x)
	hits, err = x.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 9})
	if err != nil || len(hits) != 1 || hits[0].Entry != (uuid.UUID{15: 2}) {
		t.Errorf("search: hits %v, error %v", hits, err)
	}
}

func TestAReleasedCollectionIsLoadedAgain(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	ctx := context.Background()
	x := opened(t, testConfig(addr, testDim))
	if err := x.Upsert(ctx, []vector.Record{one(1, 1, axis(0))}); err != nil {
		t.Fatal(err)
	}
	if err := x.client.ReleaseCollection(ctx, x.name); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the collection is loaded", func() error {
		hits, err := x.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 1})
		if err == nil && len(hits) != 1 {
			return errors.New("no hits")
		}
		if err != nil && !errors.Is(err, ErrUnavailable) {
			t.Fatalf("search: %v", err)
		}
		return err
	})
}

// The proxy stops forwarding, so the search ends only by its timeout.
func TestASearchOfAnUnresponsiveServerEndsInTime(t *testing.T) {
	proxy := faulttest.NewFaultProxy(t, milvustest.Addr(t))
	t.Parallel()
	config := testConfig(proxy.Addr(), testDim)
	x := opened(t, config)
	if err := x.Upsert(context.Background(), []vector.Record{one(1, 1, axis(0))}); err != nil {
		t.Fatal(err)
	}
	search := func(ctx context.Context) error {
		_, err := x.Search(ctx, store(t, 1), vector.Query{Vector: axis(0), Limit: 1})
		return err
	}
	resume := proxy.Stall()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := search(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline: error %v", err)
	}
	x.config.Timeouts.Search = 50 * time.Millisecond
	if err := search(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the index's time limit: error %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	go func() {
		<-proxy.Stalled() // a search, the one above or this one, is in progress
		cancel()
	}()
	x.config.Timeouts.Search = time.Minute
	if err := search(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that cancels: error %v", err)
	}
	resume()
	if err := search(context.Background()); err != nil {
		t.Errorf("after the stall: %v", err)
	}
}

func TestACallReconnectsAfterALostConnection(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	proxy := faulttest.NewFaultProxy(t, addr)
	x := opened(t, testConfig(proxy.Addr(), testDim))
	for range 3 {
		proxy.DropConnections()
		wait.Until(t, "the index is connected again", func() error {
			_, err := x.Search(context.Background(), store(t, 1), vector.Query{Vector: axis(0), Limit: 1})
			return err
		})
		if err := x.Upsert(context.Background(), []vector.Record{one(1, 1, axis(0))}); err != nil {
			t.Fatalf("upsert: %v", err)
		}
	}
}

// The test has many rows that tie at the limit, and a scope with more stores than one filter
// may have.
func TestAnExactIndexReturnsAllTies(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	config := testConfig(addr, testDim)
	config.Exact, config.Consistency = true, Strong
	x := opened(t, config)
	const many, stores = 3000, 2*maxStores + 7
	records := make([]vector.Record, many)
	for n := range records {
		v := axis(1)
		if n == 0 {
			v = axis(0)
		}
		records[n] = vector.Record{Entry: uuid.UUID{14: byte(n >> 8), 15: byte(n)}, Store: int64(n%stores + 1), Label: acl.Public, Vector: vector.ToHalf(v)}
	}
	if err := x.Upsert(context.Background(), records); err != nil {
		t.Fatal(err)
	}
	reaches := make([]acltest.Reach, stores)
	for n := range reaches {
		reaches[n] = acltest.Reach{Number: int64(n + 1), Ceiling: acl.Public}
	}
	scope := acltest.Scope(t, reaches...)
	for limit, want := range map[int]int{1: 1, 2: many, many: many} {
		hits, err := x.Search(context.Background(), scope, vector.Query{Vector: axis(0), Limit: limit})
		if err != nil || len(hits) != want {
			t.Errorf("limit %d: %d hits, want %d; error %v", limit, len(hits), want, err)
		}
	}
}

// The hits must equal those of vector/flat to the last bit.
func TestAnExactIndexScoresLikeTheFlatOne(t *testing.T) {
	addr := milvustest.Addr(t)
	t.Parallel()
	ctx := context.Background()
	const dim, many = 50, 1500
	config := testConfig(addr, dim)
	config.Exact, config.Consistency = true, Strong
	x, exact := opened(t, config), flat.New(dim)
	r := rand.New(rand.NewPCG(5, 6))
	records := make([]vector.Record, many)
	for n := range records {
		records[n] = vector.Record{Entry: uuid.UUID{13: 1, 14: byte(n >> 8), 15: byte(n)}, Store: 1, Label: acl.Public, Vector: vector.ToHalf(workload.Direction(r, dim))}
	}
	for _, index := range []vector.Index{x, exact} {
		if err := index.Upsert(ctx, records); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		query := vector.Query{Vector: workload.Direction(r, dim), Limit: 200}
		got, err := x.Search(ctx, store(t, 1), query)
		if err != nil {
			t.Fatal(err)
		}
		want, err := exact.Search(ctx, store(t, 1), query)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d hits, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("hit %d is %v, want %v", i, got[i], want[i])
			}
		}
	}
}
