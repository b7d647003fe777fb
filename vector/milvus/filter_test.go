package milvus

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
)

func TestFiltersSelectExactlyTheScope(t *testing.T) {
	a, b := uuid.MustParse("0190d1f0-0000-7000-8000-000000000001"), uuid.MustParse("0190d1f0-0000-7000-8000-000000000002")
	for name, c := range map[string]struct {
		scope acl.Scope
		only  []uuid.UUID
		want  string
	}{
		"no scope": {scope: acl.Scope{}, want: ""},
		"a store without entries": {
			scope: acltest.Scope(t, acltest.Reach{Number: 0, Ceiling: acl.Restricted}),
			want:  "",
		},
		"one store": {
			scope: acltest.Scope(t, acltest.Reach{Number: 7, Ceiling: acl.Internal}),
			want:  `store_id in [7] and ((store_id in [7] and label <= 2))`,
		},
		"two labels": {
			scope: acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Restricted}, acltest.Reach{Number: 2, Ceiling: acl.Public}, acltest.Reach{Number: 3, Ceiling: acl.Public}),
			want:  `store_id in [1,2,3] and ((store_id in [2,3] and label <= 1) or (store_id in [1] and label <= 4))`,
		},
		"named entries": {
			scope: acltest.Scope(t, acltest.Reach{Number: 7, Ceiling: acl.Public}),
			only:  []uuid.UUID{a, b},
			want:  `store_id in [7] and ((store_id in [7] and label <= 1)) and entry in ["` + a.String() + `","` + b.String() + `"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(filters(c.scope, c.only), "\n"); got != c.want {
				t.Errorf("\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestManyStoresAreDividedAmongFilters(t *testing.T) {
	const stores = 2*maxStores + 1
	reaches := make([]acltest.Reach, stores)
	for i := range reaches {
		reaches[i] = acltest.Reach{Number: int64(i + 1), Ceiling: acl.Label(i%4 + 1)}
	}
	list := filters(acltest.Scope(t, reaches...), nil)
	if len(list) != 3 {
		t.Fatalf("%d filters, want 3", len(list))
	}
	seen := make(map[string]bool)
	for _, filter := range list {
		first := regexp.MustCompile(`^store_id in \[([0-9,]+)\]`).FindStringSubmatch(filter)
		for _, number := range strings.Split(first[1], ",") {
			if seen[number] {
				t.Errorf("store %s appears twice", number)
			}
			seen[number] = true
		}
	}
	if len(seen) != stores {
		t.Errorf("%d stores, want %d", len(seen), stores)
	}
}

func TestAPrimaryKeyContainsTheEntry(t *testing.T) {
	id := uuid.MustParse("0190d1f0-0000-7000-8000-000000000001")
	if got := rowID(id, 12); got != "0190d1f0-0000-7000-8000-000000000001:12" {
		t.Errorf("key %s", got)
	}
	if got, chunk, err := entryOf(rowID(id, 12)); got != id || chunk != 12 || err != nil {
		t.Errorf("entry %v, chunk %d, error %v", got, chunk, err)
	}
	if _, _, err := entryOf("7"); err == nil {
		t.Error("no error for an invalid key")
	}
}
