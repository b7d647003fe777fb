package acl

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Grant lets Grantee use Store up to Level and MaxLabel. There is at most one
// per store, grantee and label: the one of the highest label that a session
// reaches counts there.
type Grant struct {
	Store, Grantee string
	Level          Level
	MaxLabel       Label
	ExpiresAt      time.Time // zero: never
	Maker          string    // the grant is in effect only while Maker has readwrite on Store
	ByPlatform     bool      // made with a platform token: it depends on nobody's access
	CreatedAt      time.Time
	// Label is the taint of the session that made the grant. The grant exists for
	// sessions at this label or above alone: it is neither listed nor in effect, and
	// counts in no limit, below. Those made with a platform token have label PUBLIC.
	// MaxLabel of others is at most Label, except where an earlier version of this
	// program made the grant: those have label PUBLIC, too.
	Label Label
	// Accepted is the lowest taint of the sessions in which the grantee accepted the
	// grant; 0: of none. From there up it counts in searches that name no store.
	Accepted Label `json:",omitzero"`

	Caps  Caps   // of level search
	Offer string // id of the offer that meters the grant; "": none
	Terms string // of Offer, as JSON, when it was accepted
	// Rests says that somebody else than the store's own agent made the grant, and
	// that an offer of the store is open, up to Label or MaxLabel: the grant gives no access meanwhile. A
	// storage sets it when it reads the grant, and ignores it when it writes one.
	Rests bool
}

// Caps bound what a search-only grant shows. A zero field means the default.
type Caps struct {
	SearchesPerHour int64
	EntriesPerDay   int64 // entries not shown before
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
	// Locked are the switches that a platform token turned off, and that take one to be
	// turned on.
	Locked Switches `json:",omitzero"`
}

// Switches are a set of the switches of Settings.
type Switches uint8

// The switches.
const (
	SwitchEnabled Switches = 1 << iota
	SwitchSelf
	SwitchChat
	SwitchUser
)

// switches are all of them, by the names that the API has.
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

// Names returns the names of the switches of a set.
func (w Switches) Names() []string {
	var names []string
	for _, one := range switches {
		if w&one.Switches != 0 {
			names = append(names, one.name)
		}
	}
	return names
}

// DefaultSettings returns the settings of an agent that never changed any: all
// switches on.
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

// StoreFacts are what is known of a store.
type StoreFacts struct {
	Number int64 // in rows and indexes; 0: no entry was ever written to it
	// Detail is what else is known, on which no access depends; nil: nothing. A storage
	// answers all of it.
	Detail Detail
}

// Detail is a fact of a store of which some may be known to those alone who read entries up
// to a label.
type Detail interface {
	// Within returns what those may know who read entries up to a ceiling; nil: nothing.
	Within(ceiling Label) Detail
}

// Within returns the Detail that those may know who read entries up to a ceiling.
//
// SECURITY: a caller learns a Detail from this alone.
func (f StoreFacts) Within(ceiling Label) Detail {
	if f.Detail == nil {
		return nil
	}
	return f.Detail.Within(ceiling)
}

// Facts provides the data on which the cascade decides. A storage must answer
// from one consistent snapshot, the one in which the caller's operation runs.
// An absent record is a zero value, not an error. Expired records may still be
// returned.
type Facts interface {
	// StoreFacts returns what is known of stores. A store gets its number with its first
	// entry; one of which nothing is known may be missing from the map.
	StoreFacts(ctx context.Context, stores []string) (map[string]StoreFacts, error)
	// Grants returns the grants that the query describes, of all labels, ordered by
	// store, grantee and label. They must not be changed: a storage may return them again.
	Grants(ctx context.Context, query GrantQuery) ([]Grant, error)
	// Membership returns agent's participation in a chat (ViaChat) or its session
	// with a user (ViaUser).
	Membership(ctx context.Context, via Via, of, agent string) (Membership, error)
	// Settings returns agent's switches, DefaultSettings if it never changed
	// any.
	Settings(ctx context.Context, agent string) (Settings, error)
}

// GrantQuery asks for the grants of a store, those to a grantee, or if both are
// set, for the one of the store to the grantee. If neither is, there are none.
// If both are, there may be one at each label.
type GrantQuery struct{ Store, Grantee string }

// GrantsOf returns the grants of store to grantee that exist for a session with
// a taint, the highest label first.
//
// SECURITY: nothing but this and reachableStores chooses among the grants of an
// agent, and both leave out those of labels above the taint.
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

// GrantOf returns the first of GrantsOf; its Level is None if there is none.
func GrantOf(ctx context.Context, facts Facts, store, grantee string, taint Label) (Grant, error) {
	grants, err := GrantsOf(ctx, facts, store, grantee, taint)
	if err != nil || len(grants) == 0 {
		return Grant{}, err
	}
	return grants[0], nil
}

// expired reports whether an expiry has passed. The zero time never expires.
func expired(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }
