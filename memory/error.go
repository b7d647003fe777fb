package memory

import (
	"errors"
	"fmt"
	"time"

	"mneme/acl"
)

// Errors of the Service, together with acl.ErrDenied, acl.ErrBadID and
// ErrUnavailable.
var (
	// ErrNotFound: the entry does not exist or is not visible to the caller. The caller cannot
	// distinguish these.
	ErrNotFound = errors.New("no such entry")
	// ErrConflict: the operation conflicts with the current state.
	ErrConflict = errors.New("conflict")
	// ErrPrecondition: If-Match or If-None-Match failed.
	ErrPrecondition = errors.New("the entry is not in the state that the request expects")
	// ErrCursor: the cursor was not issued for this call by this service.
	ErrCursor = errors.New("the cursor is not valid for this call")
	// ErrNotCaller: the id cannot be a caller's, for example because it is a chat's.
	ErrNotCaller = errors.New("this subject cannot call")
	// ErrKeyReused: the Idempotency-Key was used with another body.
	ErrKeyReused = errors.New("the Idempotency-Key was used with another body")
)

// RuleError says which field of a request breaks which rule. It never contains the value that
// was sent.
type RuleError struct {
	Field string
	Rule  string
	// TooLarge says that the field exceeds a size limit.
	TooLarge bool
}

func (e *RuleError) Error() string { return e.Field + ": " + e.Rule }

func rule(field, format string, args ...any) error {
	return &RuleError{Field: field, Rule: fmt.Sprintf(format, args...)}
}

// ConflictError is an ErrConflict with its reason.
type ConflictError struct{ Reason string }

func (e *ConflictError) Error() string { return e.Reason }

// Is makes every ConflictError match ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

func conflict(reason string) error { return &ConflictError{Reason: reason} }

// QuotaError says which limit of a store a write would exceed.
type QuotaError struct {
	Limit      string // "keys", "bytes" or "grants"
	Max        int64
	RetryAfter time.Duration
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("the limit of %d %s in this store is reached", e.Max, e.Limit)
}

// isRefusal reports whether err concerns one request only. Other errors come from the storage
// and concern the whole transaction.
func isRefusal(err error) bool {
	var broken *RuleError
	var full *QuotaError
	return errors.As(err, &broken) || errors.As(err, &full) ||
		errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) || errors.Is(err, ErrPrecondition) ||
		errors.Is(err, acl.ErrDenied) || errors.Is(err, acl.ErrBadID)
}
