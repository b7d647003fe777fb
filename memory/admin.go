package memory

import "context"

// Admin has the use cases of operators: memberships, what an agent may reach, API keys,
// purges and scrubs, which take a platform token, and dumps, to which no access rule
// applies. It is safe for concurrent use.
type Admin struct{ service *Service }

// Ledger checks the records of a meter. Package meter implements it.
type Ledger interface {
	// VerifyLoaded checks what a dump brought of the meter's records, in the
	// transaction that loads it.
	VerifyLoaded(ctx context.Context, tx Tx) error
}
