package sqlcommon

import "mneme/memory"

// stateReasons explain the most common SQLSTATEs (PostgreSQL documentation, appendix A) and say
// what to do.
var stateReasons = map[string]string{
	"08P01":       "a connection pooler gave up, as its log says",
	StateStandsBy: "the server is a standby: connect to the primary (target_session_attrs=read-write in the DSN); or it lacks a feature or extension: use PostgreSQL 15 or later",
	StateReadOnly: "the server is read-only, as a standby is: connect to the primary (target_session_attrs=read-write in the DSN)",
	"28000":       "the server does not let this role connect: add it to pg_hba.conf, or correct role and sslmode in the DSN",
	"28P01":       "the password is wrong: correct it in postgres.dsn or PGPASSWORD",
	"3D000":       "there is no such database: create it, as deploy/postgres-role.sh does, or correct its name in the DSN",
	"3F000":       "there is no schema to use: create one for the role, or correct search_path",
	"42501":       "the role lacks a permission: let it own the database, as deploy/postgres-role.sh does",
	"53100":       "the disk of the server is full: make room there",
	"53200":       "the server is out of memory: give it more, or fewer connections",
	"53300":       "the server has no connection left: raise its max_connections or the role's limit, or lower pool_max_conns in the DSN",
	"55P03":       "another transaction holds a lock: try again, or end what holds it (pg_locks)",
	"57014":       "the statement took too long: see what loads the server, or raise statement_timeout in the DSN",
	"57P01":       "the server is being shut down: start it again",
	"57P03":       "the server is starting or recovering: try again soon",
	"58030":       "the disk of the server fails: see the server's log",
	"58P01":       "a file is missing on the server, such as that of an extension: see the server's log",
	"XX001":       "the server found damaged data: restore a backup",
	"XX002":       "the server found a damaged index: REINDEX it, and check the disk",
}

// The states with which a standby refuses writes.
const (
	StateStandsBy = "0A000" // feature_not_supported: a standby begins no writing transaction
	StateReadOnly = "25006" // read_only_sql_transaction: it became a standby during a transaction
)

// StateReason returns the meaning of an SQLSTATE, what to do, and the state itself.
func StateReason(code string) string {
	if reason := stateReasons[code]; reason != "" {
		return reason + " (SQLSTATE " + code + ")"
	}
	return "SQLSTATE " + code
}

// StateKind returns the error by which callers of a storage recognize an SQLSTATE: ErrConflict,
// memory.ErrExists, memory.ErrUnavailable, or nil for all other states.
func StateKind(code string) error {
	switch code {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return ErrConflict
	case "23505": // unique_violation
		return memory.ErrExists
	case "55P03", // lock_not_available: lock_timeout
		"57014", // query_canceled: statement_timeout
		StateStandsBy, StateReadOnly,
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
