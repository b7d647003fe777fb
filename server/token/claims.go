package token

import (
	"encoding/json"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/server/wire"
)

// maxInstant is the end of the year 9999, in Unix seconds: a later exp is
// nonsense and would overflow somewhere.
const maxInstant = 253402300799

// claims are those of a token that mneme reads, strictly: exact names, none
// of them twice, and of the right type.
type claims struct {
	jwt.RegisteredClaims
	taint, chat, user, scope string
}

// UnmarshalJSON is what the parser calls; see claims for why it is not left
// to encoding/json. Claims that mneme does not know are left aside.
func (c *claims) UnmarshalJSON(text []byte) error {
	members, err := wire.Members(text)
	if err != nil {
		return err
	}
	into := map[string]any{
		"iss": &c.Issuer, "sub": &c.Subject, "aud": &c.Audience,
		"exp": &c.ExpiresAt, "nbf": &c.NotBefore, "iat": &c.IssuedAt,
		"taint": &c.taint, "chat": &c.chat, "user": &c.user, "scope": &c.scope,
	}
	for _, m := range members {
		target, known := into[m.Name]
		if !known {
			continue
		}
		if err := readClaim(m.Value, target); err != nil {
			return err
		}
	}
	return nil
}

func readClaim(text json.RawMessage, target any) error {
	if string(text) == "null" || wire.LoneSurrogate(text) {
		return errNotValid
	}
	if date, ok := target.(**jwt.NumericDate); ok {
		var seconds float64
		if err := json.Unmarshal(text, &seconds); err != nil || seconds < 0 || seconds > maxInstant {
			return errNotValid
		}
		*date = new(jwt.NumericDate)
		return (*date).UnmarshalJSON(text)
	}
	return json.Unmarshal(text, target)
}

// principal is what the claims say, checked but for the issuer's bounds.
func (c *claims) principal() (acl.Principal, error) {
	p := acl.Principal{Agent: c.Subject, Taint: acl.Public, Chat: c.chat, User: c.user}
	if c.taint != "" {
		var err error
		if p.Taint, err = acl.ParseLabel(c.taint); err != nil {
			return acl.Principal{}, &Refusal{"the token's taint is not one of the four labels"}
		}
	}
	for _, name := range strings.Split(c.scope, " ") {
		switch name {
		case ScopePlatform:
			p.Platform = true
		case ScopeShare:
			p.Share = true
		}
	}
	if p.Validate() != nil {
		return acl.Principal{}, &Refusal{"the token's sub, chat or user is not an id"}
	}
	return p, nil
}
