package search_test

import (
	"slices"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// happenedOn sets when an entry happened.
func happenedOn(date string) func(*memory.PutRequest) {
	return func(r *memory.PutRequest) { r.OccurredAt = &date }
}

// Short statements have little more in common than their subject.
func TestTheNewerOfTwoShortStatementsIsFirst(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openOver(t, b.Open(t), backendtest.Options{}, codedEncoder(t))
		c := agent("anna", acl.Public)
		h.PutText(c, "anna", "launch/old", "The launch is on 3 March.", 201, happenedOn("2026-01-10"))
		h.PutText(c, "anna", "launch/new", "The launch was moved to 17 April.", 201, happenedOn("2026-03-01"))
		h.PutText(c, "anna", "party", "The launch party needs balloons.", 201, happenedOn("2026-03-02"))
		h.PutText(c, "anna", "bees", "Anna is allergic to bees and carries an adrenaline pen.", 201, happenedOn("2026-05-06"))
		h.Index()
		for _, query := range []string{"When is the launch?", "launch date"} {
			if got := keys(h.MustSearch(c, search.Request{Query: query, Limit: 2})); !slices.Equal(got, []string{"launch/new", "launch/old"}) {
				t.Errorf("%s: %v", query, got)
			}
		}
	})
}

// openStatements opens a store with two statements about one thing, of which the older one
// answers better by its words, and some other notes.
func openStatements(t *testing.T, b backendtest.Backend) (*harness, memory.Caller) {
	h := openOver(t, b.Open(t), backendtest.Options{}, codedEncoder(t))
	c := agent("anna", acl.Public)
	h.PutText(c, "anna", "choir/new", "The choir rehearses on Mondays at seven in the old mill since spring, no longer at the school.", 201, happenedOn("2026-03-02"))
	h.PutText(c, "anna", "choir/old", "The choir rehearses on Thursdays at seven in the school.", 201, happenedOn("2025-09-10"))
	h.PutText(c, "anna", "orchestra", "The orchestra of the town rehearses in the church, every Friday.", 201, happenedOn("2026-04-01"))
	h.PutText(c, "anna", "mill", "The old mill was painted by the neighbours.", 201, happenedOn("2026-05-05"))
	h.PutText(c, "anna", "bees", "Anna is allergic to bees and carries an adrenaline pen.", 201, happenedOn("2026-05-06"))
	h.Index()
	return h, c
}

func TestTheNewerOfTwoStatementsIsFirst(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openStatements(t, b)
		for query, want := range map[string][]string{
			"When does the choir rehearse?":                     {"choir/new", "choir/old"},
			"On which day did the choir use to rehearse?":       {"choir/old", "choir/new"},
			"On which day did the choir rehearse in 2025?":      {"choir/old", "choir/new"},
			"When did the choir rehearse before it was moved?":  {"choir/old", "choir/new"},
			"On which day of the week does the choir rehearse?": {"choir/new", "choir/old"},
		} {
			a := h.MustSearch(c, search.Request{Query: query, Limit: 5})
			if got := keys(a); !slices.Equal(got[:2], want) {
				t.Errorf("%s: %v", query, got)
			}
			for _, hit := range a.Hits {
				superseded := ""
				if hit.Key == "choir/old" {
					superseded = "choir/new"
				}
				if hit.SupersededBy != superseded {
					t.Errorf("%s: %s is superseded by %q, want %q", query, hit.Key, hit.SupersededBy, superseded)
				}
			}
		}
		// The order of time changes no relevance, and does not apply to a requested ranking.
		plain := h.MustSearch(c, search.Request{Query: "When does the choir rehearse?", Limit: 5})
		rrf := h.MustSearch(c, search.Request{Query: "When does the choir rehearse?", Limit: 5, Ranking: search.RankingRRF})
		for key, relevance := range relevanceByKey(plain) {
			if other := relevanceByKey(rrf)[key]; other != relevance {
				t.Errorf("%s has relevance %v and, by rank, %v", key, relevance, other)
			}
		}
	})
}

// Wordings that ask for the past and for the present share one order, so that the swaps end.
func TestWordingsOfSeveralTimesHaveOneOrder(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openStatements(t, b)
		h.PutText(c, "anna", "choir/middle", "The choir rehearses on Tuesdays at seven in the school, since January.", 201, happenedOn("2026-01-10"))
		h.Index()
		a := h.MustSearch(c, search.Request{Queries: []string{"Where does the choir rehearse now, in the old mill?", "On which day did the choir rehearse in the school before?"}, Limit: 5})
		old, middle := slices.Index(keys(a), "choir/old"), slices.Index(keys(a), "choir/middle")
		if old < 0 || middle < 0 || old > middle {
			t.Errorf("hits %v", keys(a))
		}
	})
}

// Entries without dates that are written within a sitting may be the items of a list and
// resemble each other. Only those that say nearly the same in the same words are ordered by time.
func TestOnlyNearDuplicatesOfOneSittingAreOrderedByTime(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		clock := backendtest.NewClock()
		h := openOver(t, b.Open(t), backendtest.Options{Memory: memory.Options{Now: clock.Now}}, codedEncoder(t))
		c := agent("anna", acl.Public)
		h.PutText(c, "anna", "office/a", "Anna's office is in Berlin.", 201)
		clock.Advance(time.Second)
		h.PutText(c, "anna", "office/b", "Anna's office is in Munich.", 201)
		clock.Advance(time.Second)
		h.PutText(c, "anna", "dog", "The neighbour's dog barks at night.", 201)
		h.Index()
		a := h.MustSearch(c, search.Request{Query: "Where is Anna's office?", Limit: 5})
		if got := keys(a); got[0] != "office/b" || got[1] != "office/a" || a.Hits[1].SupersededBy != "office/b" {
			t.Errorf("hits %v", got)
		}
	})
}

// SECURITY: nothing reveals which of two entries of a store at level search is newer, or that
// there is another one.
func TestAStoreAtLevelSearchIsNotOrderedByTime(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openStatements(t, b)
		share(h, "anna", "reader", acl.Search)
		r := search.Request{Query: "When does the choir rehearse?", Stores: []string{"anna"}, Limit: 5}
		a := h.MustSearch(agent("reader", acl.Public), r)
		scores := make([]float64, len(a.Hits))
		for i, hit := range a.Hits {
			if scores[i] = -hit.Relevance; hit.SupersededBy != "" {
				t.Errorf("%s is superseded by %q", hit.Key, hit.SupersededBy)
			}
		}
		if !slices.IsSorted(scores) {
			t.Errorf("hits %v by %v", keys(a), scores)
		}
		if own := h.MustSearch(c, r); own.Hits[1].SupersededBy == "" {
			t.Error("the owner does not see which entry is newer")
		}
	})
}

// SECURITY: an entry above the caller's ceiling neither supersedes nor moves another.
func TestAHiddenEntrySupersedesNothing(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, c := openStatements(t, b)
		r := search.Request{Query: "When does the choir rehearse?", Limit: 5}
		before := h.MustSearch(c, r)
		h.PutText(agent("anna", acl.Restricted), "anna", "choir/secret", "The choir rehearses on Sundays at seven in the cellar since June, no longer at the mill.", 201, happenedOn("2026-06-02"))
		h.Index()
		after := h.MustSearch(c, r)
		for i, hit := range after.Hits {
			if was := before.Hits[i]; hit.Key != was.Key || hit.SupersededBy != was.SupersededBy || hit.Relevance != was.Relevance {
				t.Errorf("hit %d: %s by %q, was %s by %q", i, hit.Key, hit.SupersededBy, was.Key, was.SupersededBy)
			}
		}
	})
}
