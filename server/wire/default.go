package wire

import "mneme/acl"

// Defaults of what a request leaves out, and the bounds of what it may ask.
// openapi.yaml and the tools' schemas state them to clients.
const (
	DefaultHits  = 10       // hits of a search
	MaxHits      = 100      // hits of a search, at most
	DefaultPage  = 50       // items of a page over REST
	MaxPage      = 100      // items of a page, at most
	DefaultLevel = acl.Read // of a grant
)

// NoLevel is no level. It stands for a name that is no level's, so that the
// Service refuses it in its turn: after access.
const NoLevel = acl.Level(255)

const (
	// defaultValue is the default of memory.Limits for one value, in bytes.
	defaultValue = 100_000
	// bodyRoom is what a body may hold beside the value, in bytes: all other
	// fields at their limits, every character escaped, come to less.
	bodyRoom = 64 << 10
	// minBody is what every body may have, in bytes, so that a value above its
	// limit is judged by its own size, after access.
	minBody = 1 << 20
	// escapedByte is how many bytes a byte may take in a JSON string.
	escapedByte = 6
)

// MaxBody is the limit of a body with one value, in bytes. valueLimit is the
// Service's limit of a value; 0 is its default.
func MaxBody(valueLimit int) int64 {
	return max(minBody, int64(valueOr(valueLimit))+bodyRoom)
}

// MaxEscapedBody is MaxBody where the value is itself sent as a JSON string.
func MaxEscapedBody(valueLimit int) int64 {
	return max(minBody, escapedByte*int64(valueOr(valueLimit))+bodyRoom)
}

func valueOr(limit int) int {
	if limit == 0 {
		return defaultValue
	}
	return limit
}
