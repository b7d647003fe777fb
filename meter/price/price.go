// Package price computes the price of a search of an offer: a price for the search itself, and
// one for each entry that it shows to the buyer for the first time.
package price

import (
	"math"
	"math/bits"
)

// Max is the highest price, in micros: a million credits.
const Max = 1_000_000_000_000

// List has the prices of an offer, in micros.
type List struct {
	Search  int64 // for each search
	Free    int64 // number of searches a day for which Search is waived
	Entry   int64 // for each entry that the buyer has not been shown before
	Novelty int64 // percent by which Entry rises per full hundred entries shown before
	MaxHits int   // of an answer
}

// noveltyStep is the number of entries shown after which the price of an entry rises.
const noveltyStep = 100

// OfEntry returns the price, in micros, of a new entry for a buyer who has been shown that many
// entries of the store before:
//
//	Entry + floor(Entry × Novelty × floor(shown ÷ 100) ÷ 100)
//
// ok is false if that is above Max: such an entry is not for sale.
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

// OfSearch returns the price, in micros, of a search for a buyer who has made that many
// searches today.
func (l List) OfSearch(today int64) int64 {
	if today < l.Free {
		return 0
	}
	return l.Search
}

// Highest returns the highest price, in micros, that a search for limit hits can have for a
// buyer. today is the number of the buyer's searches today, shown the number of entries shown
// to it so far, and room the number of new entries that its caps still allow. The price does
// not depend on what the store contains.
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
