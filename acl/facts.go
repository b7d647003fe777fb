package acl

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Grant lets Grantee use Store up to Level and MaxLabel. There is at most one
// per store, grantee and label. In a session, the grant with the highest label
// up to the session's taint counts.
type Grant struct {
	Store, Grantee string
	Level          Level
	MaxLabel       Label
	ExpiresAt      time.Time // zero: never
	Maker          string    // the grant is in effect only while Maker has readwrite on Store
	ByPlatform     bool      // made with a platform token: it does not depend on the maker's access
	CreatedAt      time.Time
	// Label is the taint of the session that made the grant. The grant exists only
	// for sessions at this label or above: in others it is not listed, has no effect
	// and counts in no limit. A grant made with a platform token has label PUBLIC.
	// MaxLabel of any other grant is at most Label, unless an earlier version of this
	// program made the grant: it then has label PUBLIC, too.
	Label Label
	// Accepted is the lowest taint of the sessions in which the grantee accepted the
	// grant; 0: not accepted. Sessions at this taint or above include the store in
	// searches that name no store.
	Accepted Label `json:",omitzero"`

	Caps  Caps   // if Level is Search
	Offer string // id of the offer that meters the grant; "": none
	Terms string // the terms of Offer, as JSON, when it was accepted
	// Rests reports that the grant gives no access for now: an agent other than the
	// store's own made it, and an offer of the store is open, up to Label or MaxLabel.
	// A storage sets Rests when it reads a grant, and ignores it when it writes one.
	Rests bool
}

// Caps limit the use of a search-only grant. A zero field means the default.
type Caps struct {
	SearchesPerHour int64
	EntriesPerDay   int64 // counts entries not shown before
}

// Membership is an agent's participation in a chat, or its session with a
// user. The zero value is no membership.
type Membership struct {
	Present   bool
	ExpiresAt time.Time // zero: never
}

func (m Membership) activeAt(now time.Time) bool { return m.Present && !expired(m.ExpiresAt, now) }

// Settings are an agent's switches. Access to a kind of store that is switched
// off fails with ErrDenied, and searches leave such stores out.
type Settings struct {
	Enabled    bool          // the master switch
	Self       bool          // the agent's own store
	Chat       bool          // stores of chats
	User       bool          // stores of users
	DefaultTTL time.Duration // lifetime of entries written without one; 0: unlimited
	// Locked are the switches that a platform token turned off. Only a platform token
	// can turn them on again.
	Locked Switches `json:",omitzero"`
}

// Switches is a set of switches of Settings.
type Switches uint8

// The switches.
const (
	SwitchEnabled Switches = 1 << iota
	SwitchSelf
	SwitchChat
	SwitchUser
)

// switches lists all switches with their names in the API.
var switches = [...]struct {
	Switches
	name string
	of   func(*Settings) *bool
}{
	{SwitchEnabled, "enabled", func(s *Settings) *bool { return &s.Enabled }},
	{SwitchSelf, "self", func(s *Settings) *bool { return &s.Self }},
	{SwitchChat, "chat", func(s *Settings) *bool { return &s.Chat }},
	{SwitchUser, "user", func(s *Settings) *bool { return &s.User }},
}

// Off returns the switches that are off.
func (s Settings) Off() (off Switches) {
	for _, one := range switches {
		if !*one.of(&s) {
			off |= one.Switches
		}
	}
	return off
}

// Names returns the names of the switches in w.
func (w Switches) Names() []string {
	var names []string
	for _, one := range switches {
		if w&one.Switches != 0 {
			names = append(names, one.name)
		}
	}
	return names
}

// DefaultSettings returns the settings of an agent that never changed them: all
// switches are on.
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

// StoreFacts are the facts about a store.
type StoreFacts struct {
	Number int64 // identifies the store in rows and indexes; 0: no entry was ever written to it
	// Detail holds other facts, on which no access depends; nil: none. A storage returns
	// the complete Detail.
	Detail Detail
}

// Detail holds facts about a store, some of which only readers of entries with certain
// labels may know.
type Detail interface {
	// Within returns the part that a reader of entries up to ceiling may know; nil: nothing.
	Within(ceiling Label) Detail
}

// Within returns the part of the Detail that a reader of entries up to ceiling may know.
//
// SECURITY: callers see a Detail only through this method.
func (f StoreFacts) Within(ceiling Label) Detail {
	if f.Detail == nil {
		return nil
	}
	return f.Detail.Within(ceiling)
}

// Facts provides the data on which the cascade decides. A storage must read it
// from the snapshot in which the caller's operation runs.
// An absent record is a zero value, not an error. Expired records may still be
// returned.
type Facts interface {
	// StoreFacts returns the facts about stores. A store gets its number with its first
	// entry. The map may lack a store about which nothing is known.
	StoreFacts(ctx context.Context, stores []string) (map[string]StoreFacts, error)
	// Grants returns the grants that match the query, with any label, ordered by store,
	// grantee and label. Callers must not change them: a storage may return them again.
	Grants(ctx context.Context, query GrantQuery) ([]Grant, error)
	// Membership returns agent's participation in a chat (ViaChat) or its session
	// with a user (ViaUser).
	Membership(ctx context.Context, via Via, of, agent string) (Membership, error)
	// Settings returns agent's settings, DefaultSettings if it never changed
	// them.
	Settings(ctx context.Context, agent string) (Settings, error)
}

// GrantQuery selects the grants of a store, the grants to a grantee, or, if both
// fields are set, the grants of the store to the grantee: at most one per label.
// The zero value selects none.
type GrantQuery struct{ Store, Grantee string }

// GrantsOf returns the grants of store to grantee that exist for a session with
// a taint, the highest label first.
//
// SECURITY: only GrantsOf and reachableStores select among the grants of an
// agent, and both leave out grants with labels above the taint.
func GrantsOf(ctx context.Context, facts Facts, store, grantee string, taint Label) ([]Grant, error) {
	grants, err := facts.Grants(ctx, GrantQuery{Store: store, Grantee: grantee})
	if err != nil {
		return nil, err
	}
	var visible []Grant
	for _, g := range grants {
		if g.Store == store && g.Grantee == grantee && g.Label.CanFlowTo(taint) {
			visible = append(visible, g)
		}
	}
	slices.SortFunc(visible, func(a, b Grant) int { return cmp.Compare(b.Label, a.Label) })
	return visible, nil
}

// GrantOf returns the first grant that GrantsOf returns; its Level is None if
// there is none.
func GrantOf(ctx context.Context, facts Facts, store, grantee string, taint Label) (Grant, error) {
	grants, err := GrantsOf(ctx, facts, store, grantee, taint)
	if err != nil || len(grants) == 0 {
		return Grant{}, err
	}
	return grants[0], nil
}

// expired reports whether an expiry has passed. The zero time never expires.
func expired(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }
