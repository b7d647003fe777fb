package meter

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// OfferRequest creates or changes an offer. A nil field of Terms takes its default in a new
// offer (see defaultTerms), and leaves the field of an existing offer unchanged.
type OfferRequest struct {
	Title       *string
	Description *string
	Terms       TermsRequest
	Caps        *OfferCaps
}

// TermsRequest are terms as a seller gives them.
type TermsRequest struct {
	PriceSearch        *int64
	PriceEntry         *int64
	FreeSearchesPerDay *int64
	NoveltyPercent     *int64
	MaxHits            *int
	SearchesPerMinute  *int64
	SearchesPerDay     *int64
	EntriesPerDay      *int64
	EntriesTotal       *int64
	GrantTTL           *int64 // seconds
	MaxLabel           *acl.Label
}

// FoundOffer is an offer with its entity tag, which has no quotes here.
type FoundOffer struct {
	Offer
	ETag string
}

// OfferPage is a page of offers.
type OfferPage struct {
	Items []FoundOffer
	Next  string // cursor; "" at the end
}

// Account is the account of an agent.
type Account struct {
	Agent    string
	Balance  int64  // micros
	Currency string // ISO 4217
}

// Used is a charge as its buyer sees it.
type Used struct {
	Charge
	// Keys are the keys of the Entries that the caller's session may see.
	Keys map[uuid.UUID]string
}

// UsagePage is a page of a buyer's charges, newest first.
type UsagePage struct {
	Items []Used
	Next  string
}

// SalesRow is a Sale with its share: the part of the store's entries, as the
// seller's session sees them, that was shown in the group. 0–1.
type SalesRow struct {
	Sale
	Share float64
}

// MarketAPI lists the use cases of a Market, for the surfaces. Errors are those
// of package memory (ErrNotFound, ErrConflict, RuleError, ErrPrecondition, …),
// acl.ErrDenied, search.CapError and search.PaymentError.
type MarketAPI interface {
	SearchAPI
	MakeOffer(ctx context.Context, c memory.Caller, store string, r OfferRequest, i *memory.Idempotency) (FoundOffer, error)
	ChangeOffer(ctx context.Context, c memory.Caller, offer uuid.UUID, r OfferRequest, holds memory.Preconditions) (FoundOffer, error)
	WithdrawOffer(ctx context.Context, c memory.Caller, offer uuid.UUID, holds memory.Preconditions) error
	Offer(ctx context.Context, c memory.Caller, offer uuid.UUID) (FoundOffer, error)
	Offers(ctx context.Context, c memory.Caller, limit int, cursor string) (OfferPage, error)
	OffersOn(ctx context.Context, c memory.Caller, store string) ([]FoundOffer, error)
	Accept(ctx context.Context, c memory.Caller, offer uuid.UUID, holds memory.Preconditions, i *memory.Idempotency) (acl.Grant, error)
	Account(ctx context.Context, c memory.Caller) (Account, error)
	TopUp(ctx context.Context, c memory.Caller, agent string, amount int64, reference string) (Account, error)
	PayOut(ctx context.Context, c memory.Caller, agent string, amount int64, reference string) (Account, error)
	Refund(ctx context.Context, c memory.Caller, charge uuid.UUID, i *memory.Idempotency) (Charge, error)
	Usage(ctx context.Context, c memory.Caller, limit int, cursor string) (UsagePage, error)
	Sales(ctx context.Context, c memory.Caller, store string, from, to time.Time, by SaleGroup) ([]SalesRow, error)
	// Keys returns the JWK Set of the public keys of receipts, including old ones.
	Keys(ctx context.Context) (json.RawMessage, error)
}
