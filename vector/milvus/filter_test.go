package milvus

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
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
			want:  `store_id in [7] and (label <= 2)`,
		},
		"two labels": {
			scope: acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Restricted}, acltest.Reach{Number: 2, Ceiling: acl.Public}, acltest.Reach{Number: 3, Ceiling: acl.Public}),
			want:  `store_id in [1,2,3] and ((store_id in [2,3] and label <= 1) or (store_id in [1] and label <= 4))`,
		},
		"named entries": {
			scope: acltest.Scope(t, acltest.Reach{Number: 7, Ceiling: acl.Public}),
			only:  []uuid.UUID{a, b},
			want:  `store_id in [7] and (label <= 1) and entry in ["` + a.String() + `","` + b.String() + `"]`,
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

// Primary keys are stored in Milvus, so their form must not change.
func TestAPrimaryKeyNamesEntryChunkAndContents(t *testing.T) {
	r := vector.Record{
		Entry: uuid.MustParse("0190d1f0-0000-7000-8000-000000000001"), Chunk: 12,
		Store: 7, Label: acl.Internal, Vector: vector.ToHalf([]float32{0.6, 0.8}),
	}
	if got, want := rowID(r), "0190d1f0-0000-7000-8000-000000000001:12:c3507cb8316f9685"; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	if entry, chunk, digest, err := parseRowID(rowID(r)); entry != r.Entry || chunk != 12 || digest != r.Digest() || err != nil {
		t.Errorf("entry %v, chunk %d, digest %x, error %v", entry, chunk, digest, err)
	}
	if entry, chunk, digest, err := parseRowID("0190d1f0-0000-7000-8000-000000000001:12"); entry != r.Entry || chunk != 12 || digest != 0 || err != nil {
		t.Errorf("a key without a digest: entry %v, chunk %d, digest %x, error %v", entry, chunk, digest, err)
	}
	for _, id := range []string{"7", r.Entry.String(), r.Entry.String() + ":x", r.Entry.String() + ":1:", r.Entry.String() + ":1:y"} {
		if _, _, _, err := parseRowID(id); err == nil {
			t.Errorf("no error for the key %q", id)
		}
	}
}
