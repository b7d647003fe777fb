package meter

import (
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Terms are the prices and limits of an offer. A metered grant records the terms at which it
// was accepted.
type Terms struct {
	PriceSearch        int64     `json:"price_search"`          // micros
	PriceEntry         int64     `json:"price_entry"`           // micros, for each entry not bought before
	FreeSearchesPerDay int64     `json:"free_searches_per_day"` // that cost no PriceSearch
	NoveltyPercent     int64     `json:"novelty_percent"`       // rise of PriceEntry for each full hundred entries shown
	MaxHits            int       `json:"max_hits"`              // of an answer, 1–10
	SearchesPerMinute  int64     `json:"searches_per_minute"`
	SearchesPerDay     int64     `json:"searches_per_day"` // days are UTC
	EntriesPerDay      int64     `json:"entries_per_day"`  // not shown before
	EntriesTotal       int64     `json:"entries_total"`
	GrantTTL           int64     `json:"grant_ttl,omitempty"` // seconds; 0: none
	MaxLabel           acl.Label `json:"max_label"`
}

// OfferCaps are caps on the sum over all buyers of an offer. A nil field is no cap.
type OfferCaps struct {
	SearchesPerMinute *int64 `json:"searches_per_minute,omitempty"`
	SearchesPerDay    *int64 `json:"searches_per_day,omitempty"`
	EntriesPerDay     *int64 `json:"entries_per_day,omitempty"`
	EntriesTotal      *int64 `json:"entries_total,omitempty"`
}

// OfferState says whether an offer can be accepted.
type OfferState string

// The states.
const (
	OfferOpen      OfferState = "open"
	OfferWithdrawn OfferState = "withdrawn" // its grants remain valid
)

// Offer offers searches of a store for money.
type Offer struct {
	ID          uuid.UUID  `json:"id"` // UUIDv7
	Store       string     `json:"store"`
	Seller      string     `json:"seller"` // the store's own agent
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Terms       Terms      `json:"terms"`
	Caps        OfferCaps  `json:"caps"`
	Label       acl.Label  `json:"label"` // its maker's taint; only sessions whose taint reaches it see the offer
	State       OfferState `json:"state"`
	Version     int        `json:"version"` // from 1
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}
