package price

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestEntriesGrowDearerWithEachHundredShown(t *testing.T) {
	for _, c := range []struct {
		price, novelty, shown, want int64
	}{
		{1000, 20, 0, 1000}, {1000, 20, 99, 1000}, {1000, 20, 100, 1200}, {1000, 20, 250, 1400},
		{1, 20, 400, 1}, {1, 20, 500, 2}, {7, 50, 100, 10}, {1000, 0, 1_000_000, 1000}, {0, 10_000, 5000, 0},
		{Max, 20, 99, Max},
	} {
		list := List{Entry: c.price, Novelty: c.novelty}
		if got, ok := list.OfEntry(c.shown); !ok || got != c.want {
			t.Errorf("%+v: got %d, %v", c, got, ok)
		}
	}
	if _, ok := (List{Entry: Max, Novelty: 1}).OfEntry(100); ok {
		t.Error("an entry above Max is for sale")
	}
}

// checkPrice compares OfEntry with a computation in integers of any size.
func checkPrice(t interface{ Fatalf(string, ...any) }, price, novelty, shown int64) {
	got, ok := List{Entry: price, Novelty: novelty}.OfEntry(shown)
	if price < 0 || novelty < 0 || shown < 0 {
		if ok {
			t.Fatalf("a negative number has a price")
		}
		return
	}
	exact := new(big.Int).Mul(big.NewInt(price), big.NewInt(novelty))
	exact.Mul(exact, big.NewInt(shown/100))
	exact.Div(exact, big.NewInt(100))
	exact.Add(exact, big.NewInt(price))
	if fits := exact.Cmp(big.NewInt(Max)) <= 0; ok != fits || ok && exact.Int64() != got {
		t.Fatalf("price %d, novelty %d, shown %d: got %d, %v, want %v", price, novelty, shown, got, ok, exact)
	}
}

func TestEntryPriceIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkPrice(t, rapid.Int64Range(0, 2*Max).Draw(t, "price"), rapid.Int64Range(0, 10_000).Draw(t, "novelty"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "shown"))
	})
}

func FuzzEntryPrice(f *testing.F) {
	f.Add(int64(1000), int64(20), int64(250))
	f.Add(int64(Max), int64(math.MaxInt64), int64(math.MaxInt64))
	f.Add(int64(-1), int64(math.MinInt64), int64(-100))
	f.Fuzz(func(t *testing.T, price, novelty, shown int64) { checkPrice(t, price, novelty, shown) })
}

func TestTheHighestPriceBoundsEverySearch(t *testing.T) {
	list := List{Search: 100, Free: 1, Entry: 10, Novelty: 20, MaxHits: 10}
	for _, c := range []struct {
		limit              int
		today, shown, room int64
		want               int64
	}{
		{10, 1, 0, 500, 200}, {10, 0, 0, 500, 100}, {3, 1, 0, 500, 130}, {100, 1, 0, 500, 200}, {10, 1, 0, 2, 120}, {10, 1, 95, 500, 210}, {0, 1, 0, 500, 100},
	} {
		if got := list.Highest(c.limit, c.today, c.shown, c.room); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
	list.Search, list.Entry = Max, Max
	if got := list.Highest(10, 1, 0, 500); got != Max {
		t.Errorf("got %d", got)
	}
}
