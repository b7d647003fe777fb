package meter

import "github.com/google/uuid"

// The names of locks, in the order in which a transaction takes them. One that
// takes several of a kind takes them in one call of Lock, which orders them.
//
//	claim → charge → store (of memory: reading access takes it) → buyer → offer → account → ledger
//
// The lock of the ledger is taken last, since every charge needs it.

func lockClaim(name string) string         { return "claim\x00" + name }
func lockCharge(id uuid.UUID) string       { return "charge\x00" + id.String() }
func lockBuyer(store, buyer string) string { return "buyer\x00" + store + "\x00" + buyer }
func lockOffer(id uuid.UUID) string        { return "offer\x00" + id.String() }
func lockAccount(account string) string    { return "account\x00" + account }

const lockLedger = "ledger"
