package meter

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// Storage keeps the meter's records in the database that keeps the entries. Its
// transactions are those of memory.Storage. The method ForMeter of a storage
// returns it, and storage/storagetest holds its suite.
type Storage interface {
	View(ctx context.Context, fn func(ReadTx) error) error
	Update(ctx context.Context, fn func(Tx) error) error
	// Reading and Writing return a transaction of the same database's
	// memory.Storage with the methods of this package.
	Reading(tx memory.ReadTx) ReadTx
	Writing(tx memory.Tx) Tx
}

// ReadTx reads in a transaction. What does not exist is nil, zero or empty.
type ReadTx interface {
	memory.ReadTx
	OfferReader
	LedgerReader
	ChargeReader
	CountReader
	ClaimReader
}

// Tx reads and writes in a transaction.
type Tx interface {
	memory.Tx
	OfferReader
	LedgerReader
	ChargeReader
	CountReader
	ClaimReader
	Locker
	OfferWriter
	LedgerWriter
	ChargeWriter
	CountWriter
	ClaimWriter
}

// Locker serialises writing transactions on what they change.
type Locker interface {
	// Lock waits until no other transaction holds one of the names, and holds them
	// until this one ends. Reads after it see what those others committed. See
	// lock.go for the names and their order.
	Lock(ctx context.Context, names ...string) error
}

// OfferReader reads offers.
type OfferReader interface {
	// Offer returns an offer, withdrawn ones too.
	Offer(ctx context.Context, id uuid.UUID) (*Offer, error)
	// OffersOn returns a store's offers by ID, withdrawn ones too.
	OffersOn(ctx context.Context, store string) ([]Offer, error)
	// Offers returns open offers of all stores, by ID.
	Offers(ctx context.Context, query OfferQuery) ([]Offer, error)
}

// OfferQuery asks for a range of the open offers.
type OfferQuery struct {
	Ceiling acl.Label // the highest label
	After   uuid.UUID // uuid.Nil: from the first
	Limit   int
}

// OfferWriter writes offers.
type OfferWriter interface {
	// PutOffer writes an offer, replacing the one with its ID. Like a grant, it is
	// written under the lock of its store.
	PutOffer(ctx context.Context, offer Offer) error
}

// LedgerReader reads the ledger and the balances that it makes.
type LedgerReader interface {
	// Balance returns the sum of an account's postings, in micros.
	Balance(ctx context.Context, account string) (int64, error)
	// Balances yields every account with its balance, by name.
	Balances(ctx context.Context, yield func(account string, balance int64) error) error
	// LastLine returns the last line.
	LastLine(ctx context.Context) (*Line, error)
	// Lines yields the lines after a number, in order.
	Lines(ctx context.Context, after int64, yield func(Line) error) error
	// LineOf returns the line of a kind with a reference on an agent's account.
	LineOf(ctx context.Context, kind LineKind, account, reference string) (*Line, error)
}

// LedgerWriter writes the ledger.
type LedgerWriter interface {
	// AppendLine appends a line, whose number is that of the last one plus 1, and
	// adds its postings to the balances of their accounts. ErrExists if its
	// reference has a line of its kind and account: that of its first posting of
	// an agent's account. Any other error of the rules ends the transaction: the
	// number is another, the amounts do not sum to zero, or a balance would be
	// below zero (but AccountExternal's) or an agent's above MaxBalance.
	AppendLine(ctx context.Context, line Line) error
}

// ChargeReader reads charges and what was bought.
type ChargeReader interface {
	Charge(ctx context.Context, id uuid.UUID) (*Charge, error)
	Charges(ctx context.Context, query ChargeQuery) ([]Charge, error)
	// ChargesOfClaim returns the charges of a claim, by ID.
	ChargesOfClaim(ctx context.Context, claim uuid.UUID) ([]Charge, error)
	// Sales sums charges that are done or pending, by group, in the order of
	// the group's day, buyer or offer.
	Sales(ctx context.Context, query SalesQuery) ([]Sale, error)
	// Shown returns which of some entries and digests of values were shown to a
	// buyer of a store.
	Shown(ctx context.Context, store, buyer string, entries []uuid.UUID, digests [][]byte) (map[uuid.UUID]bool, map[string]bool, error)
	// CountShown counts the entries of a store, not deleted, that were shown to a
	// buyer of it.
	CountShown(ctx context.Context, store, buyer string) (int64, error)
	// CountEntries counts the live, searchable entries of a store with labels up to a
	// ceiling.
	CountEntries(ctx context.Context, store string, ceiling acl.Label, now time.Time) (int64, error)
}

// ChargeWriter writes charges and what was bought.
type ChargeWriter interface {
	// PutCharge writes a charge, replacing the one with its ID.
	PutCharge(ctx context.Context, charge Charge) error
	// PutBought adds records; those that are there already stay as they are.
	PutBought(ctx context.Context, bought []Bought) error
	// DeleteBought removes the records of a charge.
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
	// SweepCounts removes counts of windows that started before a time, but no
	// totals.
	SweepCounts(ctx context.Context, before time.Time) error
}

// ClaimReader reads claims.
type ClaimReader interface {
	ClaimByID(ctx context.Context, id uuid.UUID) (*Claim, error)
	// ClaimOfKey returns the claim of an Idempotency-Key, ClaimOfPayment that of a
	// payment.
	ClaimOfKey(ctx context.Context, key memory.IdempotencyKey) (*Claim, error)
	ClaimOfPayment(ctx context.Context, payment string) (*Claim, error)
	// PendingClaims returns up to limit claims that are pending and whose hold has
	// lapsed at a time, by ID.
	PendingClaims(ctx context.Context, lapsed time.Time, limit int) ([]Claim, error)
}

// ClaimWriter writes claims.
type ClaimWriter interface {
	// PutClaim writes a claim, replacing the one with its ID; ErrExists if its key
	// or payment has another.
	PutClaim(ctx context.Context, claim Claim) error
	DeleteClaim(ctx context.Context, id uuid.UUID) error
	// SweepClaims removes claims that have expired at a time and are not pending.
	SweepClaims(ctx context.Context, now time.Time) error
}

// DumpRecord is a record of the meter in an operator's dump; exactly one field is
// set.
type DumpRecord struct {
	Offer  *Offer      `json:"offer,omitempty"`
	Line   *Line       `json:"line,omitempty"`
	Charge *Charge     `json:"charge,omitempty"`
	Bought *DumpBought `json:"bought,omitempty"`
	Count  *DumpCount  `json:"count,omitempty"`
	Claim  *Claim      `json:"claim,omitempty"`
	Meta   *DumpMeta   `json:"meta,omitempty"`
}

// DumpBought is a Bought in a dump.
type DumpBought struct{ Bought }

// DumpCount is a count in a dump.
type DumpCount struct {
	CountKey
	Count
}

// DumpMeta is a setting of the database that the meter needs: MetaBought or
// MetaReceiptKeys. Value is what DumpedMeta returns of it.
type DumpMeta struct {
	Name  string
	Value []byte
}
