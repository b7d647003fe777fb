package lru

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

func text(maxEntries int) *Cache[string, string] {
	return New(maxEntries*(Overhead+2), func(key, value string) int { return len(key) + len(value) })
}

func TestBytesAreBounded(t *testing.T) {
	const limit = 20_000
	c := New(limit, func(key string, value []float32) int { return len(key) + 4*len(value) })
	for i := range 1000 {
		c.Put(fmt.Sprint(i, strings.Repeat("q", i%3000)), make([]float32, 1+i%100))
		total := 0
		for e := c.used.Front(); e != nil; e = e.Next() {
			of := e.Value.(*item[string, []float32])
			total += Overhead + len(of.key) + 4*len(of.value)
		}
		if total != c.Bytes() || total > limit {
			t.Fatalf("after %d entries %d bytes are counted and %d held, limit %d", i+1, c.Bytes(), total, limit)
		}
	}
}

func TestTheLeastRecentlyUsedIsEvicted(t *testing.T) {
	c := text(3)
	for _, key := range []string{"a", "b", "c"} {
		c.Put(key, "v")
	}
	c.Get("a")
	c.GetOrPut("c", func() string { t.Error("c is gone"); return "w" })
	c.GetOrPut("d", func() string { return "v" })
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is cached: %v, want %v", key, ok, want)
		}
	}
}

// The keys are those of a list in which a used key comes first, unless it has come there since
// the last key was put, and what is behind the limit is cut off: an entry of this cache is more
// than a sixteenth of it.
func TestTheKeysAreThoseOfAList(t *testing.T) {
	const limit = 8
	c, random := text(limit), rand.New(rand.NewPCG(1, 2))
	var want []string
	puts, moved := 0, make(map[string]int)
	for i := range 5000 {
		key := string(rune('a' + random.IntN(2*limit)))
		at := slices.Index(want, key)
		put := random.IntN(3) == 0
		if put {
			puts++
			c.Put(key, "v")
		} else if _, ok := c.Get(key); ok != (at >= 0) {
			t.Fatalf("step %d: %s is cached: %v, the list is %v", i, key, ok, want)
		}
		if move := put || at >= 0 && moved[key] != puts; move {
			if at >= 0 {
				want = slices.Delete(want, at, at+1)
			}
			want, moved[key] = slices.Insert(want, 0, key), puts
		}
		want = want[:min(limit, len(want))]
		var keys []string
		for e := c.used.Front(); e != nil; e = e.Next() {
			keys = append(keys, e.Value.(*item[string, string]).key)
		}
		if !slices.Equal(keys, want) || len(c.items) != len(want) {
			t.Fatalf("step %d: %v, %d in the map, want %v", i, keys, len(c.items), want)
		}
	}
}

func TestWhatIsLargerThanTheCacheIsNotCached(t *testing.T) {
	c := text(3)
	c.Put("a", "v")
	c.Put("b", strings.Repeat("long", 1000))
	if got := c.GetOrPut("c", func() string { return strings.Repeat("long", 1000) }); len(got) != 4000 {
		t.Errorf("got %d bytes", len(got))
	}
	if _, ok := c.Get("a"); !ok || len(c.items) != 1 {
		t.Errorf("%d entries are cached, want the short one", len(c.items))
	}
}

func TestAReplacedValueIsCountedOnce(t *testing.T) {
	c := text(3)
	c.Put("a", strings.Repeat("v", 100))
	c.Put("a", "v")
	if value, _ := c.Get("a"); value != "v" || c.Bytes() != Overhead+2 {
		t.Errorf("got %q, %d bytes counted", value, c.Bytes())
	}
}

func TestConcurrentUse(t *testing.T) {
	c := text(10)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 500 {
				key := fmt.Sprint(i % 50)
				c.Put(key, "v")
				c.Get(key)
				c.GetOrPut(key, func() string { return "w" })
			}
		})
	}
	group.Wait()
	if limit := 10 * (Overhead + 2); c.Bytes() > limit {
		t.Errorf("%d bytes, limit %d", c.Bytes(), limit)
	}
}

func TestGetEachFindsThoseThatAreCachedAndUsesThem(t *testing.T) {
	c := text(3)
	for _, key := range []string{"a", "b", "c"} {
		c.Put(key, key)
	}
	keys, found := []string{"a", "x", "c"}, make([]string, 3)
	c.GetEach(len(keys), func(i int) string { return keys[i] }, func(i int, value string) { found[i] = value })
	if want := []string{"a", "", "c"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	c.Put("d", "v")
	if _, ok := c.Get("b"); ok {
		t.Error("b was used least recently and is cached")
	}
}

// Many keys at a time have the values that each has alone, in their order.
func TestGetEachIsGet(t *testing.T) {
	const n = 161
	c := New(1<<20, func(int, int) int { return 0 })
	for key := range n {
		if key%3 > 0 {
			c.Put(key, -key)
		}
	}
	var found []int
	c.GetEach(n, func(i int) int { return n - 1 - i }, func(i, value int) {
		if value != i-(n-1) {
			t.Errorf("number %d has the value %d", i, value)
		}
		found = append(found, i)
	})
	if len(found) != n-(n+2)/3 || !slices.IsSorted(found) {
		t.Errorf("%d of %d were found, in order: %v", len(found), n, slices.IsSorted(found))
	}
}
