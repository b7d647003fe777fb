package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/accesstest"
	"mneme/test/backendtest"
	"mneme/test/size"
)

// Non-interference: hidden entries must not affect the answers to a caller. Two services
// get the same visible entries, in the same order and at the same times; one of them also
// gets hidden ones. All answers must be identical, except for ids and entity tags, which
// are random.

// The texts are few and similar, so that hidden entries compete for the same
// ranks, count for the same terms and share paths.
var (
	subjects = []string{"the cat", "a neighbour", "the night train", "our garden", "the old bridge", "a letter"}
	// The second model reads foreign texts.
	foreign = []string{"der Nachtzug kommt nach Mitternacht an", "unser Garten braucht dringend Wasser", "die alte Brücke wurde grün gestrichen", "старый мост пахнет дождём"}
	actions = []string{"sleeps by the window", "was painted green", "arrives after midnight", "needs water", "smells of rain"}
)

// hiddenWord occurs only in texts of expired and deleted entries.
const hiddenWord = "wojciechowski"

func drawText(t *rapid.T, label string) string {
	if rapid.IntRange(0, 4).Draw(t, label+" foreign") == 0 {
		return rapid.SampledFrom(foreign).Draw(t, label)
	}
	return rapid.SampledFrom(subjects).Draw(t, label+" subject") + " " + rapid.SampledFrom(actions).Draw(t, label+" action")
}

// drawValue draws a text. Sometimes it is so long that searches show it by a passage.
func drawValue(t *rapid.T) string {
	value := drawText(t, "value")
	if rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "long") {
		return strings.Repeat("The rest is of no account. ", 20) + value + strings.Repeat(". Nothing follows", 30)
	}
	return value
}

// step is a write.
type step struct {
	hidden bool // the reader may not see the entry; only one service gets it
	// deletedLater: the entry is visible until deleteIndexed deletes it.
	deletedLater bool
	write        func(h *harness)
}

func TestHiddenEntriesDoNotAffectAnswers(t *testing.T) {
	// On slow backends a check takes seconds: run fewer.
	divisor := map[string]int{"sqlite+flat": 1, "postgres+flat": 5, "postgres+milvus": 25}
	for _, b := range backendtest.Backends() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			checkInterference(t, divisor[b.Name], b.Exact())
		})
	}
}

// checkInterference checks that hidden entries do not affect the answers of a backend. It runs
// the usual number of checks divided by by.
func checkInterference(t *testing.T, by int, b backendtest.Backend) {
	reader := agent("reader", acl.Internal)
	backendtest.Check(t, by, func(t testing.TB, rt *rapid.T) {
		options := backendtest.Options{Second: backendtest.Second(encoder(t))}
		sent := make(map[*harness]*judge) // the rerankers, if there are any
		reranked := rapid.Bool().Draw(rt, "reranked")
		openOne := func() *harness {
			j := &judge{}
			if reranked {
				options.Search.Reranker, options.Search.RerankBudget, options.Search.Reranked = j, time.Hour, 5
			}
			h := openWith(t, b, options)
			sent[h] = j
			return h
		}
		with, without := openOne(), openOne()
		both := []*harness{with, without}
		for _, h := range both {
			h.SetUpAccess()
		}
		followed := make(map[*harness]map[string]string, len(both)) // cursors by store
		for _, h := range both {
			followed[h] = make(map[string]string)
			for _, store := range interferenceStores {
				page, _ := h.Changes(context.Background(), reader, memory.ChangesRequest{Store: store, Limit: 1})
				followed[h][store] = page.Next
			}
		}
		write := func(steps []step) {
			for _, s := range steps {
				for _, h := range both {
					h.Clock.Advance(time.Second)
					if s.hidden && h == without {
						continue
					}
					s.write(h)
				}
			}
		}
		write(rapid.SliceOfN(rapid.Custom(drawStep), 1, 25).Draw(rt, "steps"))
		for _, h := range both {
			h.Index()
		}
		extra := rapid.SampledFrom([]int{0, 0, 0, 300}).Draw(rt, "extra deleted entries")
		deleteIndexed(with, extra)
		// Hidden entries that wait for their vectors must not show either.
		write(rapid.SliceOfN(rapid.Custom(drawStep).Filter(func(s step) bool { return !s.deletedLater }), 0, 2).Draw(rt, "steps that are not indexed"))
		for _, h := range both {
			h.Clock.Advance(time.Hour) // expires the short-lived entries, which are not swept
		}
		if a, b := hiddenWordAnswers(with, reader), hiddenWordAnswers(without, reader); a != b {
			rt.Fatalf("words of removed entries changed the answers:\n%s", backendtest.Difference(a, b))
		}
		// Reading the feed sweeps expired entries.
		if a, b := changes(with, reader, followed[with]), changes(without, reader, followed[without]); a != b {
			rt.Fatalf("hidden entries changed the changes:\n%s", backendtest.Difference(a, b))
		}
		for i := range size.Of(1, 3) {
			query := drawText(rt, fmt.Sprint("query ", i))
			a, b := answers(with, reader, query), answers(without, reader, query)
			a, b = a+received(sent[with]), b+received(sent[without])
			if a != b {
				rt.Fatalf("hidden entries changed the answers to %q:\n%s", query, backendtest.Difference(a, b))
			}
		}
		if a, b := entries(with, reader), entries(without, reader); a != b {
			rt.Fatalf("hidden entries changed lists or reads:\n%s", backendtest.Difference(a, b))
		}
	})
}

// received formats the queries and texts that a reranker got.
func received(j *judge) string {
	queries, texts := j.received()
	return fmt.Sprintf("sent\n%s\n%s\n", strings.Join(queries, "\n"), strings.Join(texts, "\n"))
}

// drawStep draws a write: of an entry that the reader may see, or of one of the kinds of entries
// that it may not see.
func drawStep(t *rapid.T) step {
	value := drawValue(t)
	key := rapid.SampledFrom([]string{"a", "b", "c", "d/e"}).Draw(t, "key")
	happened := rapid.SampledFrom([]*string{nil, nil, new("2026-05-03"), new("2026-05"), new("2026-05-20T10:00:00Z"), new("2025-12-01")}).Draw(t, "happened")
	put := func(who memory.Caller, store string, change func(*memory.PutRequest)) func(*harness) {
		return func(h *harness) {
			r := memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: text(value), OccurredAt: happened}
			if change != nil {
				change(&r)
			}
			_, err := h.Put(context.Background(), who, r)
			if status(err) != 409 { // an existing entry has another fixed property
				must(h, err)
			}
		}
	}
	no, yes, minute := false, true, time.Minute
	switch rapid.SampledFrom([]string{"own", "own public", "room", "granted", "search only",
		"own higher", "room higher", "granted above its ceiling", "search only higher", "another's store", "another's private", "expired", "deleted"}).Draw(t, "kind") {
	case "own":
		return step{write: put(agent("reader", acl.Internal), "reader", nil)}
	case "own public":
		return step{write: put(agent("reader", acl.Public), "reader", nil)}
	case "room":
		return step{write: put(agent("other", acl.Public), "room", nil)}
	case "granted":
		return step{write: put(agent("lender", acl.Public), "lender", nil)}
	case "search only":
		return step{write: put(agent("seller", acl.Internal), "seller", nil)}
	case "own higher":
		return step{hidden: true, write: put(agent("reader", acl.Confidential), "reader", nil)}
	case "room higher":
		return step{hidden: true, write: put(agent("other", acl.Restricted), "room", nil)}
	case "granted above its ceiling":
		return step{hidden: true, write: put(agent("lender", acl.Internal), "lender", nil)}
	case "search only higher":
		return step{hidden: true, write: put(agent("seller", acl.Confidential), "seller", nil)}
	case "another's store":
		return step{hidden: true, write: put(agent("stranger", acl.Public), "stranger", nil)}
	case "another's private":
		key = "private/" + key
		return step{hidden: true, write: put(agent("other", acl.Public), "room", func(r *memory.PutRequest) { r.InContext = &no })}
	case "expired":
		key, value = "expired/"+key, value+" "+hiddenWord
		encrypted := rapid.Bool().Draw(t, "encrypted")
		return step{hidden: true, write: put(agent("reader", acl.Public), "reader", func(r *memory.PutRequest) {
			r.TTL = &minute
			if encrypted {
				r.Encrypted = &yes
			}
		})}
	default: // deleted after it was indexed: see deleteIndexed
		key, value = "deleted/"+key, value+" "+hiddenWord
		return step{hidden: true, deletedLater: true, write: put(agent("reader", acl.Public), "reader", nil)}
	}
}

// deleteIndexed deletes the entries below deleted/ after they were indexed, so that the index
// still has them. It does the same with extra other entries, which differ only by namespace,
// so that few texts are embedded.
func deleteIndexed(h *harness, extra int) {
	ctx, c := context.Background(), agent("reader", acl.Public)
	puts := make([]memory.PutRequest, extra)
	for i := range puts {
		at := memory.Path{Store: "reader", Namespace: fmt.Sprint("extra-", i), Key: "deleted/extra"}
		puts[i] = memory.PutRequest{Path: at, Value: text(subjects[i%len(subjects)] + " " + actions[i%len(actions)])}
	}
	outcomes, err := h.PutAll(ctx, c, puts)
	must(h, err)
	for _, o := range outcomes {
		must(h, o.Err)
	}
	h.Index()
	var deletes []memory.BatchItem
	must(h, h.Export(ctx, c, "reader", memory.Filter{}, func(f memory.Found) error {
		if strings.HasPrefix(f.Key, "deleted/") {
			deletes = append(deletes, memory.BatchItem{Op: memory.BatchDelete, PutRequest: memory.PutRequest{Path: f.Path}})
		}
		return nil
	}))
	for items := range slices.Chunk(deletes, 100) {
		outcomes, err := h.Batch(ctx, c, memory.BatchRequest{Store: "reader", Items: items})
		must(h, err)
		for i := range outcomes {
			must(h, outcomes[i].Err)
		}
	}
}

// shown formats an optional number exactly.
func shown(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%x", *x)
}

// interferenceStores are stores that the reader may read and stores that it may not read.
var interferenceStores = []string{"reader", "room", "lender", "seller", "stranger", "nowhere"}

// changes returns the changes since cursors as text, and the lengths of the next cursors.
// It leaves out the keys of entries that were once visible in one of the services.
func changes(h *harness, c memory.Caller, cursors map[string]string) string {
	var out strings.Builder
	for _, store := range interferenceStores {
		for cursor := cursors[store]; ; {
			page, err := h.Changes(context.Background(), c, memory.ChangesRequest{Store: store, Since: cursor, Limit: memory.MaxChanges})
			for _, change := range page.Changes {
				if !strings.HasPrefix(change.Key, "expired/") && !strings.HasPrefix(change.Key, "deleted/") {
					fmt.Fprintf(&out, "  %s %d %s\n", change.Key, change.Version, change.At)
				}
			}
			if len(page.Changes) == 0 || page.Next == "" {
				fmt.Fprintf(&out, "changes %s %v %d\n", store, err, len(page.Next))
				break
			}
			cursor = page.Next
		}
	}
	return out.String()
}

// explainedAs formats how an entry was ranked.
func explainedAs(x *search.Explain) string {
	return fmt.Sprintf(" %v %v %x %v %s %d %v %v %v", x.Lexical, x.Vector, x.Summands, x.Rerank, x.Via, x.Wording, shown(x.Recency), shown(x.Similarity), shown(x.Fused))
}

// misspelt returns a query without the second letter of each longer word.
func misspelt(query string) string {
	words := strings.Fields(query)
	for i, word := range words {
		if len(word) > 4 && word[0] < utf8.RuneSelf && word[1] < utf8.RuneSelf {
			words[i] = word[:1] + word[2:]
		}
	}
	return strings.Join(words, " ")
}

// showExplanation writes the explanation of a search, without ids.
func showExplanation(out *strings.Builder, x *search.Explanation) {
	if x == nil {
		return
	}
	if f := x.Filter; f != nil {
		if f.Passing != nil {
			fmt.Fprintf(out, "    %d pass\n", *f.Passing)
		}
		for _, o := range f.Options {
			if o.Dropped != nil {
				fmt.Fprintf(out, "    %s drops %d\n", o.Name, *o.Dropped)
			}
		}
	}
	for _, t := range x.Typos {
		fmt.Fprintf(out, "    %s %v\n", t.Word, t.Found)
	}
	for _, d := range x.Dates {
		fmt.Fprintf(out, "    %s %v %v\n", d.Text, d.From, d.Until)
	}
	if e := x.Entry; e != nil {
		fmt.Fprintf(out, "    %s %s %d %v %s %s %v", e.Outcome, e.Label, e.Rank, e.Options, shown(e.Relevance), shown(e.Score), e.VectorsWait)
		if e.Explain != nil {
			out.WriteString(explainedAs(e.Explain))
		}
		out.WriteString("\n")
	}
}

// showEntry writes an entry without its id and entity tag.
func showEntry(out *strings.Builder, e *memory.Entry) {
	fmt.Fprintf(out, "  %s %s %s %s %s v%d %s %s %s\n", e.Store, e.Namespace, e.Key, e.Label, e.Owner, e.Version, e.UpdatedAt, e.UpdatedBy, e.Value)
}

// hiddenWordAnswers returns the answers to searches for hiddenWord with typing errors and for
// a prefix of it.
func hiddenWordAnswers(h *harness, c memory.Caller) string {
	var out strings.Builder
	for _, r := range []search.Request{
		{Query: "wojcechovsky", Mode: search.ModeLexical, Limit: 10, Explain: true},
		{Query: "window", Mode: search.ModeLexical, Limit: 10, Filter: memory.Filter{Match: match(`{"any":["wojc*","win*"]}`)}},
	} {
		a, err := h.Search(context.Background(), c, r)
		fmt.Fprintf(&out, "search %v %v %d\n", err, a.Label, len(a.Hits))
		showExplanation(&out, a.Explanation)
	}
	return out.String()
}

// answers returns the results of searches as text.
func answers(h *harness, c memory.Caller, query string) string {
	ctx := context.Background()
	var out strings.Builder
	show := func(e *memory.Entry) { showEntry(&out, e) }
	for _, r := range []search.Request{
		{Query: query, Limit: 10},
		{Query: query, Limit: 100, Stores: []string{"reader", "room"}, Explain: true},
		{Query: query, Limit: 5, Filter: memory.Filter{Tags: []string{"none"}}},
		{Query: query, Limit: 10, Ranking: search.RankingRRF},
		{Query: query, Limit: 10, Filter: memory.Filter{Where: where(accesstest.Where)}, Explain: true},
		{Query: query, Limit: 10, Filter: memory.Filter{Where: where(`{"updated_at":{"lte":"2030"},"occurred_at":{"ne":"2026-05"}}`), Timezone: "Europe/Berlin"}, Explain: true},
		{Query: query, Limit: 10, Filter: memory.Filter{Match: match(`{"any":["by the window","gree*"],"none":["rain"]}`)}, Explain: true},
		{Query: query, Limit: 10, MinRelevance: 0.5},
		{Query: query, Limit: 10, MinRelevance: 1, Nearest: search.MaxNearest},
		{Query: query, Limit: 1, Filter: memory.Filter{Namespace: new("")}, ExplainEntry: &memory.Path{Store: "reader", Key: "a"}},
		{Query: query, Limit: 1, MinRelevance: 0.5, ExplainEntry: &memory.Path{Store: "room", Key: "b"}},
		{Query: query, Limit: 2, Mode: search.ModeLexical, ExplainEntry: &memory.Path{Store: "lender", Key: "c"}},
		{Query: query, Limit: 1, ExplainEntry: &memory.Path{Store: "seller", Key: "a"}},
		{Query: query, Limit: 1, ExplainEntry: &memory.Path{Store: "stranger", Key: "a"}},
		{Query: query, Limit: 1, ExplainEntry: &memory.Path{Store: "room", Key: "private/a"}},
		{Query: query, Limit: 1, ExplainEntry: &memory.Path{Store: "reader", Key: "expired/a"}},
		{Query: query, Limit: 1, ExplainEntry: &memory.Path{Store: "reader", Key: "deleted/a"}},
		{Query: query, Limit: 10, Mode: search.ModeLexical, Explain: true},
		{Query: query, Limit: 10, Mode: search.ModeVector, Diversity: 0.5, Explain: true},
		{Queries: []string{query, subjects[0], actions[1]}, Limit: 10, Recency: &search.Recency{HalfLife: time.Hour, Weight: 0.5}, Explain: true},
		{Query: misspelt(query), Limit: 10, Explain: true},
		{Query: misspelt(query), Limit: 10, NoTypos: true},
		{Query: misspelt(misspelt(query)), Limit: 10, Explain: true},
		{Query: "what happened in May 2026?", Limit: 10, Explain: true},
		{Query: "what happened on 4 March 2026?", Limit: 10, Filter: memory.Filter{Timezone: "Europe/Berlin"}},
		{Query: "what happened on 3 May?", Limit: 1, MinRelevance: 0.5, Nearest: search.MaxNearest},
		{Query: query + " on 3 May 2026", Limit: 10, Explain: true},
		{Query: query + " on 3 May 2026", Limit: 10, NoDates: true},
		{Query: query, Limit: 10, AsOf: h.Clock.Now().UTC().Format(time.RFC3339Nano), Explain: true},
		{Query: query, Limit: 10, AsOf: h.Clock.Now().UTC().Add(-time.Second).Format(time.RFC3339Nano), Mode: search.ModeLexical},
		{Query: query, Limit: 10, Passages: true},
		{Query: query, Limit: 10, MaxTokens: 60},
		{Query: query, Limit: 10, MaxTokens: 400, Passages: true},
	} {
		a, err := h.Search(ctx, c, r)
		fmt.Fprintf(&out, "search %v %v %v %v %v %v\n", err, a.Label, a.Degraded, a.Incomplete, a.NothingThen, a.NearestDay)
		for i := range a.Nearest {
			show(&a.Nearest[i].Entry)
			fmt.Fprintf(&out, "    near %x\n", a.Nearest[i].Relevance)
		}
		values := a.Values()
		err = values.Each(ctx, func(hit *search.Hit) error {
			show(&hit.Entry)
			fmt.Fprintf(&out, "    %x %x %v %v %v", hit.Score, hit.Relevance, hit.Truncated, hit.Passages, hit.Highlights)
			if x := hit.Explain; x != nil {
				out.WriteString(explainedAs(x))
			}
			fmt.Fprintln(&out)
			return nil
		})
		fmt.Fprintf(&out, "shown %v %v %d\n", err, values.Label(), values.Tokens())
		showExplanation(&out, values.Explanation())
	}
	for _, r := range []search.Request{{Query: query, Limit: 2}, {Query: query, Limit: 3, Ranking: search.RankingRRF}, {Query: query, Limit: 1, Diversity: 0.5, MinRelevance: 0.1}} {
		for page := range 5 {
			hits, next := h.pageOf(c, r)
			fmt.Fprintf(&out, "page %d of %d, another %v\n", page, r.Limit, next != "")
			for _, hit := range hits {
				show(&hit.Entry)
				fmt.Fprintf(&out, "    %x %x\n", hit.Score, hit.Relevance)
			}
			if r.Cursor = next; next == "" {
				break
			}
		}
	}
	return out.String()
}

// entries returns the results of lists, gets and histories as text.
func entries(h *harness, c memory.Caller) string {
	ctx := context.Background()
	var out strings.Builder
	show := func(e *memory.Entry) { showEntry(&out, e) }
	for _, store := range interferenceStores {
		p, err := h.List(ctx, c, memory.ListRequest{Store: store, Limit: 3, Filter: memory.Filter{Where: where(`{"or":[{"key":{"contains":"a"}},{"not":{"value.a":{"eq":1}}}]}`)}})
		fmt.Fprintf(&out, "list of those that fit, %s %v %v\n", store, err, p.Next != "")
		for i := range p.Items {
			show(&p.Items[i].Entry)
		}
		p, err = h.List(ctx, c, memory.ListRequest{Store: store, Limit: 3, Filter: memory.Filter{Match: match(`{"none":["was painted","lett*"]}`)}})
		fmt.Fprintf(&out, "list of those that match, %s %v %v\n", store, err, p.Next != "")
		for i := range p.Items {
			show(&p.Items[i].Entry)
		}
		p, err = h.List(ctx, c, memory.ListRequest{Store: store, Limit: 100})
		fmt.Fprintf(&out, "list %s %v %v\n", store, err, p.Next != "")
		for i := range p.Items {
			show(&p.Items[i].Entry)
		}
		keys := []string{"a", "b", "c", "d/e", "private/a", "expired/a", "deleted/a"}
		batch := memory.BatchRequest{Store: store}
		for _, key := range keys {
			batch.Items = append(batch.Items, memory.BatchItem{Op: memory.BatchGet, PutRequest: memory.PutRequest{Path: memory.Path{Key: key}}})
		}
		outcomes, err := h.Batch(ctx, c, batch)
		fmt.Fprintf(&out, "batch %s %v\n", store, err)
		for i := range outcomes {
			fmt.Fprintln(&out, " ", outcomes[i].Err)
			show(&outcomes[i].Entry)
		}
		for _, key := range keys {
			f, err := h.Get(ctx, c, memory.Path{Store: store, Key: key})
			fmt.Fprintf(&out, "get %s %s %v\n", store, key, err)
			show(&f.Entry)
			versions := 0
			_, err = h.EachVersion(ctx, c, memory.Path{Store: store, Key: key}, 10, "", func(memory.Found) error { versions++; return nil })
			fmt.Fprintf(&out, "versions %d %v\n", versions, err)
		}
	}
	return out.String()
}
