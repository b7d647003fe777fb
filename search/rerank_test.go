package search_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// judge is a Reranker that records its inputs. say is hashOdds by default.
type judge struct {
	say func(ctx context.Context, query string, texts []string) ([]float64, error)

	mu      sync.Mutex
	queries []string
	texts   []string
}

func (j *judge) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	j.mu.Lock()
	j.queries, j.texts = append(j.queries, query), append(j.texts, texts...)
	j.mu.Unlock()
	if j.say != nil {
		return j.say(ctx, query, texts)
	}
	odds := make([]float64, len(texts))
	for i, text := range texts {
		odds[i] = hashOdds(query, text)
	}
	return odds, nil
}

// received returns the inputs since the last call, sorted.
func (j *judge) received() (queries, texts []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	queries, texts = j.queries, j.texts
	j.queries, j.texts = nil, nil
	slices.Sort(queries)
	slices.Sort(texts)
	return queries, texts
}

// hashOdds returns log-odds from −8 to 8 that look random.
func hashOdds(query, text string) float64 {
	h := fnv.New32a()
	fmt.Fprint(h, query, "\x00", text)
	return float64(h.Sum32()%1601)/100 - 8
}

// oddsOf returns a Rerank function that gives texts the log-odds of the word that they contain;
// −6 for other texts.
func oddsOf(words map[string]float64) func(context.Context, string, []string) ([]float64, error) {
	return func(_ context.Context, _ string, texts []string) ([]float64, error) {
		odds := make([]float64, len(texts))
		for i, text := range texts {
			odds[i] = -6
			for word, value := range words {
				if strings.Contains(text, word) {
					odds[i] = value
				}
			}
		}
		return odds, nil
	}
}

// openReranked opens a service with a Reranker and one without, over the same database.
func openReranked(t *testing.T, b backendtest.Backend, o backendtest.Options) (with, without *harness) {
	t.Helper()
	clock := backendtest.NewClock()
	data := b.Open(t)
	o.Memory.Now = clock.Now
	if o.Search.RerankBudget == 0 {
		o.Search.RerankBudget = time.Hour
	}
	with = openOver(t, data, o, encoder(t))
	with.Clock = clock
	return with, openOver(t, data, backendtest.Options{Memory: memory.Options{Now: clock.Now}}, encoder(t))
}

const ferries = "When does the ferry leave?"

// putFerries writes n entries that answer the question ferries more or less.
func (h *harness) putFerries(c memory.Caller, n int) {
	h.t.Helper()
	for i := range n {
		h.PutText(c, c.Agent, fmt.Sprintf("note%03d", i), fmt.Sprintf("The ferry number%03d leaves at %d, %s.", i, i%24, strings.Repeat("weather permitting ", i%7)), 201)
	}
	h.Index()
}

func TestTheRerankerOrdersTheHits(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		j := &judge{}
		h, plain := openReranked(t, b, backendtest.Options{Search: search.Options{Reranker: j}})
		a := agent("a", acl.Public)
		h.putFerries(a, 12)
		plain.Index()
		j.say = oddsOf(map[string]float64{"number007": 6, "number003": 3, "number011": 0.5})
		own := make(map[string]search.Hit)
		for _, hit := range plain.MustSearch(a, search.Request{Query: ferries, Limit: 20}).Hits {
			own[hit.Key] = hit
		}
		answer := h.MustSearch(a, search.Request{Query: ferries, Limit: 20, Explain: true})
		if got := keys(answer)[:3]; !slices.Equal(got, []string{"note007", "note003", "note011"}) {
			t.Errorf("first %v", got)
		}
		if len(answer.Degraded) > 0 || len(answer.Hits) != len(own) {
			t.Errorf("%d hits of %d, degraded %v", len(answer.Hits), len(own), answer.Degraded)
		}
		for i, hit := range answer.Hits {
			x, sum := hit.Explain, 0.0
			for _, s := range x.Summands {
				sum += s.Value
			}
			if x.Rerank == nil || math.Abs(sum-hit.Score) > 1e-9 || x.Summands[len(x.Summands)-1].Name != search.StepRerank {
				t.Fatalf("%s: score %v, explained by %+v, %v", hit.Key, hit.Score, x.Summands, x.Rerank)
			}
			if i < 3 && x.Rerank.Rank != i+1 {
				t.Errorf("%s is the reranker's number %d", hit.Key, x.Rerank.Rank)
			}
			odds := map[string]float64{"note007": 6, "note003": 3, "note011": 0.5}
			said, known := odds[hit.Key]
			if !known {
				said = -6
			}
			ownOdds := math.Log(own[hit.Key].Relevance / (1 - own[hit.Key].Relevance))
			want := 1 / (1 + math.Exp(-0.7*said-0.3*ownOdds))
			if math.Abs(hit.Relevance-want) > 1e-6 || math.Abs(x.Rerank.Score-1/(1+math.Exp(-said))) > 1e-9 {
				t.Errorf("%s: relevance %v, want %v; score %v", hit.Key, hit.Relevance, want, x.Rerank.Score)
			}
		}
	})
}

func TestTheRerankersScoresDecideMinRelevance(t *testing.T) {
	j := &judge{say: oddsOf(map[string]float64{"number004": 4})}
	h, _ := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j}})
	a := agent("a", acl.Public)
	h.putFerries(a, 8)
	if got := keys(h.MustSearch(a, search.Request{Query: ferries, MinRelevance: 0.5})); !slices.Equal(got, []string{"note004"}) {
		t.Errorf("hits %v", got)
	}
	j.say = oddsOf(map[string]float64{"number005": -5})
	answer := h.MustSearch(a, search.Request{Query: ferries, MinRelevance: 0.5, Nearest: 1})
	if len(answer.Hits) != 0 || len(answer.Nearest) != 1 || answer.Nearest[0].Entry.Key != "note005" {
		t.Errorf("hits %v, nearest %+v", keys(answer), answer.Nearest)
	}
}

// An answer of a Reranker without a valid judgement of each text does not change the order.
func TestAFailedRerankerLeavesTheOwnOrder(t *testing.T) {
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	fill := func(n int, x float64) []float64 {
		odds := make([]float64, n)
		for i := range odds {
			odds[i] = x
		}
		return odds
	}
	type say = func(context.Context, string, []string) ([]float64, error)
	for name, say := range map[string]say{
		"an error": func(context.Context, string, []string) ([]float64, error) { return nil, errors.New("down") },
		"too few": func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return fill(len(texts)-1, 1), nil
		},
		"too many": func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return fill(len(texts)+1, 1), nil
		},
		"nothing": func(context.Context, string, []string) ([]float64, error) { return nil, nil },
		"NaN": func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return fill(len(texts), math.NaN()), nil
		},
		"infinity": func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return fill(len(texts), math.Inf(1)), nil
		},
		"never": func(ctx context.Context, _ string, _ []string) ([]float64, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"never, and is slow to notice": func(context.Context, string, []string) ([]float64, error) { <-blocked; return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			options := backendtest.Options{Search: search.Options{Reranker: &judge{say: say}}}
			if strings.HasPrefix(name, "never") {
				options.Search.RerankBudget = time.Millisecond
			}
			h, plain := openReranked(t, backendtest.Embedded(), options)
			a := agent("a", acl.Public)
			h.putFerries(a, 10)
			plain.Index()
			r := search.Request{Query: ferries, Explain: true}
			got, want := h.MustSearch(a, r), plain.MustSearch(a, r)
			if !slices.Equal(got.Degraded, []string{search.StepRerank}) {
				t.Errorf("degraded %v", got.Degraded)
			}
			for i, hit := range got.Hits {
				if other := want.Hits[i]; hit.Key != other.Key || hit.Score != other.Score || hit.Relevance != other.Relevance || hit.Explain.Rerank != nil {
					t.Errorf("hit %d is %s, want %s", i, hit.Key, other.Key)
				}
			}
		})
	}
}

func TestASearchThatIsCanceledWhileItReranksFails(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	j := &judge{say: func(ctx context.Context, _ string, _ []string) ([]float64, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	h, _ := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j}})
	a := agent("a", acl.Public)
	h.putFerries(a, 3)
	if _, err := h.Search(ctx, a, search.Request{Query: ferries, Limit: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A slow Reranker does not occupy a reader of the storage.
func TestOthersReadWhileTheRerankerIsAsked(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		asked, answer := make(chan struct{}, 8), make(chan struct{})
		j := &judge{say: func(_ context.Context, query string, texts []string) ([]float64, error) {
			asked <- struct{}{}
			<-answer
			return make([]float64, len(texts)), nil
		}}
		h, _ := openReranked(t, b, backendtest.Options{Search: search.Options{Reranker: j}})
		a := agent("a", acl.Public)
		h.putFerries(a, 3)
		var searches sync.WaitGroup
		for range 8 { // more than the readers that one agent may use
			searches.Go(func() {
				if _, err := h.Search(background, a, search.Request{Query: ferries, Limit: 10}); err != nil {
					t.Error(err)
				}
			})
		}
		for range 8 {
			<-asked
		}
		h.WantText(a, "a", "note000", "The ferry number000 leaves at 0, .")
		close(answer)
		searches.Wait()
	})
}

// A session above the Reranker's label gets its answer in the order without the Reranker. The
// Reranker gets neither its question nor a text.
func TestTheRerankerGetsNothingOfSessionsAboveItsLabel(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		j := new(judge)
		h, _ := openReranked(t, b, backendtest.Options{Search: search.Options{Reranker: j, RerankLabel: acl.Internal}})
		a, high := agent("a", acl.Internal), agent("a", acl.Confidential)
		h.PutText(a, "a", "own", "the ferry leaves", 201)
		h.Index()
		if answer := h.MustSearch(high, search.Request{Query: ferries, Limit: 5}); len(answer.Hits) != 1 || len(answer.Degraded) != 0 {
			t.Errorf("%+v", answer)
		}
		if _, got := j.received(); len(got) != 0 {
			t.Errorf("sent %q", got)
		}
		h.MustSearch(a, search.Request{Query: ferries, Limit: 5})
		if _, got := j.received(); len(got) != 1 {
			t.Errorf("at the bound, sent %q", got)
		}
	})
}

func TestTextsThatAreNeverSentToTheReranker(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		j := &judge{}
		h, _ := openReranked(t, b, backendtest.Options{Search: search.Options{Reranker: j}})
		a, other, seller := agent("a", acl.Internal), agent("other", acl.Internal), agent("seller", acl.Internal)
		high := agent("a", acl.Confidential)
		h.PutText(a, "a", "own", "the ferry leaves, own", 201)
		h.PutText(high, "a", "high", "the ferry leaves, above the taint", 201)
		h.PutText(high, "a", "own", "the ferry leaves, above the taint, same key", 201)
		h.PutText(a, "a", "sealed", "the ferry leaves, sealed", 201, func(r *memory.PutRequest) { r.Encrypted = new(true) })
		h.PutText(a, "a", "private", "the ferry leaves, private", 201, func(r *memory.PutRequest) { r.InContext = new(false) })
		h.PutText(a, "a", "deleted", "the ferry leaves, deleted", 201)
		must(h, h.Delete(background, a, path("a", "deleted"), memory.Preconditions{}))
		h.PutText(other, "other", "foreign", "the ferry leaves, foreign", 201)
		for _, level := range []acl.Level{acl.Search, acl.Read} {
			store := agent("lender-"+level.String(), acl.Confidential)
			h.PutText(store, store.Agent, "lent", "the ferry leaves, lent at "+level.String(), 201)
			h.PutText(agent(store.Agent, acl.Public), store.Agent, "low", "the ferry leaves, low at "+level.String(), 201)
			h.Lend(store.Agent, "a", level)
		}
		h.PutText(seller, "seller", "sold", "the ferry leaves, sold", 201)
		h.buy(a, h.offer(seller, 10, 100), 100_000)
		h.Index()
		charge := int64(1000)
		for name, r := range map[string]search.Request{
			"all": {}, "of sold ones": {Stores: []string{"a", "seller"}, Purchase: search.Purchase{MaxCharge: &charge}},
			"of those at level search": {Stores: []string{"a", "lender-search"}}, "explained": {Explain: true},
			"by meaning": {Mode: search.ModeVector}, "filtered": {Filter: memory.Filter{Where: where(`{"key": {"ne": "x"}}`)}},
		} {
			r.Query, r.Limit = ferries, 50
			h.MustSearch(a, r)
			want := []string{"own\nthe ferry leaves, own"}
			if r.Stores == nil {
				want = append([]string{"low\nthe ferry leaves, low at read"}, want...)
			}
			if _, got := j.received(); !slices.Equal(got, want) {
				t.Errorf("%s: sent %q, want %q", name, got, want)
			}
		}
		for name, r := range map[string]search.Request{
			"rrf": {Ranking: search.RankingRRF}, "rrf with a threshold": {Ranking: search.RankingRRF, MinRelevance: 0.01},
			"a store at level search": {Stores: []string{"lender-search"}}, "no words": {Query: "…?"}, "nothing found": {Filter: memory.Filter{Tags: []string{"none"}}},
		} {
			if r.Query == "" {
				r.Query = ferries
			}
			r.Limit = 10
			answer, err := h.Search(background, a, r)
			must(h, err)
			if queries, texts := j.received(); len(queries)+len(texts) > 0 || slices.Contains(answer.Degraded, search.StepRerank) {
				t.Errorf("%s: asked %q about %q, degraded %v", name, queries, texts, answer.Degraded)
			}
		}
	})
}

func TestTheRerankerGetsTheBestPassagesOfTheFirstCandidates(t *testing.T) {
	j := &judge{}
	h, plain := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j, Reranked: 5}})
	a := agent("a", acl.Public)
	for i := range 20 {
		h.PutText(a, "a", fmt.Sprint("harbour/", strings.Repeat("x", i+1)), fmt.Sprintf("Boats come to the harbour, %d of them.", i), 201)
	}
	filler := strings.Repeat("Nothing of note happened in the village that day. ", 400)
	h.PutText(a, "a", "long", filler+"The ferry leaves when the red flag is up, said Ω. "+filler, 201, func(r *memory.PutRequest) {
		r.Description = new("About the ferry, and when does it leave")
	})
	h.Index()
	plain.Index()
	first := keys(plain.MustSearch(a, search.Request{Query: ferries, Limit: 5}))
	h.MustSearch(a, search.Request{Query: ferries, Limit: 1})
	_, texts := j.received()
	if len(texts) != 5 {
		t.Fatalf("sent %d texts", len(texts))
	}
	for _, text := range texts {
		if len(text) > 2000 || len(text) == 0 {
			t.Errorf("sent %d bytes", len(text))
		}
		if key, _, _ := strings.Cut(text, "\n"); !strings.HasPrefix(key, "harbour") && key != "long" {
			t.Errorf("%q has no header", text)
		}
	}
	long := slices.IndexFunc(texts, func(text string) bool { return strings.HasPrefix(text, "long\nAbout the ferry") })
	if long < 0 || !slices.Contains(first, "long") || !strings.Contains(texts[long], "red flag is up, said Ω") {
		t.Errorf("first are %v; sent of the long one: %d, %.80q", first, long, texts)
	}
	h.MustSearch(a, search.Request{Query: ferries + strings.Repeat(" Ω", 4000), Limit: 1})
	if queries, _ := j.received(); len(queries) != 1 || len(queries[0]) > 4000 || strings.Contains(queries[0], "\uFFFD") {
		t.Errorf("sent %d queries", len(queries))
	}
}

func TestEachCandidateIsJudgedByItsBestWording(t *testing.T) {
	j := &judge{}
	h, _ := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j}})
	a := agent("a", acl.Public)
	h.PutText(a, "a", "ferry", "The ferry leaves at nine.", 201)
	h.PutText(a, "a", "bread", "Rye bread needs sourdough and salt.", 201)
	h.Index()
	sent := make(map[string]string)
	j.say = func(_ context.Context, query string, texts []string) ([]float64, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, text := range texts {
			sent[text] = query
		}
		return make([]float64, len(texts)), nil
	}
	answer := h.MustSearch(a, search.Request{Queries: []string{ferries, "What goes into rye bread?"}, Explain: true})
	if sent["ferry\nThe ferry leaves at nine."] != ferries || sent["bread\nRye bread needs sourdough and salt."] != "What goes into rye bread?" {
		t.Errorf("sent %q", sent)
	}
	if len(answer.Hits) != 2 || answer.Hits[0].Explain.Rerank == nil || answer.Hits[1].Explain.Rerank == nil {
		t.Errorf("hits %v", keys(answer))
	}
}

// Later pages continue the order of the first page, with its scores, and do not ask the Reranker.
func TestPagesKeepTheJudgementsOfTheReranker(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		for name, r := range map[string]search.Request{
			"relevance": {}, "recency": {Recency: &search.Recency{HalfLife: time.Hour, Weight: 0.5}}, "diversity": {Diversity: 0.3}, "threshold": {MinRelevance: 0.01},
		} {
			j := &judge{}
			h, plain := openReranked(t, b, backendtest.Options{Search: search.Options{Reranker: j, Reranked: 15}})
			a := agent("a", acl.Public)
			h.putFerries(a, 25)
			plain.Index()
			r.Query, r.Limit = ferries, 100
			whole := h.MustSearch(a, r)
			if queries, texts := j.received(); len(queries) != 1 || len(texts) != 15 {
				t.Fatalf("%s: %d queries, %d texts", name, len(queries), len(texts))
			}
			for other, later := range map[string]*harness{"same": h, "without a reranker": plain} {
				r.Limit, r.Cursor = 4, ""
				n := 0
				for from := h; ; from = later {
					hits, next := from.pageOf(a, r)
					for _, hit := range hits {
						if want := whole.Hits[n]; hit.Key != want.Key || hit.Score != want.Score || hit.Relevance != want.Relevance {
							t.Errorf("%s, %s: hit %d is %s with %v, %v, want %s with %v, %v", name, other, n, hit.Key, hit.Score, hit.Relevance, want.Key, want.Score, want.Relevance)
						}
						n++
					}
					if r.Cursor = next; next == "" {
						break
					}
				}
				if queries, _ := j.received(); n != len(whole.Hits) || len(queries) != 1 {
					t.Errorf("%s, %s: %d hits of %d, %d queries", name, other, n, len(whole.Hits), len(queries))
				}
			}
		}
	})
}

func TestAJudgementDoesNotApplyToAChangedEntry(t *testing.T) {
	j := &judge{say: oddsOf(map[string]float64{"number002": 9, "number005": 8})}
	h, plain := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j}})
	a := agent("a", acl.Public)
	h.putFerries(a, 6)
	plain.Index()
	relevance := func(h *harness, r search.Request, key string) float64 {
		hits, _ := h.pageOf(a, r)
		for _, hit := range hits {
			if hit.Key == key {
				return hit.Relevance
			}
		}
		t.Fatalf("%s is no hit", key)
		return 0
	}
	r := search.Request{Query: ferries, Limit: 1}
	_, r.Cursor = h.pageOf(a, r) // note002 was its hit
	h.Clock.Advance(time.Second)
	h.PutText(a, "a", "note005", "The ferry leaves, or so they say.", 200)
	h.Index()
	plain.Index()
	if got, want := relevance(h, r, "note005"), relevance(plain, search.Request{Query: ferries, Limit: 10}, "note005"); got != want {
		t.Errorf("an entry that was changed between pages has %v, want its own %v", got, want)
	}
	// An entry changes while the reranker runs.
	j.say = func(ctx context.Context, query string, texts []string) ([]float64, error) {
		h.PutText(a, "a", "note002", "The ferry leaves, or does it?", 200)
		return oddsOf(map[string]float64{"number002": 9})(ctx, query, texts)
	}
	answer := h.MustSearch(a, search.Request{Query: ferries, Limit: 10, Explain: true})
	for _, hit := range answer.Hits {
		if (hit.Explain.Rerank == nil) != (hit.Key == "note002") {
			t.Errorf("%s: %v", hit.Key, hit.Explain.Rerank)
		}
	}
}

func TestAnEntryThatIsLostWhileTheRerankerIsAskedIsNotShown(t *testing.T) {
	j := &judge{}
	h, _ := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j}})
	a := agent("a", acl.Public)
	h.putFerries(a, 4)
	j.say = func(_ context.Context, _ string, texts []string) ([]float64, error) {
		must(h, h.Delete(background, a, path("a", "note001"), memory.Preconditions{}))
		return make([]float64, len(texts)), nil
	}
	if got := keys(h.MustSearch(a, search.Request{Query: ferries})); len(got) != 3 || slices.Contains(got, "note001") {
		t.Errorf("hits %v", got)
	}
}

// A Reranker finds no entries, so its failure does not make a search of a store free.
func TestAFailedRerankerChangesNoCharge(t *testing.T) {
	j := &judge{say: func(context.Context, string, []string) ([]float64, error) { return nil, errors.New("down") }}
	h, plain := openReranked(t, backendtest.Embedded(), backendtest.Options{Search: search.Options{Reranker: j}})
	buyer, seller := agent("buyer", acl.Internal), agent("seller", acl.Internal)
	h.putFerries(buyer, 3)
	h.PutText(agent("seller", acl.Restricted), "seller", "hidden", "nothing that the buyer may see", 201)
	h.buy(buyer, h.offer(seller, 10, 100), 100_000)
	h.Index()
	plain.Index()
	charge := int64(1000)
	r := search.Request{Query: ferries, Limit: 10, Stores: []string{"buyer", "seller"}, Purchase: search.Purchase{MaxCharge: &charge}}
	got, want := h.MustSearch(buyer, r), plain.MustSearch(buyer, r)
	if len(got.Bill.Charges) != 1 || len(want.Bill.Charges) != 1 || got.Bill.Charges[0].Amount != want.Bill.Charges[0].Amount {
		t.Errorf("charged %+v, without a reranker %+v", got.Bill.Charges, want.Bill.Charges)
	}
}

func TestJudgedRelevanceGrowsWithBothJudges(t *testing.T) {
	last := -1.0
	for _, odds := range []float64{-fusion.MaxLogOdds, -7, -3, -1, 0, 1, 3, 7, fusion.MaxLogOdds} {
		before := -1.0
		for _, score := range []float64{-1, 0, 0.5, 1, 1.5, 2, 4} {
			r := fusion.RelevanceOf(score + fusion.Judged(score, odds))
			if r <= before || r <= 0 || r >= 1 {
				t.Errorf("score %v, log-odds %v: relevance %v after %v", score, odds, r, before)
			}
			before = r
			if score == 1 {
				if r <= last {
					t.Errorf("log-odds %v: relevance %v after %v", odds, r, last)
				}
				last = r
			}
		}
	}
	// An entry that the judge finds unlikely falls below the tools' threshold of 0.03.
	if r := fusion.RelevanceOf(1 + fusion.Judged(1, math.Log(0.005/0.995))); r >= 0.03 {
		t.Errorf("relevance %v", r)
	}
	if r := fusion.RelevanceOf(0.5 + fusion.Judged(0.5, 0)); r < 0.2 {
		t.Errorf("relevance %v", r)
	}
}
