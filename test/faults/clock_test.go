//go:build unix

package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"mneme/vector"
	"mneme/vector/milvus"
)

// dim is the length of the built-in model's vectors.
const dim = 384

// milvusIDs reads the entry IDs in the service's collection directly from Milvus.
func (p *process) milvusIDs() (ids map[string]bool, err error) {
	return listMilvus(p.t.Context(), p.Address, p.service.prefix, dim)
}

// listMilvus reads the entry IDs in the collection of the serving model of the
// process at an address, directly from Milvus.
func listMilvus(ctx context.Context, address, prefix string, dim int) (ids map[string]bool, err error) {
	now, err := ready(address)
	if err != nil {
		return nil, err
	}
	index, err := milvus.Open(ctx, milvus.Config{
		Addr: milvusServer.Addr(), Prefix: prefix, Fingerprint: now.Serving, Dim: dim,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer index.Close()
	ids = make(map[string]bool)
	return ids, index.List(ctx, func(h vector.IndexedEntry) error {
		ids[h.Entry.String()] = true
		return nil
	})
}

// Test and servers share a clock. A response received before expires_at must
// show the entry; a request sent after it must not.
func TestExpiredEntryDisappearsFromEveryProcess(t *testing.T) {
	s := newService(t)
	t.Parallel()
	first := s.serve()
	second := s.serve()
	c := first.as("a")
	both := []caller{c, c.at(second)}
	stays := read[entry](c, c.put("stays?wait=indexed", "a fleeting thought that stays"), http.StatusCreated)
	var goes entry
	inMilvus := func() error { // checks Milvus directly, not only the servers' answers
		ids, err := first.milvusIDs()
		if err == nil && (!ids[stays.ID] || !ids[goes.ID]) {
			err = fmt.Errorf("milvus has %d vectors", len(ids))
		}
		return err
	}
	// On a busy machine, an entry may expire before it has its vector: the test then
	// writes it again with a longer lifetime.
	for ttl, outcome := 8, errors.New("not written"); outcome != nil; ttl *= 2 {
		goes = read[entry](c, c.call(http.MethodPut, memories+"goes", map[string]any{"value": "a fleeting thought that goes", "ttl": ttl}), http.StatusCreated)
		if goes.ExpiresAt.IsZero() {
			t.Fatal("the entry never expires")
		}
		eventually(t, func() error {
			outcome = inMilvus()
			if outcome != nil && time.Now().Before(goes.ExpiresAt) {
				return outcome
			}
			return nil
		})
	}

	seenBefore, seenAfter := 0, 0
	for seenAfter < 5 {
		for _, c := range both {
			for what, shows := range map[string]func() bool{
				"get": func() bool {
					r := c.get("goes")
					if r.status != http.StatusOK && r.status != http.StatusNotFound {
						t.Fatal(r)
					}
					return r.status == http.StatusOK
				},
				"list":   func() bool { return c.list()["goes"] },
				"search": func() bool { return c.search("fleeting thought").hit("goes") != nil },
			} {
				asked := time.Now()
				shown := shows()
				switch answered := time.Now(); {
				case answered.Before(goes.ExpiresAt):
					seenBefore++
					if !shown {
						t.Fatalf("%s lacks the entry before it expired", what)
					}
				case asked.After(goes.ExpiresAt):
					seenAfter++
					if shown {
						t.Fatalf("%s shows the entry after it expired", what)
					}
				}
			}
		}
	}
	t.Logf("%d reads before the expiry, %d after it", seenBefore, seenAfter)
	for _, c := range both {
		if c.search("fleeting thought").hit("stays") == nil || !c.list()["stays"] {
			t.Error("the entry without an expiry has disappeared too")
		}
	}
	eventually(t, func() error { // until the sweeper has run
		ids, err := first.milvusIDs()
		if err == nil && (len(ids) != 1 || !ids[stays.ID]) {
			err = fmt.Errorf("milvus holds %d vectors", len(ids))
		}
		return err
	})
}

func TestGrantExpiresOnEveryProcess(t *testing.T) {
	s := newService(t)
	t.Parallel()
	first := s.serve()
	second := s.serve()
	owner, guest := first.as("owner"), first.as("guest")
	read[entry](owner, owner.put("shared?wait=indexed", "an open secret"), http.StatusCreated)
	ends := read[struct {
		ExpiresAt time.Time `json:"expires_at"`
	}](owner, owner.call(http.MethodPut, "/v1/stores/self/grants/guest", map[string]any{"level": "read", "ttl": 4}), http.StatusOK).ExpiresAt
	for seen := 0; seen < 5; {
		for _, c := range []caller{guest, guest.at(second)} {
			for what, call := range map[string]func() reply{
				"get":  func() reply { return c.call(http.MethodGet, "/v1/stores/owner/memories/shared", nil) },
				"list": func() reply { return c.call(http.MethodGet, "/v1/stores/owner/memories", nil) },
				"search": func() reply {
					return c.call(http.MethodPost, "/v1/search", map[string]any{"query": "secret", "stores": []string{"owner"}})
				},
			} {
				asked := time.Now()
				r := call()
				switch answered := time.Now(); {
				case answered.Before(ends) && r.status != http.StatusOK:
					t.Fatalf("%s before the grant ends: %v", what, r)
				case asked.After(ends):
					seen++
					if r.status != http.StatusForbidden {
						t.Fatalf("%s after the grant ended: %v", what, r)
					}
				}
			}
		}
	}
}
