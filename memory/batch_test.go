package memory_test

import (
	"fmt"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

func TestListsReadTheirValuesInBatches(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		want := make([]string, 14)
		for i := range want {
			want[i] = fmt.Sprintf("k%02d", i)
			value := "short"
			if i%3 > 0 {
				value = long("granite")
			}
			h.PutText(me, "a", want[i], value, 201)
		}
		for _, limit := range []int{1, 5, 13, 14, 15, 100} {
			var got []string
			r := memory.ListRequest{Store: "a", Limit: limit}
			for {
				n := 0
				next, err := h.EachListed(background, me, r, func(f memory.Found) error {
					n++
					got = append(got, f.Key)
					return nil
				})
				if err != nil || n > limit || next != "" && n != limit {
					t.Fatalf("limit %d: %d entries, next %q, %v", limit, n, next, err)
				}
				if r.Cursor = next; next == "" {
					break
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("limit %d: %v", limit, got)
			}
		}
		for i := range want { // the trash, newest first
			if err := h.Delete(background, me, memory.Path{Store: "a", Key: want[i]}, memory.Preconditions{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, limit := range []int{1, 13, 14, 100} {
			n, cursor := 0, ""
			for {
				next, err := h.EachTrashed(background, me, memory.TrashRequest{Store: "a", Limit: limit, Cursor: cursor}, func(f memory.Found) error {
					n++
					if f.Key != want[len(want)-n] || len(f.Value) == 0 {
						t.Errorf("the trash shows %q at %d", f.Key, n)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if cursor = next; next == "" {
					break
				}
			}
			if n != len(want) {
				t.Errorf("limit %d: %d in the trash", limit, n)
			}
		}
	})
}

func TestVersionsAreReadInBatches(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		me := agent("a", acl.Public)
		h.PutText(me, "a", "k", "1", 201)
		for i := 2; i <= 13; i++ {
			h.PutText(me, "a", "k", fmt.Sprint(i), 200)
		}
		for _, limit := range []int{1, 4, 12, 13, 100} {
			want, cursor := 13, ""
			for {
				n := 0
				next, err := h.EachVersion(background, me, memory.Path{Store: "a", Key: "k"}, limit, cursor, func(f memory.Found) error {
					if f.Version != want {
						t.Errorf("limit %d: version %d in place of %d", limit, f.Version, want)
					}
					n, want = n+1, want-1
					return nil
				})
				if err != nil || next != "" && n != limit {
					t.Fatalf("limit %d: %d versions, %v", limit, n, err)
				}
				if cursor = next; next == "" {
					break
				}
			}
			if want != 0 {
				t.Errorf("limit %d: %d versions are missing", limit, want)
			}
		}
	})
}
