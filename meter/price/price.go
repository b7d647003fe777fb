// Package price computes what a search of an offer costs: the search itself, and each entry
// that it shows first.
package price

import (
	"math"
	"math/bits"
)

// Max is the highest price, in micros: a million credits.
const Max = 1_000_000_000_000

// List is what an offer asks for, in micros.
type List struct {
	Search  int64 // for each search
	Free    int64 // searches of a day for which Search is waived
	Entry   int64 // for each entry that is new to the buyer
	Novelty int64 // percent by which Entry rises for each full hundred entries shown
	MaxHits int   // of an answer
}

// noveltyStep is the number of entries after which Entry rises.
const noveltyStep = 100

// OfEntry returns the price in micros of an entry that is new to a buyer to
// whom shown entries of the store were shown before:
//
//	Entry + floor(Entry × Novelty × floor(shown ÷ 100) ÷ 100)
//
// It reports false if that is above Max: such an entry is not for sale.
func (l List) OfEntry(shown int64) (price int64, ok bool) {
	if l.Entry < 0 || l.Novelty < 0 || shown < 0 || l.Entry > Max {
		return 0, false
	}
	steps := shown / noveltyStep
	if l.Entry == 0 || l.Novelty == 0 || steps == 0 {
		return l.Entry, true
	}
	if steps > math.MaxInt64/l.Novelty {
		return 0, false
	}
	high, low := bits.Mul64(uint64(l.Entry), uint64(l.Novelty*steps))
	if high >= 100 {
		return 0, false
	}
	rise, _ := bits.Div64(high, low, 100)
	if rise > uint64(Max-l.Entry) {
		return 0, false
	}
	return l.Entry + int64(rise), true
}

// OfSearch returns the price in micros of a search by a buyer that searched
// today so many times before.
func (l List) OfSearch(today int64) int64 {
	if today < l.Free {
		return 0
	}
	return l.Search
}

// Highest returns the most that a search for limit hits can cost a buyer in
// micros, with so many searches today, entries shown in all, and new entries that
// its caps have room for. It depends on nothing that the store holds.
func (l List) Highest(limit int, today, shown, room int64) int64 {
	price := l.OfSearch(today)
	for n := range min(int64(limit), int64(l.MaxHits), room) {
		entry, ok := l.OfEntry(shown + n)
		if !ok || entry > Max-price {
			break
		}
		price += entry
	}
	return price
}
