package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"mneme/memory"
)

// ErrNewer means that the schema was written by a newer version of mneme.
var ErrNewer = errors.New("the database was written by a newer version of mneme")

// errConflict means that concurrent transactions conflicted. The whole
// transaction is retried.
var errConflict = fmt.Errorf("%w: too many conflicting transactions", memory.ErrUnavailable)

// failure is a driver's error without its message: what failed and an
// SQLSTATE. The message could quote a parameter or name the server and its
// user.
type failure struct {
	doing string
	state string // SQLSTATE, or a word in its place
	kind  error  // of the contract; nil: the storage failed
}

func (f *failure) Error() string {
	if f.kind == nil {
		return fmt.Sprintf("postgres: %s: %s", f.doing, f.state)
	}
	return fmt.Sprintf("%v: postgres: %s: %s", f.kind, f.doing, f.state)
}

func (f *failure) Unwrap() error { return f.kind }

// interpret maps an error of the driver to one of the contract. It is called
// once per error, where the driver returns it.
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
	// An error that the server did not report is the connection's, or a
	// defect of ours that no retry fixes. The former is far likelier, and
	// unavailable is the safer answer.
	return &failure{doing: doing, state: "the connection failed", kind: memory.ErrUnavailable}
}

// kindOf returns the error of the contract for an SQLSTATE (PostgreSQL
// documentation, appendix A); nil if there is none.
func kindOf(code string) error {
	switch code {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return errConflict
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
