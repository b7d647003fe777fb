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

func lazyText(maxEntries int) *Cache[string, string] {
	return NewLazy(maxEntries*(Overhead+2), func(key, value string) int { return len(key) + len(value) })
}

func TestBytesAreBounded(t *testing.T) {
	const limit = 20_000
	c := New(limit, func(key string, value []float32) int { return len(key) + 4*len(value) })
	for i := range 1000 {
		c.Put(fmt.Sprint(i, strings.Repeat("q", i%3000)), make([]float32, 1+i%100))
		total := 0
		for e := c.ends.older; e != &c.ends; e = e.older {
			total += Overhead + len(e.key) + 4*len(e.value)
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

// The keys are those of a list in which a used key comes first, unless few others did since it
// did and the cache is a lazy one, and what is behind the limit is cut off.
func TestTheKeysAreThoseOfAList(t *testing.T) {
	const limit = 8
	keysAreThoseOfAList(t, text(limit), limit, 0)
	keysAreThoseOfAList(t, lazyText(limit), limit, limit/2)
}

func keysAreThoseOfAList(t *testing.T, c *Cache[string, string], limit, slack int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var list []string
	moved, movedAt := 0, make(map[string]int)
	for i := range 5000 {
		key := string(rune('a' + random.IntN(2*limit)))
		at := slices.Index(list, key)
		put := random.IntN(3) == 0
		if put {
			c.Put(key, "v")
		} else if _, ok := c.Get(key); ok != (at >= 0) {
			t.Fatalf("step %d: %s is cached: %v, the list is %v", i, key, ok, list)
		}
		if put || at >= 0 && moved-movedAt[key] > slack {
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
			list = slices.Insert(list, 0, key)
			moved++
			movedAt[key] = moved
		}
		list = list[:min(limit, len(list))]
		var keys []string
		for e := c.ends.older; e != &c.ends; e = e.older {
			keys = append(keys, e.key)
		}
		if !slices.Equal(keys, list) || c.items.taken != len(list) {
			t.Fatalf("step %d: %v, %d in the map, want %v", i, keys, c.items.taken, list)
		}
	}
}

// A lazy cache holds a value while less than half of the limit was used since its last use,
// whatever the sizes are.
func TestWhatWasUsedLatelyIsHeld(t *testing.T) {
	const limit = 20 * Overhead
	size := func(key, _ int) int { return key % 7 * Overhead / 2 }
	c, random := NewLazy(limit, size), rand.New(rand.NewPCG(1, 2))
	var used []int // the last last
	held, dropped := 0, 0
	for i := range 20_000 {
		key, since, seen := random.IntN(40), 0, map[int]bool{}
		for _, k := range slices.Backward(used[max(0, len(used)-40):]) {
			if !seen[k] {
				since += Overhead + size(k, 0)
			}
			if seen[k] = true; k == key {
				break
			}
		}
		_, ok := c.Get(key)
		if seen[key] && since <= limit/2 {
			if held++; !ok {
				t.Fatalf("step %d: %d was dropped after %d of %d bytes", i, key, since, limit)
			}
		}
		if !ok {
			dropped++
			c.Put(key, 0)
		}
		used = append(used, key)
	}
	if held < 1000 || dropped < 1000 {
		t.Errorf("%d were held and %d dropped, too few to tell", held, dropped)
	}
}

// A lazy cache does not move all the time what is used all the time.
func TestWhatIsInFrontIsNotMoved(t *testing.T) {
	c := lazyText(100)
	for i := range 40 {
		c.Put(fmt.Sprint(i), "v")
	}
	moved := c.moved
	for i := range 400 {
		if _, ok := c.Get(fmt.Sprint(i % 40)); !ok {
			t.Fatalf("%d is not cached", i%40)
		}
	}
	if c.moved != moved {
		t.Errorf("%d bytes were moved in a cache that is less than half full", c.moved-moved)
	}
}

func TestWhatIsLargerThanTheCacheIsNotCached(t *testing.T) {
	c := text(3)
	c.Put("a", "v")
	c.Put("b", strings.Repeat("long", 1000))
	if got := c.GetOrPut("c", func() string { return strings.Repeat("long", 1000) }); len(got) != 4000 {
		t.Errorf("got %d bytes", len(got))
	}
	if _, ok := c.Get("a"); !ok || c.items.taken != 1 {
		t.Errorf("%d entries are cached, want the short one", c.items.taken)
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

// Keys have the items that a map has, through any puts and removals.
func TestTheTableIsAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	table, want := newTable[int, int](), make(map[int]*item[int, int])
	for step := range 20_000 {
		key := random.IntN(1 + step/20)
		switch e := want[key]; {
		case e == nil:
			want[key] = &item[int, int]{key: key}
			table.put(want[key])
		case random.IntN(2) == 0:
			table.remove(key)
			delete(want, key)
		}
		if asked := random.IntN(1000); table.taken != len(want) {
			t.Fatalf("step %d: %d items, want %d", step, table.taken, len(want))
		} else if e, _ := table.get(table.hash(asked), asked); e != want[asked] {
			t.Fatalf("step %d: key %d has the item %v, want %v", step, asked, e, want[asked])
		}
	}
	for key, e := range want {
		if found, _ := table.get(table.hash(key), key); found != e {
			t.Errorf("key %d has the item %v, want %v", key, found, e)
		}
	}
}

// Of two keys with the same hash, each has its own value.
func TestKeysWithTheSameHash(t *testing.T) {
	c := New(1<<20, func(int, string) int { return 0 })
	hash := c.items.hash(1)
	for _, key := range []int{2, 1} { // as if both had it
		c.items.fill(slot[int, string]{hash, &item[int, string]{key: key, value: fmt.Sprint(key)}})
	}
	var found []string
	c.GetEach(1, func(int) int { return 1 }, func(_ int, value string) { found = append(found, value) })
	one, _ := c.Get(1)
	if !slices.Equal(found, []string{"1"}) || one != "1" {
		t.Errorf("key 1 has the values %q and %q", found, one)
	}
	if e, _ := c.items.get(hash, 3); e != nil {
		t.Errorf("key 3 has the value %q", e.value)
	}
}

// Many keys at a time have the values that each has alone, in their order.
func TestGetEachIsGet(t *testing.T) {
	const n = 5*together + 1
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
