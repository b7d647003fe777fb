package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"mneme/memory"
)

// ErrNewer says that the schema was made by a newer mneme.
var ErrNewer = errors.New("the database was written by a newer version of mneme")

// errClash says that transactions got into each other's way: the whole
// transaction runs again.
var errClash = fmt.Errorf("%w: transactions keep getting into each other's way", memory.ErrUnavailable)

// failure is a driver's error as it may be shown: what was being done and an
// SQLSTATE. The driver's own message could quote a parameter or name the
// server and its user.
type failure struct {
	doing string
	state string // SQLSTATE, or what stands for it
	kind  error  // of the contract; nil: the storage failed
}

func (f *failure) Error() string {
	if f.kind == nil {
		return fmt.Sprintf("postgres: %s: %s", f.doing, f.state)
	}
	return fmt.Sprintf("%v: postgres: %s: %s", f.kind, f.doing, f.state)
}

func (f *failure) Unwrap() error { return f.kind }

// interpret turns an error of the driver into one of the contract. It is
// called once for each, where the driver returns it.
func interpret(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("postgres: %s: %w", doing, ended)
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return &failure{doing: doing, state: "SQLSTATE " + server.Code, kind: kindOf(server.Code)}
	}
	// What the server did not say is the connection's, or a defect of ours
	// that no retry mends; the former is by far the likelier, and a service
	// that says "not now" is the safer answer.
	return &failure{doing: doing, state: "the connection failed", kind: memory.ErrUnavailable}
}

// kindOf is the error of the contract for an SQLSTATE (PostgreSQL
// documentation, appendix A); nil where there is none.
func kindOf(code string) error {
	switch code {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return errClash
	case "23505": // unique_violation
		return memory.ErrExists
	case "55P03", // lock_not_available: lock_timeout
		"57014", // query_canceled: statement_timeout
		"25006", // read_only_sql_transaction: the server is a standby now
		"25P03", // idle_in_transaction_session_timeout
		"3D000": // invalid_catalog_name: the database is gone
		return memory.ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "08", // connection exceptions
		"28", // invalid authorization
		"53", // insufficient resources, among them too_many_connections
		"57", // operator intervention, among them admin_shutdown
		"58": // system errors
		return memory.ErrUnavailable
	}
	return nil
}
