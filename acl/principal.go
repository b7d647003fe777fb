package acl

import (
	"errors"
	"fmt"
)

// ErrDenied reports that the caller's level does not allow the operation. It
// does not depend on whether the store exists.
var ErrDenied = errors.New("no access to this store at the level that the operation needs")

// ErrBadID reports a malformed store, agent, chat or user id.
var ErrBadID = errors.New("an id must match [A-Za-z0-9._:@-]{1,128} and not be '.', '..', 'self' or 'shared'")

// Principal is the authenticated caller. Every field comes from the caller's
// token; nothing in a request changes one.
type Principal struct {
	// Agent is the token's subject: an agent, or a user acting directly.
	Agent string
	// Taint is the label of the caller's session. The caller writes entries
	// with this label and reads entries up to it.
	Taint Label
	// Chat and User are claims of the token. If either is set, no other chat
	// or user gives access, whatever the request names.
	Chat, User string
	// Platform marks a token for administration. It gives access to no store
	// and no label.
	Platform bool
	// Share permits tools to offer share and unshare.
	Share bool
	// Spend permits tools, MCP and the Robutler API to pay from the agent's account.
	Spend bool
}

// Validate returns an error unless p could come from a valid token.
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

// mayUseChat reports whether the principal may act as a participant of chat.
func (p Principal) mayUseChat(chat string) bool {
	return p.Chat == chat || p.Chat == "" && p.User == ""
}

// mayUseUser reports whether the principal may act in a session of user.
func (p Principal) mayUseUser(user string) bool {
	return p.User == user || p.Chat == "" && p.User == ""
}

// CheckID returns ErrBadID unless id is a well-formed store, agent, chat or
// user id.
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
