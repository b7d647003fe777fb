package meter

import (
	"cmp"
	"math"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/search"
)

// Caps of an unmetered grant of level search, unless its maker set others.
const (
	defaultSearchesPerHour = 600
	defaultGrantEntries    = 500 // a day
)

// limit is the highest number of searches, or of entries, in a window of time.
type limit struct {
	name    string
	window  Window
	entries bool // counts entries, not searches
	most    int64
}

func (l limit) used(counts map[Window]Count) int64 {
	if l.entries {
		return counts[l.window].Entries
	}
	return counts[l.window].Searches
}

// limits returns the caps that the terms set on each buyer.
func (t Terms) limits() []limit {
	return []limit{
		{"searches_per_minute", WindowMinute, false, t.SearchesPerMinute},
		{"searches_per_day", WindowDay, false, t.SearchesPerDay},
		{"entries_per_day", WindowDay, true, t.EntriesPerDay},
		{"entries_total", WindowTotal, true, t.EntriesTotal},
	}
}

// limits returns the caps on the sum over all buyers of the offer.
func (c OfferCaps) limits() (limits []limit) {
	for _, l := range []struct {
		limit
		most *int64
	}{
		{limit{"searches_per_minute", WindowMinute, false, 0}, c.SearchesPerMinute},
		{limit{"searches_per_day", WindowDay, false, 0}, c.SearchesPerDay},
		{limit{"entries_per_day", WindowDay, true, 0}, c.EntriesPerDay},
		{limit{"entries_total", WindowTotal, true, 0}, c.EntriesTotal},
	} {
		if l.most != nil {
			l.limit.most = *l.most
			limits = append(limits, l.limit)
		}
	}
	return limits
}

// grantLimits returns the caps of an unmetered grant.
func grantLimits(c acl.Caps) []limit {
	return []limit{
		{"searches_per_hour", WindowHour, false, cmp.Or(c.SearchesPerHour, defaultSearchesPerHour)},
		{"entries_per_day", WindowDay, true, cmp.Or(c.EntriesPerDay, defaultGrantEntries)},
	}
}

// spent returns the error for a spent cap; nil if none is spent. If several are, the error
// names the one that takes longest to allow another search.
func spent(store string, limits []limit, counts map[Window]Count, at time.Time) *search.CapError {
	var longest *search.CapError
	for _, l := range limits {
		if l.used(counts) < l.most {
			continue
		}
		if after := l.window.end(at).Sub(at); longest == nil || after > longest.RetryAfter {
			longest = &search.CapError{Store: store, Cap: l.name, RetryAfter: after}
		}
	}
	return longest
}

// remaining returns how many more entries the caps allow.
func remaining(limits []limit, counts map[Window]Count) int64 {
	left := int64(math.MaxInt64)
	for _, l := range limits {
		if l.entries {
			left = min(left, max(0, l.most-l.used(counts)))
		}
	}
	return left
}

// windows are all windows, in a fixed order.
var windows = []Window{WindowMinute, WindowHour, WindowDay, WindowTotal}

// length returns how long a window is; 0 for WindowTotal.
func (w Window) length() time.Duration {
	switch w {
	case WindowMinute:
		return time.Minute
	case WindowHour:
		return time.Hour
	case WindowDay:
		return 24 * time.Hour
	default:
		return 0
	}
}

// start returns when the window of an instant begins; zero for WindowTotal.
func (w Window) start(at time.Time) time.Time {
	if w == WindowTotal {
		return time.Time{}
	}
	return at.UTC().Truncate(w.length())
}

// end returns when the window of an instant ends. WindowTotal never ends; end returns a
// day later for it.
func (w Window) end(at time.Time) time.Time {
	if w == WindowTotal {
		return at.Add(24 * time.Hour)
	}
	return w.start(at).Add(w.length())
}

// buyerKeys returns the keys of a Holder's counts in a store, in the order of windows.
func buyerKeys(store, buyer string, at time.Time) []CountKey {
	keys := make([]CountKey, len(windows))
	for i, w := range windows {
		keys[i] = CountKey{Store: store, Buyer: buyer, Window: w, Start: w.start(at)}
	}
	return keys
}

// offerKeys returns the keys of the counts of all buyers of an offer in sessions at a
// label, in the order of windows.
func offerKeys(offer uuid.UUID, label acl.Label, at time.Time) []CountKey {
	keys := make([]CountKey, len(windows))
	for i, w := range windows {
		keys[i] = CountKey{Offer: offer, Buyer: Holder("", label), Window: w, Start: w.start(at)}
	}
	return keys
}

// byWindow sums the counts of several buyerKeys or offerKeys by their windows.
func byWindow(counts []Count) map[Window]Count {
	of := make(map[Window]Count, len(windows))
	for i, count := range counts {
		w := windows[i%len(windows)]
		of[w] = Count{Searches: of[w].Searches + count.Searches, Entries: of[w].Entries + count.Entries}
	}
	return of
}
