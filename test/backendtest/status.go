package backendtest

import (
	"errors"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// Status returns the HTTP status with which REST answers an error.
func Status(err error) int {
	var broken *memory.RuleError
	var full *memory.QuotaError
	var spent *search.CapError
	var unpaid *search.PaymentError
	switch {
	case err == nil:
		return 200
	case errors.Is(err, acl.ErrDenied):
		return 403
	case errors.As(err, &broken) && broken.TooLarge:
		return 413
	case errors.As(err, &broken):
		return 422
	case errors.Is(err, memory.ErrNotFound):
		return 404
	case errors.Is(err, memory.ErrConflict), errors.Is(err, memory.ErrKindClash):
		return 409
	case errors.Is(err, memory.ErrPrecondition):
		return 412
	case errors.As(err, &full), errors.As(err, &spent):
		return 429
	case errors.As(err, &unpaid):
		return 402
	case errors.Is(err, memory.ErrCursor), errors.Is(err, acl.ErrBadID):
		return 400
	}
	return 500
}
