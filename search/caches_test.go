package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/embed"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// TestCachesServeOnlyReadersOfTheirContents checks the rule of cache.Reader. While entries of all
// labels are written, relabelled, deleted and purged, and grants are given and withdrawn, a
// Searcher for all sessions must answer like one without caches, and must read as much for each
// session as one that only serves that session.
func TestCachesServeOnlyReadersOfTheirContents(t *testing.T) {
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 5}
	for _, b := range backendtest.Storages() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			backendtest.Check(t, divisor[b.Name], func(t testing.TB, rt *rapid.T) { checkCaches(rt, t, b) })
		})
	}
}

func checkCaches(rt *rapid.T, t testing.TB, b backendtest.Backend) {
	data, clock, read := b.Open(t), backendtest.NewClock(), new(readLog)
	options := backendtest.Options{Memory: memory.Options{Now: clock.Now, Limits: memory.Limits{Retention: new(time.Duration)}}}
	rows := data.Storage(t)
	h := &harness{backendtest.Wrap(t, backendtest.OpenProcess(t, rows, options, data.Model(t, loggedEmbedder{encoder(t), read}))), t}
	searcher := func(o search.Options) *search.Searcher {
		o.Indexer, o.VectorBudget = h.Indexer, wait.Limit
		return search.New(loggedStorage{rows, read}, h.Service, o)
	}
	share(h, "alice", "bob", acl.ReadWrite)
	for i, label := range []acl.Label{acl.Public, acl.Public, acl.Public, acl.Public, acl.Public, acl.Internal, acl.Internal} {
		h.PutText(agent("alice", label), "alice", fmt.Sprint("other", i), fmt.Sprint("x by the sea ", i), 201)
	}
	h.Index()
	callers := []memory.Caller{agent("alice", acl.Public), agent("alice", acl.Restricted), agent("bob", acl.Public), agent("bob", acl.Internal)}
	shared := searcher(search.Options{})
	var alone []*search.Searcher
	for range callers {
		alone = append(alone, searcher(search.Options{}))
	}
	steps := 0
	ask := func() {
		k := rapid.IntRange(0, len(callers)-1).Draw(rt, "caller")
		r := search.Request{Query: rapid.SampledFrom([]string{"x", "the sea", "x at night"}).Draw(rt, "query"), Limit: 100}
		if rapid.Bool().Draw(rt, "named") {
			r.Stores = []string{"alice"}
		}
		answer := func(s *search.Searcher) (answer, reads string) {
			read.take() // discard earlier reads
			answer = answerOf(s, callers[k], r)
			return answer, read.take()
		}
		got, reads := answer(shared)
		_, readsAlone := answer(alone[k])
		want, _ := answer(searcher(search.Options{CandidateCache: 1, QueryCache: 1})) // nothing is cached
		who := fmt.Sprintf("step %d: %s at %v", steps, callers[k].Agent, callers[k].Taint)
		if got != want {
			rt.Fatalf("%s is answered\n%s\nand without caches\n%s", who, got, want)
		}
		if reads != readsAlone {
			rt.Fatalf("%s reads with a shared searcher\n%s\nand with its own\n%s", who, reads, readsAlone)
		}
	}
	for range rapid.IntRange(3, 10).Draw(rt, "steps") {
		for range rapid.IntRange(0, 4).Draw(rt, "searches") {
			ask()
		}
		change := rapid.OneOf(rapid.Custom(backendtest.DrawChange), rapid.Custom(drawGrant)).Draw(rt, "change")
		if err := change(h.Fixture, clock); status(err) == 500 {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "index") {
			h.Index()
		}
		steps++
	}
	for range callers {
		ask()
	}
}

// drawGrant draws a change of bob's grant on the store alice.
func drawGrant(t *rapid.T) backendtest.Change {
	owner, request := agent("alice", acl.Restricted), memory.ShareRequest{Store: "alice", Grantee: "bob"}
	if rapid.IntRange(0, 3).Draw(t, "withdrawn") == 0 {
		return func(f *backendtest.Fixture, _ *backendtest.Clock) error {
			return f.Unshare(background, owner, request.Store, request.Grantee)
		}
	}
	request.Level = rapid.SampledFrom([]acl.Level{acl.Search, acl.Read}).Draw(t, "level")
	request.MaxLabel = rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal}).Draw(t, "max label")
	return func(f *backendtest.Fixture, _ *backendtest.Clock) error {
		_, err := f.Share(background, owner, request)
		return err
	}
}

// answerOf formats the whole answer to a search.
func answerOf(s *search.Searcher, c memory.Caller, r search.Request) string {
	answer, err := s.Search(background, c, r)
	if err != nil {
		return fmt.Sprintln(err)
	}
	var shown strings.Builder
	values := answer.Values()
	err = values.Each(background, func(hit *search.Hit) error {
		fmt.Fprintf(&shown, "%+v %s %x %x\n", hit.Entry, hit.Value, hit.Score, hit.Relevance)
		return nil
	})
	fmt.Fprintln(&shown, values.Label(), err, answer.Incomplete, answer.Degraded)
	return shown.String()
}

// readLog records the cacheable reads and the embeddings of a search. Both legs add to it
// concurrently.
type readLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *readLog) add(what string, of ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprint(what, " ", of))
}

// take returns all lines, sorted, and removes them.
func (l *readLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.lines)
	lines := strings.Join(l.lines, "\n")
	l.lines = nil
	return lines
}

type loggedEmbedder struct {
	embed.Embedder
	log *readLog
}

func (e loggedEmbedder) Query(ctx context.Context, text string) (embed.Query, error) {
	e.log.add("embeds", text)
	return e.Embedder.Query(ctx, text)
}

type loggedStorage struct {
	storage.Storage
	log *readLog
}

func (s loggedStorage) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return s.Storage.View(ctx, func(tx memory.ReadTx) error { return fn(loggedTx{tx, s.log}) })
}

type loggedTx struct {
	memory.ReadTx
	log *readLog
}

func (tx loggedTx) Siblings(ctx context.Context, scope acl.Scope, ids []uuid.UUID) ([]memory.Entry, error) {
	for _, id := range ids {
		tx.log.add("row", id)
	}
	return tx.ReadTx.Siblings(ctx, scope, ids)
}

func (tx loggedTx) Contents(ctx context.Context, ids []uuid.UUID) ([]memory.Entry, error) {
	for _, id := range ids {
		tx.log.add("contents", id)
	}
	return tx.ReadTx.Contents(ctx, ids)
}

func (tx loggedTx) Feed(ctx context.Context, queries ...memory.FeedQuery) ([]memory.Feed, error) {
	for _, q := range queries {
		tx.log.add("feed", q)
	}
	return tx.ReadTx.Feed(ctx, queries...)
}

func (tx loggedTx) Evidence(ctx context.Context, scope acl.Scope, q memory.EvidenceQuery, yield func(memory.Evidence) error) error {
	for _, id := range q.Entries {
		tx.log.add("evidence", id)
	}
	return tx.ReadTx.Evidence(ctx, scope, q, yield)
}

func (tx loggedTx) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, *lexical.Scorer, error) {
	if q.Known != nil {
		q.Known = loggedIDs{q.Known, tx.log}
	}
	return tx.ReadTx.Lexical(ctx, scope, q)
}

type loggedIDs struct {
	memory.DocumentIDs
	log *readLog
}

func (l loggedIDs) Put(store, doc int64, entry uuid.UUID) {
	l.log.add("document", store, doc)
	l.DocumentIDs.Put(store, doc, entry)
}
