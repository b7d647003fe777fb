package meter

import (
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// ChargeState is the state of a charge.
type ChargeState string

// The states.
const (
	ChargePending  ChargeState = "pending"  // its payment is not settled yet
	ChargeDone     ChargeState = "done"     // the seller has the money
	ChargeReversed ChargeState = "reversed" // its payment was refused
	ChargeRefunded ChargeState = "refunded"
)

// Charge is what one search of one store cost.
type Charge struct {
	ID       uuid.UUID   `json:"id"` // UUIDv7
	Store    string      `json:"store"`
	Offer    uuid.UUID   `json:"offer"`
	Label    acl.Label   `json:"label"` // of the buyer's session
	Buyer    string      `json:"buyer"`
	Seller   string      `json:"seller"`
	Amount   int64       `json:"amount"`  // micros
	Search   int64       `json:"search"`  // the part of Amount for the search itself
	Hits     int         `json:"hits"`    // shown
	Entries  []uuid.UUID `json:"entries"` // newly charged
	At       time.Time   `json:"at"`
	State    ChargeState `json:"state"`
	Receipt  string      `json:"receipt"` // JWS
	Claim    uuid.UUID   `json:"claim"`   // uuid.Nil: none
	SettleBy time.Time   `json:"settle_by"`
}

// Bought records that an entry was shown to a buyer of a store, with this value.
// Neither the entry nor another one with this value ever costs that buyer anything again.
type Bought struct {
	Store, Buyer string // the Holder
	Entry        uuid.UUID
	Digest       []byte    // keyed digest of the value; see digestOf
	Charge       uuid.UUID // of the first search that showed it; uuid.Nil: that was not metered
}

// Window is a time span over which searches and entries are counted.
type Window string

// The windows. All but WindowTotal begin at a full UTC minute, hour or day.
const (
	WindowMinute Window = "minute"
	WindowHour   Window = "hour"
	WindowDay    Window = "day"
	WindowTotal  Window = "total"
)

// CountKey identifies the count of one buyer in a store, if Buyer is set, or else the count
// of all buyers of Offer.
type CountKey struct {
	Store  string
	Buyer  string
	Offer  uuid.UUID
	Window Window
	Start  time.Time // zero for WindowTotal
}

// Count counts what was shown in a window.
type Count struct {
	Searches int64
	Entries  int64 // not shown to the buyer before
}

// SaleGroup is the key by which sales are grouped.
type SaleGroup string

// The groups.
const (
	ByDay   SaleGroup = "day"
	ByBuyer SaleGroup = "buyer"
	ByOffer SaleGroup = "offer"
)

// SalesQuery asks for the sales of a store.
type SalesQuery struct {
	Store    string
	Ceiling  acl.Label // the highest label of offers
	From, To time.Time // To is excluded; zero: no bound
	By       SaleGroup
}

// Sale sums the charges of a group that were neither reversed nor refunded.
type Sale struct {
	Day      time.Time // by day
	Buyer    string    // by buyer
	Offer    uuid.UUID // by offer
	Searches int64
	Hits     int64
	Entries  int64 // newly charged
	Income   int64 // micros
	// Distinct is the number of entries that the group's charges bought and that are still
	// in the store: not deleted, searchable, and with a label up to the ceiling. Share is
	// computed from it.
	Distinct int64
}
