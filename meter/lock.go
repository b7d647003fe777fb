package meter

import "github.com/google/uuid"

// The names of locks, in the order in which a transaction takes them. A transaction takes
// several locks of a kind in one call of Lock, which sorts them.
//
//	store (of memory: reading access takes it) → claim → charge → buyer → offers → offer → account → keys → ledger
//
// A transaction that holds the lock of a claim or a charge may no longer read access. It
// takes the lock of the ledger last, since every charge needs that. Lowering an account's
// balance requires the lock of the account; raising it requires only the ledger's lock.

func lockClaim(name string) string         { return "claim\x00" + name }
func lockCharge(id uuid.UUID) string       { return "charge\x00" + id.String() }
func lockBuyer(store, buyer string) string { return "buyer\x00" + store + "\x00" + buyer }
func lockOffers(store string) string       { return "offers\x00" + store } // for creating one
func lockOffer(id uuid.UUID) string        { return "offer\x00" + id.String() }
func lockAccount(account string) string    { return "account\x00" + account }

const (
	lockKeys   = "keys" // of receipts and digests
	lockLedger = "ledger"
)
