package backendtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/indexer"
	"mneme/test/wait"
	"mneme/vector"
)

// AwaitConsistent waits until CheckIndex finds no difference.
func AwaitConsistent(t testing.TB, storage indexer.Storage, fingerprint string, index vector.Index) {
	t.Helper()
	wait.Until(t, "the index has the vectors of the rows", func() error {
		return CheckIndex(t, storage, fingerprint, index)
	})
}

// CheckIndex returns an error unless an index has exactly the vectors of the
// rows. Every entry must have one chunk.
func CheckIndex(t testing.TB, storage indexer.Storage, fingerprint string, index vector.Index) error {
	t.Helper()
	ctx := context.Background()
	rows, indexed := make(map[uuid.UUID]vector.Record), 0
	err := storage.View(ctx, func(tx indexer.ReadTx) error {
		return tx.AllVectors(ctx, fingerprint, func(r vector.Record) error { rows[r.Entry] = r; return nil })
	})
	if err != nil {
		return err
	}
	err = index.(vector.Lister).List(ctx, func(e vector.IndexedEntry) error {
		indexed++
		if r, ok := rows[e.Entry]; !ok || e.Digest != r.Digest() {
			return fmt.Errorf("the index has %+v; found in the rows: %v", e, ok)
		}
		return nil
	})
	if err != nil || indexed != len(rows) {
		return fmt.Errorf("the index has %d of %d entries: %w", indexed, len(rows), err)
	}
	if settler, ok := index.(vector.Settler); ok {
		if err := settler.Settle(ctx); err != nil {
			return err
		}
	}
	for id, r := range rows {
		scope := acltest.Scope(t, acltest.Reach{Number: r.Store, Ceiling: acl.Restricted})
		hits, err := index.Search(ctx, scope, vector.Query{Vector: r.Vector.Floats(), Limit: 1, Only: []uuid.UUID{id}})
		if err != nil {
			return err
		}
		if len(hits) != 1 || hits[0].Score < .999 { // cosine with the row's own vector
			return fmt.Errorf("the index and the row have different vectors: %v", hits)
		}
	}
	return nil
}
