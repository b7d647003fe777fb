package meter

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Storage stores the meter's records in the database of the entries, in the transactions of
// memory.Storage. The method ForMeter of a storage returns it, and storage/storagetest tests
// it.
type Storage interface {
	View(ctx context.Context, fn func(ReadTx) error) error
	Update(ctx context.Context, fn func(Tx) error) error
	// Reading and Writing return a transaction of the same database's
	// memory.Storage with the methods of this package.
	Reading(tx memory.ReadTx) ReadTx
	Writing(tx memory.Tx) Tx
}

// ReadTx reads in a transaction. Its methods return nil, zero or empty for what does not exist.
type ReadTx interface {
	memory.ReadTx
	OfferReader
	LedgerReader
	ChargeReader
	SaleReader
	CountReader
	ClaimReader
}

// Tx reads and writes in a transaction.
type Tx interface {
	memory.Tx
	Locker
	OfferWriter
	LedgerWriter
	ChargeReader
	ChargeWriter
	SaleReader
	BoughtWriter
	CountReader
	CountWriter
	ClaimWriter
}

// The interfaces below are parameter types: a function takes only the ones that it uses.

// Locker serialises writing transactions on what they change.
type Locker interface {
	// Lock waits until no other transaction holds one of the names, and holds them
	// until this one ends. Reads after it see what those others committed. See
	// lock.go for the names and their order.
	Lock(ctx context.Context, names ...string) error
}

// OfferReader reads offers.
type OfferReader interface {
	// Offer returns an offer, withdrawn or not; nil if there is none.
	Offer(ctx context.Context, id uuid.UUID) (*Offer, error)
	// OffersOn returns the offers of a store by ID, including withdrawn ones.
	OffersOn(ctx context.Context, store string) ([]Offer, error)
	// OpenOffers returns up to limit open offers of all stores with labels up to a
	// ceiling, by ID, after one; uuid.Nil: from the first.
	OpenOffers(ctx context.Context, ceiling acl.Label, after uuid.UUID, limit int) ([]Offer, error)
}

// OfferWriter writes offers.
type OfferWriter interface {
	Locker
	OfferReader
	// PutOffer writes an offer, replacing the one with its ID, under the lock of its
	// store, like a grant.
	PutOffer(ctx context.Context, offer Offer) error
}

// Balancer reads the balances of accounts.
type Balancer interface {
	// Balance returns the sum of an account's postings, in micros.
	Balance(ctx context.Context, account string) (int64, error)
}

// LedgerReader reads the ledger and the balances that result from it.
type LedgerReader interface {
	Balancer
	// Balances returns up to limit accounts, by name, after one; "": from the first.
	Balances(ctx context.Context, after string, limit int) ([]AccountBalance, error)
	// LastLine returns the last line; nil if there is none.
	LastLine(ctx context.Context) (*Line, error)
	// LineOf returns the line of a kind with a reference on an agent's account; nil if
	// there is none, as for the reference "".
	LineOf(ctx context.Context, kind LineKind, agent, reference string) (*Line, error)
	// LinesAfter returns up to limit lines in order, after a number; 0: from the first.
	LinesAfter(ctx context.Context, number int64, limit int) ([]Line, error)
}

// LedgerWriter writes the ledger.
type LedgerWriter interface {
	Locker
	LedgerReader
	// AppendLine appends a line, whose number must be the last line's plus 1, and adds its
	// postings to the balances of their accounts. It returns ErrExists if a line of this kind
	// already has the reference and the same Line.Agent. It returns another error, which ends
	// the transaction, if the number is wrong, the amounts do not sum to zero, or a balance
	// would be below zero (except that of AccountExternal) or an agent's above MaxBalance.
	AppendLine(ctx context.Context, line Line) error
}

// ChargeReader reads charges.
type ChargeReader interface {
	// Charge returns a charge; nil if there is none.
	Charge(ctx context.Context, id uuid.UUID) (*Charge, error)
	// ChargesOfClaim returns the charges of a claim, by ID.
	ChargesOfClaim(ctx context.Context, claim uuid.UUID) ([]Charge, error)
	// BuyerCharges returns up to limit charges of a buyer for offers with labels up to
	// a ceiling, newest first, before one; uuid.Nil: from the newest.
	BuyerCharges(ctx context.Context, buyer string, ceiling acl.Label, before uuid.UUID, limit int) ([]Charge, error)
}

// ChargeWriter writes charges with their lines of the ledger.
type ChargeWriter interface {
	LedgerWriter
	// PutCharge writes a charge, replacing the one with its ID.
	PutCharge(ctx context.Context, charge Charge) error
}

// SaleReader reads sales and the entries that they showed.
type SaleReader interface {
	// Sales sums charges that are done or pending, by group, in the order of
	// the group's day, buyer or offer.
	Sales(ctx context.Context, query SalesQuery) ([]Sale, error)
	// Shown returns which of the given entries and digests of values were shown to a buyer
	// of a store.
	Shown(ctx context.Context, store, buyer string, entries []uuid.UUID, digests [][]byte) (map[uuid.UUID]bool, map[string]bool, error)
	// CountShown counts the entries of a store that are not deleted and were shown to a buyer.
	CountShown(ctx context.Context, store, buyer string) (int64, error)
	// CountInStore counts the searchable entries of a store with labels up to a
	// ceiling, live at a time.
	CountInStore(ctx context.Context, store string, ceiling acl.Label, at time.Time) (int64, error)
}

// BoughtWriter writes purchases.
type BoughtWriter interface {
	// AddBought adds the entries that one search showed of a store. It leaves existing
	// purchases unchanged.
	AddBought(ctx context.Context, list []Bought) error
	// DeleteBought removes the purchases of a charge. A purchase that another charge of the
	// buyer paid for, too, moves to that charge, unless that was reversed.
	DeleteBought(ctx context.Context, charge uuid.UUID) error
}

// CountReader reads counts.
type CountReader interface {
	// Counts returns the counts of keys, in their order.
	Counts(ctx context.Context, keys []CountKey) ([]Count, error)
}

// CountWriter writes counts.
type CountWriter interface {
	// AddCounts adds to the counts of keys. A reversal adds negative numbers.
	AddCounts(ctx context.Context, keys []CountKey, add Count) error
	// DeleteCountsBefore removes counts of windows that started before a time, except those
	// of WindowTotal.
	DeleteCountsBefore(ctx context.Context, start time.Time) error
}

// ClaimReader reads claims.
type ClaimReader interface {
	// Claim returns a claim; nil if there is none.
	Claim(ctx context.Context, id uuid.UUID) (*Claim, error)
	// ClaimOfKey returns the claim of an Idempotency-Key; nil if there is none, as for
	// an empty key.
	ClaimOfKey(ctx context.Context, key memory.IdempotencyKey) (*Claim, error)
	// ClaimOfPayment returns the claim of a payment; nil if there is none, as for the
	// payment "".
	ClaimOfPayment(ctx context.Context, payment string) (*Claim, error)
	// LapsedClaims returns up to limit pending claims whose hold has lapsed at a time, in the
	// order in which the holds lapsed, so that each claim has its turn.
	LapsedClaims(ctx context.Context, at time.Time, limit int) ([]Claim, error)
}

// ClaimWriter writes claims.
type ClaimWriter interface {
	Locker
	ClaimReader
	// PutClaim writes a claim, replacing the one with its ID. It returns ErrExists if the key
	// or payment has another claim.
	PutClaim(ctx context.Context, claim Claim) error
	// DeleteClaim removes a claim.
	DeleteClaim(ctx context.Context, id uuid.UUID) error
	// DeleteExpiredClaims removes claims that have expired at a time and are not
	// pending.
	DeleteExpiredClaims(ctx context.Context, at time.Time) error
}

// pricer reads the data that the price of a search depends on.
type pricer interface {
	OfferReader
	CountReader
	Balancer
}

// keyWriter reads and creates the keys of receipts and digests.
type keyWriter interface {
	Locker
	memory.MetaReader
	memory.MetaWriter
}

// bookkeeper books charges, with their receipts.
type bookkeeper interface {
	ChargeWriter
	BoughtWriter
	keyWriter
}

// reverser reverses charges, with their counts and purchases.
type reverser interface {
	ChargeWriter
	BoughtWriter
	CountWriter
}
