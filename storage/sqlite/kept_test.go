package sqlite

import (
	"path/filepath"
	"testing"

	"mneme/acl"
	"mneme/memory"
)

// If a commit of another process were not noticed, a connection's cache would outlive a revoked
// grant.
func TestCommitsOfAnotherProcessInvalidateTheCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s, other := openAt(t, path), openAt(t, path)
	defer func() { _, _ = s.Close(), other.Close() }()
	for i := range 20 {
		want := acl.Level(i % 2 * int(acl.Read)) // None: the grant is gone
		err := other.Update(t.Context(), func(tx memory.Tx) error {
			return tx.PutGrant(t.Context(), acl.Grant{Store: "a", Grantee: "b", Level: want, Maker: "a", Label: acl.Public})
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var grant acl.Grant
			err := s.View(t.Context(), func(tx memory.ReadTx) (err error) {
				grant, err = acl.GrantOf(t.Context(), tx, "a", "b", acl.Restricted)
				return err
			})
			if err != nil || grant.Level != want {
				t.Fatalf("commit %d: level is %v, want %v; error %v", i, grant.Level, want, err)
			}
		}
	}
}
