package meter

import (
	"math"
	"math/bits"
)

// noveltyStep is the number of entries after which PriceEntry rises.
const noveltyStep = 100

// entryPrice returns the price in micros of an entry that is new to a buyer to
// whom shown entries of the store were shown before:
//
//	PriceEntry + floor(PriceEntry × NoveltyPercent × floor(shown ÷ 100) ÷ 100)
//
// It reports false if that is above MaxAmount: such an entry is not for sale.
func (t Terms) entryPrice(shown int64) (price int64, ok bool) {
	if t.PriceEntry < 0 || t.NoveltyPercent < 0 || shown < 0 || t.PriceEntry > MaxAmount {
		return 0, false
	}
	steps := shown / noveltyStep
	if t.PriceEntry == 0 || t.NoveltyPercent == 0 || steps == 0 {
		return t.PriceEntry, true
	}
	if steps > math.MaxInt64/t.NoveltyPercent {
		return 0, false
	}
	high, low := bits.Mul64(uint64(t.PriceEntry), uint64(t.NoveltyPercent*steps))
	if high >= 100 {
		return 0, false
	}
	rise, _ := bits.Div64(high, low, 100)
	if rise > uint64(MaxAmount-t.PriceEntry) {
		return 0, false
	}
	return t.PriceEntry + int64(rise), true
}

// searchPrice returns the price in micros of a search by a buyer that searched
// today so many times before.
func (t Terms) searchPrice(today int64) int64 {
	if today < t.FreeSearchesPerDay {
		return 0
	}
	return t.PriceSearch
}

// highestPrice returns the most that a search for limit hits can cost a buyer in
// micros, with so many searches today, entries shown in all, and new entries that
// its caps have room for. It depends on nothing that the store holds.
func (t Terms) highestPrice(limit int, today, shown, room int64) int64 {
	price := t.searchPrice(today)
	for n := range min(int64(limit), int64(t.MaxHits), MaxHits, room) {
		entry, ok := t.entryPrice(shown + n)
		if !ok || entry > MaxAmount-price {
			break
		}
		price += entry
	}
	return price
}
