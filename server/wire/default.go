package wire

import (
	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
)

// Defaults and limits of optional fields. openapi.yaml and the tools' schemas
// document them.
const (
	DefaultHits  = 10       // hits of a search
	MaxHits      = 100      // hits of a search, at most
	DefaultPage  = 50       // items of a page over REST
	MaxPage      = 100      // items of a page, at most
	DefaultLevel = acl.Read // of a grant
)

// MaxTokens returns the MaxTokens of a search: 0 for none, and for one of 0 an
// invalid one, which the service refuses.
func MaxTokens(given *int) int {
	switch {
	case given == nil:
		return 0
	case *given == 0:
		return -1
	}
	return *given
}

// Accepted returns StoreInfo.accepted of a store: nil unless it was granted.
func Accepted(info memory.StoreInfo) *bool {
	if info.Kind != string(acl.ViaGrant) {
		return nil
	}
	accepted := !info.Unaccepted
	return &accepted
}

// NoLevel is an invalid level. Surfaces pass it on for an unknown name, so that
// the service checks access before it refuses the level.
const NoLevel = acl.Level(255)

// NoLanguage is the like of NoLevel for a choice of models.
const NoLanguage = choice.Language(255)

const (
	// defaultValue is the default of memory.Limits for one value, in bytes.
	defaultValue = 100_000
	// bodyRoom is the allowance for the rest of a body, in bytes. All other
	// fields at their limits need less, even with every character escaped.
	bodyRoom = 64 << 10
	// minBody is the lowest limit on a body, in bytes, so that most values
	// above their limit are refused by the service, after access.
	minBody = 1 << 20
	// escapedByte is the maximum length of an escaped byte in a JSON string.
	escapedByte = 6
)

// MaxBody returns the limit on a body with one value, in bytes. valueLimit is
// the service's limit on a value; 0 means its default.
func MaxBody(valueLimit int) int64 {
	return max(minBody, int64(valueOr(valueLimit))+bodyRoom)
}

// MaxEscapedBody is like MaxBody, for values that are sent as JSON strings.
func MaxEscapedBody(valueLimit int) int64 {
	return max(minBody, escapedByte*int64(valueOr(valueLimit))+bodyRoom)
}

func valueOr(limit int) int {
	if limit == 0 {
		return defaultValue
	}
	return limit
}
