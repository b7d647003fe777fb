package memory

import "context"

// Admin has the use cases of operators. Memberships, the access of agents, API keys, purges and
// scrubs take a platform token; dumps bypass all access rules. It is safe for concurrent use.
type Admin struct{ service *Service }

// Ledger verifies the records of a meter. Package meter implements it.
type Ledger interface {
	// VerifyLoaded verifies the meter records of a dump, in the transaction that loads it.
	VerifyLoaded(ctx context.Context, tx Tx) error
}
