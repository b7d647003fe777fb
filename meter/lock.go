package meter

import "github.com/google/uuid"

// The names of locks, in the order in which a transaction takes them. One that
// takes several of a kind takes them in one call of Lock, which orders them.
//
//	store (of memory: reading access takes it) → claim → charge → buyer → offers → offer → account → keys → ledger
//
// A transaction that holds a claim or a charge reads no access after it. The lock
// of the ledger is taken last, since every charge needs it. Who lowers an account's
// balance holds its lock; raising a balance needs only the lock of the ledger.

func lockClaim(name string) string         { return "claim\x00" + name }
func lockCharge(id uuid.UUID) string       { return "charge\x00" + id.String() }
func lockBuyer(store, buyer string) string { return "buyer\x00" + store + "\x00" + buyer }
func lockOffers(store string) string       { return "offers\x00" + store } // making one
func lockOffer(id uuid.UUID) string        { return "offer\x00" + id.String() }
func lockAccount(account string) string    { return "account\x00" + account }

const (
	lockKeys   = "keys" // of receipts and digests
	lockLedger = "ledger"
)
