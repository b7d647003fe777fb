package acl

import (
	"errors"
	"fmt"
)

// ErrDenied says that the caller has no level that allows the operation. It
// is the same for a store that does not exist.
var ErrDenied = errors.New("no access to this store at the level that the operation needs")

// ErrBadID says that a store, agent, chat or user id breaks the rule of ids.
var ErrBadID = errors.New("an id must match [A-Za-z0-9._:@-]{1,128} and not be '.', '..', 'self' or 'shared'")

// Principal is the authenticated caller. Every field comes from its token;
// nothing in a request raises or lowers one.
type Principal struct {
	// Agent is the token's subject: an agent, or a user that authenticates
	// as itself.
	Agent string
	// Taint is the label of the caller's session: what it writes takes this
	// label, and it reads labels up to it.
	Taint Label
	// Chat and User are the token's claims. Where either is set, no other
	// chat or user gives access, whatever the request names.
	Chat, User string
	// Platform is the scope of administration. It gives no level on any
	// store and no label.
	Platform bool
	// Share is the scope that lets a tool offer share and unshare.
	Share bool
}

// Validate tells whether the principal can have come from a sound token.
func (p Principal) Validate() error {
	if err := CheckID(p.Agent); err != nil {
		return fmt.Errorf("subject: %w", err)
	}
	if !p.Taint.Valid() {
		return fmt.Errorf("taint: not one of the four labels")
	}
	if p.Chat != "" {
		if err := CheckID(p.Chat); err != nil {
			return fmt.Errorf("chat: %w", err)
		}
	}
	if p.User != "" {
		if err := CheckID(p.User); err != nil {
			return fmt.Errorf("user: %w", err)
		}
	}
	return nil
}

// mayUseChat tells whether the principal may act as a participant of chat.
func (p Principal) mayUseChat(chat string) bool {
	return p.Chat == chat || p.Chat == "" && p.User == ""
}

// mayUseUser tells whether the principal may act in a session of user.
func (p Principal) mayUseUser(user string) bool {
	return p.User == user || p.Chat == "" && p.User == ""
}

// CheckID holds the rule of store, agent, chat and user ids.
func CheckID(id string) error {
	if len(id) < 1 || len(id) > 128 {
		return ErrBadID
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '_', c == ':', c == '@', c == '-':
		default:
			return ErrBadID
		}
	}
	switch id {
	case ".", "..", "self", "shared":
		return ErrBadID
	}
	return nil
}
