package sqlite

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// An import reads the usage before each of its entries. If reading the usage wrote the collected
// postings, every entry would rewrite the block of each of its words.
func TestReadingUsageLeavesPostingsForTheCommit(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer s.Close()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const entries = 3
	var written int
	countBlocks := func(tx memory.Tx) error {
		_, err := tx.(*writeTx).one(t.Context(), []any{&written}, "SELECT count(*) FROM posting")
		return err
	}
	err := s.Update(t.Context(), func(tx memory.Tx) error {
		for i := range entries {
			usage, err := tx.Usage(t.Context(), "ada", "ada", acl.Public, now)
			if err != nil {
				return err
			}
			if usage.Entries != int64(i) {
				t.Errorf("after %d puts the usage counts %d entries", i, usage.Entries)
			}
			e := memory.Entry{
				ID: uuid.New(), Path: memory.Path{Store: "ada", Key: fmt.Sprint(i)}, Owner: "ada", Label: acl.Public,
				Value: json.RawMessage(`"green tea"`), InContext: true, Version: 1, Revision: 1, CreatedAt: now, UpdatedAt: now, UpdatedBy: "ada",
			}
			if err := tx.Put(t.Context(), e, lexical.Analyze("green tea")); err != nil {
				return err
			}
		}
		return countBlocks(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if written != 0 {
		t.Errorf("%d blocks of postings were written before the commit", written)
	}
	if err := s.Update(t.Context(), countBlocks); err != nil {
		t.Fatal(err)
	}
	if written == 0 {
		t.Error("no block of postings was written by the commit")
	}
}
