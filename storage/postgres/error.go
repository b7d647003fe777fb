package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// ErrNewer and ErrOlder mean that the schema was written by a version of mneme that is
// newer, or too old to be updated.
var ErrNewer, ErrOlder = sqlcommon.ErrNewer, sqlcommon.ErrOlder

// errConflict means that concurrent transactions conflicted. The whole
// transaction is retried.
var errConflict = sqlcommon.ErrConflict

// failure is a driver's error without its message: the operation and the
// SQLSTATE. The message could quote a parameter or name the server and its
// user.
type failure struct {
	op      string
	state   string // the SQLSTATE, or a phrase if there is none
	kind    error  // the error of the contract; nil for an internal error
	standby bool   // the server takes no writes
}

func (f *failure) Error() string {
	if f.kind == nil {
		return fmt.Sprintf("postgres: %s: %s", f.op, f.state)
	}
	return fmt.Sprintf("%v: postgres: %s: %s", f.kind, f.op, f.state)
}

func (f *failure) Unwrap() error { return f.kind }

// interpret maps an error of the driver to one of the contract. op says what
// failed. It is called once per error, where the driver returns it.
func interpret(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("postgres: %s: %w", op, ended)
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return &failure{op, "SQLSTATE " + server.Code + reasons[server.Code], kindOf(server.Code), server.Code == standsBy || server.Code == readOnly}
	}
	// An error that the server did not report is a connection failure, or a
	// bug that no retry fixes. The former is far likelier, and ErrUnavailable
	// is the safer answer.
	return &failure{op: op, state: "the connection failed", kind: memory.ErrUnavailable}
}

const (
	standsBy = "0A000" // feature_not_supported: a standby begins no transaction that writes
	readOnly = "25006" // read_only_sql_transaction
)

// reasons say what a code alone does not.
var reasons = map[string]string{
	"08P01":  ": a connection pooler gave up, as its log says",
	standsBy: ": the server is a standby",
	readOnly: ": the server became a standby",
}

// kindOf returns the error of the contract for an SQLSTATE (PostgreSQL
// documentation, appendix A), or nil if there is none.
func kindOf(code string) error {
	switch code {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return errConflict
	case "23505": // unique_violation
		return memory.ErrExists
	case "55P03", // lock_not_available: lock_timeout
		"57014", // query_canceled: statement_timeout
		standsBy, readOnly,
		"25P03", // idle_in_transaction_session_timeout
		"3D000": // invalid_catalog_name: the database was dropped
		return memory.ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "08", // connection exceptions
		"28", // invalid authorization
		"53", // insufficient resources, including too_many_connections
		"57", // operator intervention, including admin_shutdown
		"58": // system errors
		return memory.ErrUnavailable
	}
	return nil
}
