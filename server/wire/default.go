package wire

import (
	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
)

// Defaults and limits of optional fields. openapi.yaml and the tools' schemas
// document them.
const (
	DefaultHits  = 10       // hits per search
	MaxHits      = 100      // hits per search
	DefaultPage  = 50       // items per page over REST
	MaxPage      = 100      // items per page
	DefaultLevel = acl.Read // level of a grant
)

// MaxTokens returns the MaxTokens of a search request: 0, no limit, if given is nil.
// A given 0 becomes an invalid value, which the service refuses.
func MaxTokens(given *int) int {
	switch {
	case given == nil:
		return 0
	case *given == 0:
		return -1
	}
	return *given
}

// Accepted returns the member accepted of a store in answers: whether the caller has accepted
// the grant by which it has access; nil if its access comes from anything else.
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

// NoLanguage is an invalid choice of models, which surfaces pass on like NoLevel.
const NoLanguage = choice.Language(255)

const (
	// defaultValue is the default limit of memory.Limits on a value, in bytes.
	defaultValue = 100_000
	// bodyOverhead is the maximum size of a body without its value, in bytes. All
	// other fields at their limits need less, even with every character escaped.
	bodyOverhead = 64 << 10
	// minBody is the lowest limit on a body, in bytes. It is high, so that the service
	// refuses most values above their limit, after it has checked access.
	minBody = 1 << 20
	// escapedByte is the maximum length of an escaped byte in a JSON string.
	escapedByte = 6
)

// MaxBody returns the limit on a body with one value, in bytes. valueLimit is
// the service's limit on a value; 0 means its default.
func MaxBody(valueLimit int) int64 {
	return max(minBody, int64(valueOr(valueLimit))+bodyOverhead)
}

// MaxEscapedBody is like MaxBody, for a value that is sent as a JSON string: each byte of it
// may be escaped as six.
func MaxEscapedBody(valueLimit int) int64 {
	return max(minBody, escapedByte*int64(valueOr(valueLimit))+bodyOverhead)
}

func valueOr(limit int) int {
	if limit == 0 {
		return defaultValue
	}
	return limit
}
