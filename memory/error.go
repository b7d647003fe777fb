package memory

import (
	"errors"
	"fmt"
	"time"

	"mneme/acl"
)

// Errors of the Service. A surface turns them into statuses in one table;
// acl.ErrDenied, acl.ErrBadID and ErrUnavailable belong to it too.
var (
	// ErrNotFound: absent, or not visible to the caller, which are the same.
	ErrNotFound = errors.New("no such entry")
	// ErrConflict: the operation clashes with what is there.
	ErrConflict = errors.New("conflict")
	// ErrPrecondition: If-Match or If-None-Match does not hold.
	ErrPrecondition = errors.New("the entry is not in the state that the request expects")
	// ErrCursor: the cursor was not made for this call by this service.
	ErrCursor = errors.New("the cursor is not valid for this call")
	// ErrNotCaller: the id is known as a chat's and cannot be a caller's.
	ErrNotCaller = errors.New("this subject cannot call")
	// ErrKeyReused: the Idempotency-Key was used with another body.
	ErrKeyReused = errors.New("the Idempotency-Key was used with another body")
)

// RuleError says which field breaks which rule. It never holds what was sent.
type RuleError struct {
	Field string
	Rule  string
	// TooLarge marks a value above the size limit, which has a status of its
	// own.
	TooLarge bool
}

func (e *RuleError) Error() string { return e.Field + ": " + e.Rule }

func rule(field, format string, args ...any) error {
	return &RuleError{Field: field, Rule: fmt.Sprintf(format, args...)}
}

// ConflictError is an ErrConflict that says what clashes.
type ConflictError struct{ Reason string }

func (e *ConflictError) Error() string { return e.Reason }

// Is makes every ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

func conflict(reason string) error { return &ConflictError{Reason: reason} }

// QuotaError says which limit of a store a write would pass.
type QuotaError struct {
	Limit      string // "keys" or "bytes"
	Max        int64
	RetryAfter time.Duration
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("the limit of %d %s in this store is reached", e.Max, e.Limit)
}

// isRefusal reports whether err concerns one request alone. Other errors are
// the storage's and concern the whole transaction.
func isRefusal(err error) bool {
	var broken *RuleError
	var full *QuotaError
	return errors.As(err, &broken) || errors.As(err, &full) ||
		errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) || errors.Is(err, ErrPrecondition) ||
		errors.Is(err, acl.ErrDenied) || errors.Is(err, acl.ErrBadID)
}
