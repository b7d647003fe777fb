package search_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// lexicalHits runs only the lexical leg. Hits with equal scores are ordered by
// key.
func lexicalHits(t *testing.T, storage memory.Storage, q line) (hits []comparedHit) {
	t.Helper()
	err := storage.View(t.Context(), func(tx memory.ReadTx) error {
		hits = nil
		now := time.Now()
		scope, err := acl.NewScope(t.Context(), tx, owner(q.Store).Principal, acl.ScopeRequest{}, now)
		if err != nil {
			return err
		}
		found, _, err := tx.Lexical(t.Context(), scope, memory.LexicalQuery{Terms: lexical.ParseQuery(q.Text), Limit: 256, Now: now})
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(found))
		for i, hit := range found {
			ids[i] = hit.Entry
		}
		rows, err := tx.Get(t.Context(), ids)
		if err != nil {
			return err
		}
		keys := make(map[uuid.UUID]string)
		for _, row := range rows {
			keys[row.ID] = row.Key
		}
		for _, hit := range found {
			hits = append(hits, comparedHit{Key: keys[hit.Entry], Score: math.Float64bits(hit.Score)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(hits, func(a, b comparedHit) int { return -compareScores(a, b) }) {
		t.Fatalf("query %s: hits out of order", q.ID)
	}
	slices.SortFunc(hits, func(a, b comparedHit) int {
		if c := compareScores(b, a); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return hits
}

// compareScores compares scores by their bits. Scores are not negative.
func compareScores(a, b comparedHit) int {
	switch {
	case a.Score < b.Score:
		return -1
	case a.Score > b.Score:
		return 1
	}
	return 0
}
