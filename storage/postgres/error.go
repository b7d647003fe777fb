package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"mneme/internal/system"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// ErrNewer and ErrOlder mean that a newer version of mneme wrote the schema, or one that is too
// old to be updated.
var ErrNewer, ErrOlder = sqlcommon.ErrNewer, sqlcommon.ErrOlder

// errConflict means that concurrent transactions conflicted. The whole
// transaction is retried.
var errConflict = sqlcommon.ErrConflict

// failure is a driver's error without its message: the operation and the meaning of the
// SQLSTATE. The message could quote a parameter or name the server and its user.
type failure struct {
	op      string
	state   string // what went wrong, and what to do
	kind    error  // for errors.Is, such as memory.ErrUnavailable; nil: an internal error
	standby bool   // the server takes no writes
}

func (f *failure) Error() string {
	if f.kind == nil {
		return fmt.Sprintf("postgres: %s: %s", f.op, f.state)
	}
	return fmt.Sprintf("%v: postgres: %s: %s", f.kind, f.op, f.state)
}

func (f *failure) Unwrap() error { return f.kind }

// interpret returns a failure for an error of the driver: it hides the message, and callers can
// recognize the error by errors.Is. op says what failed. It is called once per error, where the
// driver returns it.
func interpret(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("postgres: %s: %w", op, ended)
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		standby := server.Code == sqlcommon.StateStandsBy || server.Code == sqlcommon.StateReadOnly
		return &failure{op, sqlcommon.StateReason(server.Code), sqlcommon.StateKind(server.Code), standby}
	}
	// An error that the server did not report is a connection failure, or a bug that no retry
	// fixes. A connection failure is far likelier, and a caller that retries a bug does less
	// harm.
	return &failure{op: op, state: connectReason(err), kind: memory.ErrUnavailable}
}

// connectReason says why a connection failed and what to do. It never names the server.
func connectReason(err error) string {
	var unknown *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var limit net.Error
	switch {
	case system.IsConnectionRefused(err):
		return "nothing answers there: start PostgreSQL, or correct host and port in the DSN"
	case errors.As(err, &unknown):
		return "the host of the DSN is unknown: correct it, or the name server"
	case errors.As(err, &untrusted):
		return "the server's certificate is not trusted: set sslrootcert to its authority, or host to a name in it"
	case strings.Contains(err.Error(), "server refused TLS connection"): // an error without a type
		return "the server has no TLS: configure it there, or set sslmode in the DSN"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such socket or certificate file: start PostgreSQL, or correct the DSN"
	case errors.As(err, &limit) && limit.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "the server does not answer in time: check host, port, firewalls and its load"
	}
	return "the connection failed"
}
