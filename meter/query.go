package meter

import (
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// OfferQuery asks for offers: OfferID, OffersOn or OpenOffers.
type OfferQuery interface{ offerQuery() }

type (
	// OfferID asks for one offer, withdrawn or not.
	OfferID uuid.UUID
	// OffersOn asks for the offers of a store, withdrawn ones too.
	OffersOn string
	// OpenOffers asks for a range of the open offers of all stores.
	OpenOffers struct {
		Ceiling acl.Label // the highest label
		After   uuid.UUID // uuid.Nil: from the first
		Limit   int
	}
)

func (OfferID) offerQuery()    {}
func (OffersOn) offerQuery()   {}
func (OpenOffers) offerQuery() {}

// LineQuery asks for lines of the ledger: LastLine, LineOf or LinesAfter.
type LineQuery interface{ lineQuery() }

type (
	// LastLine asks for the last line.
	LastLine struct{}
	// LineOf asks for the line of a kind with a reference on an agent's account.
	LineOf struct {
		Kind      LineKind
		Agent     string
		Reference string // "": none is found
	}
	// LinesAfter asks for lines after a number.
	LinesAfter struct {
		Number int64
		Limit  int
	}
)

func (LastLine) lineQuery()   {}
func (LineOf) lineQuery()     {}
func (LinesAfter) lineQuery() {}

// AccountBalance is the balance of an account, in micros.
type AccountBalance struct {
	Account string
	Balance int64
}

// ChargeQuery asks for charges: ChargeID, ChargesOfClaim or BuyerCharges.
type ChargeQuery interface{ chargeQuery() }

type (
	// ChargeID asks for one charge.
	ChargeID uuid.UUID
	// ChargesOfClaim asks for the charges of a claim, by ID.
	ChargesOfClaim uuid.UUID
	// BuyerCharges asks for a range of a buyer's charges, newest first.
	BuyerCharges struct {
		Buyer   string
		Ceiling acl.Label // the highest label of offers
		Before  uuid.UUID // charges before this one; uuid.Nil: all
		Limit   int
	}
)

func (ChargeID) chargeQuery()       {}
func (ChargesOfClaim) chargeQuery() {}
func (BuyerCharges) chargeQuery()   {}

// EntryQuery asks for entries to be counted: SearchableEntries or ShownEntries.
type EntryQuery interface{ entryQuery() }

type (
	// SearchableEntries are the searchable entries of a store with labels up to a
	// ceiling, live at a time.
	SearchableEntries struct {
		Store   string
		Ceiling acl.Label
		At      time.Time
	}
	// ShownEntries are the entries of a store, not deleted, that were shown to a
	// buyer of it.
	ShownEntries struct{ Store, Buyer string }
)

func (SearchableEntries) entryQuery() {}
func (ShownEntries) entryQuery()      {}

// ClaimQuery asks for claims: ClaimID, ClaimOfKey, ClaimOfPayment or LapsedClaims.
type ClaimQuery interface{ claimQuery() }

type (
	// ClaimID asks for one claim.
	ClaimID uuid.UUID
	// ClaimOfKey asks for the claim of an Idempotency-Key.
	ClaimOfKey memory.IdempotencyKey
	// ClaimOfPayment asks for the claim of a payment.
	ClaimOfPayment string
	// LapsedClaims asks for claims that are pending and whose hold has lapsed at a
	// time: those first whose hold lapsed first, so that each has its turn.
	LapsedClaims struct {
		At    time.Time
		Limit int
	}
)

func (ClaimID) claimQuery()        {}
func (ClaimOfKey) claimQuery()     {}
func (ClaimOfPayment) claimQuery() {}
func (LapsedClaims) claimQuery()   {}

// Record is what PutRecord writes: an Offer, a Charge, a Claim or a BoughtList.
type Record interface{ record() }

// BoughtList is what one search showed of a store.
type BoughtList []Bought

func (Offer) record()      {}
func (Charge) record()     {}
func (Claim) record()      {}
func (BoughtList) record() {}

// Deletion is what DeleteRecords removes: ClaimID, ExpiredClaims, BoughtWith or
// CountsBefore.
type Deletion interface{ deletion() }

type (
	// ExpiredClaims are claims that have expired at a time and are not pending.
	ExpiredClaims time.Time
	// BoughtWith is what was bought with a charge. What another charge of the buyer paid
	// for, too, stays and is bought with that one, unless that was reversed.
	BoughtWith uuid.UUID
	// CountsBefore are counts of windows that started before a time, but no totals.
	CountsBefore time.Time
)

func (ClaimID) deletion()       {}
func (ExpiredClaims) deletion() {}
func (BoughtWith) deletion()    {}
func (CountsBefore) deletion()  {}

// First returns the first of what a reader returns, nil if there is none.
func First[T any](list []T, err error) (*T, error) {
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}
