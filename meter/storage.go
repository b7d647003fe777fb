package meter

import (
	"context"

	"github.com/google/uuid"

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
	SaleReader
	CountReader
	ClaimReader
}

// Tx reads and writes in a transaction.
type Tx interface {
	memory.Tx
	OfferReader
	LedgerReader
	ChargeReader
	SaleReader
	CountReader
	ClaimReader
	Locker
	RecordWriter
	LedgerWriter
	CountWriter
}

// The interfaces below are the types of parameters: a function takes those that it
// uses. What a reader returns is asked for by one of the types of its query: see
// query.go.

// Locker serialises writing transactions on what they change.
type Locker interface {
	// Lock waits until no other transaction holds one of the names, and holds them
	// until this one ends. Reads after it see what those others committed. See
	// lock.go for the names and their order.
	Lock(ctx context.Context, names ...string) error
}

// OfferReader reads offers.
type OfferReader interface {
	// Offers returns offers by ID.
	Offers(ctx context.Context, query OfferQuery) ([]Offer, error)
}

// LedgerReader reads the ledger and the balances that it makes.
type LedgerReader interface {
	Balancer
	// Balances returns up to limit accounts, by name, after one; "": from the first.
	Balances(ctx context.Context, after string, limit int) ([]AccountBalance, error)
	// Lines returns lines in order.
	Lines(ctx context.Context, query LineQuery) ([]Line, error)
}

// Balancer reads what accounts have.
type Balancer interface {
	// Balance returns the sum of an account's postings, in micros.
	Balance(ctx context.Context, account string) (int64, error)
}

// LedgerWriter writes the ledger.
type LedgerWriter interface {
	Locker
	LedgerReader
	// AppendLine appends a line, whose number is that of the last one plus 1, and
	// adds its postings to the balances of their accounts. ErrExists if its
	// reference has a line of its kind and account: that of its first posting of
	// an agent's account. Any other error of the rules ends the transaction: the
	// number is another, the amounts do not sum to zero, or a balance would be
	// below zero (but AccountExternal's) or an agent's above MaxBalance.
	AppendLine(ctx context.Context, line Line) error
}

// ChargeReader reads charges.
type ChargeReader interface {
	// Charges returns charges in the order of the query.
	Charges(ctx context.Context, query ChargeQuery) ([]Charge, error)
}

// SaleReader reads what was sold and shown.
type SaleReader interface {
	// Sales sums charges that are done or pending, by group, in the order of
	// the group's day, buyer or offer.
	Sales(ctx context.Context, query SalesQuery) ([]Sale, error)
	// Shown returns which of some entries and digests of values were shown to a
	// buyer of a store.
	Shown(ctx context.Context, store, buyer string, entries []uuid.UUID, digests [][]byte) (map[uuid.UUID]bool, map[string]bool, error)
	// CountEntries counts entries of a store.
	CountEntries(ctx context.Context, query EntryQuery) (int64, error)
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
}

// ClaimReader reads claims.
type ClaimReader interface {
	// Claims returns claims by ID.
	Claims(ctx context.Context, query ClaimQuery) ([]Claim, error)
}

// RecordWriter writes offers, charges, claims and what was bought.
type RecordWriter interface {
	// PutRecord writes a record, replacing the one with its ID. An Offer is written
	// under the lock of its store, like a grant. ErrExists if the key or the payment
	// of a Claim has another one. What was Bought already stays as it is.
	PutRecord(ctx context.Context, record Record) error
	// DeleteRecords removes records.
	DeleteRecords(ctx context.Context, which Deletion) error
}

// pricer is what prices a search.
type pricer interface {
	OfferReader
	CountReader
	Balancer
}

// offerWriter writes offers under their locks.
type offerWriter interface {
	Locker
	OfferReader
	RecordWriter
}

// claimWriter writes claims under their locks.
type claimWriter interface {
	Locker
	ClaimReader
	RecordWriter
}

// chargeWriter writes charges with their lines of the ledger.
type chargeWriter interface {
	LedgerWriter
	RecordWriter
}

// keyWriter makes the keys of receipts and digests.
type keyWriter interface {
	Locker
	memory.MetaReader
	memory.MetaWriter
}

// bookkeeper books charges, with their receipts.
type bookkeeper interface {
	chargeWriter
	keyWriter
}

// settler ends claims, and books or takes back their charges.
type settler interface {
	bookkeeper
	ClaimReader
	ChargeReader
	CountWriter
}
