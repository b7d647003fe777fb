package postgres_test

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

// askLeg asks the lexical leg alone, equals ordered by key.
func askLeg(t *testing.T, storage memory.Storage, q turn) (places []place) {
	t.Helper()
	err := storage.View(t.Context(), func(tx memory.ReadTx) error {
		places = nil
		now := time.Now()
		scope, err := acl.NewScope(t.Context(), tx, owner(q.Store).Principal, acl.ScopeRequest{}, now)
		if err != nil {
			return err
		}
		hits, err := tx.Lexical(t.Context(), scope, memory.LexicalQuery{Terms: lexical.ParseQuery(q.Text), Limit: 256, Now: now})
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(hits))
		for i, hit := range hits {
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
		for _, hit := range hits {
			places = append(places, place{Key: keys[hit.Entry], Score: math.Float64bits(hit.Score)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(places, func(a, b place) int { return -compareScores(a, b) }) {
		t.Fatalf("question %s: hits out of order", q.ID)
	}
	slices.SortFunc(places, func(a, b place) int {
		if c := compareScores(b, a); c != 0 {
			return c
		}
		return strings.Compare(a.Key, b.Key)
	})
	return places
}

// compareScores compares scores, which are not negative, by their bits.
func compareScores(a, b place) int {
	switch {
	case a.Score < b.Score:
		return -1
	case a.Score > b.Score:
		return 1
	}
	return 0
}
