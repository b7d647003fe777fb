package acl

import (
	"context"
	"time"
)

// Grant lets Grantee use Store up to Level and MaxLabel. There is at most one
// for a store and a grantee.
type Grant struct {
	Store, Grantee string
	Level          Level
	MaxLabel       Label
	ExpiresAt      time.Time // zero: never
	Maker          string    // the grant counts only while Maker has readwrite on Store
	ByPlatform     bool      // made with a platform token: it hangs on nobody's access
	CreatedAt      time.Time
}

// Membership is an agent's place in a chat, or its session with a user.
// The zero value is no membership.
type Membership struct {
	Present   bool
	ExpiresAt time.Time // zero: never
}

func (m Membership) at(now time.Time) bool { return m.Present && !expired(m.ExpiresAt, now) }

// Settings are an agent's switches. A store kind that is off answers
// ErrDenied and is left out of searches.
type Settings struct {
	Enabled    bool          // the master toggle
	Self       bool          // the agent's own store
	Chat       bool          // stores of chats
	User       bool          // stores of users
	DefaultTTL time.Duration // of entries that are written without one; 0: none
}

// DefaultSettings are those of an agent that never wrote any: all on.
func DefaultSettings() Settings {
	return Settings{Enabled: true, Self: true, Chat: true, User: true}
}

func (s Settings) allow(via Via) bool {
	switch via {
	case ViaOwn:
		return s.Enabled && s.Self
	case ViaChat:
		return s.Enabled && s.Chat
	case ViaUser:
		return s.Enabled && s.User
	default:
		return s.Enabled
	}
}

// Facts is what the cascade judges by. A storage answers it from one
// consistent snapshot, the one in which the caller's operation runs. Absent
// things are zero values, not errors; what is expired may still be returned.
type Facts interface {
	// StoreNumbers gives the internal number of each store that has one
	// (any entry was ever written to it); others are missing from the map.
	StoreNumbers(ctx context.Context, stores []string) (map[string]int64, error)
	// Grant is the grant of a store to a grantee; Level None if there is none.
	Grant(ctx context.Context, store, grantee string) (Grant, error)
	// GrantsTo lists the grants to a grantee, ordered by store id.
	GrantsTo(ctx context.Context, grantee string) ([]Grant, error)
	// Participant is agent's place in chat.
	Participant(ctx context.Context, chat, agent string) (Membership, error)
	// Session is agent's session with user.
	Session(ctx context.Context, user, agent string) (Membership, error)
	// Settings are agent's switches, DefaultSettings if it never wrote any.
	Settings(ctx context.Context, agent string) (Settings, error)
}

// expired tells whether an instant has come; the zero time never does.
func expired(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }
