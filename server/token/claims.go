package token

import (
	"encoding/json"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/server/wire"
)

// maxInstant is the end of the year 9999 in Unix seconds. A later exp is invalid
// and could overflow.
const maxInstant = 253402300799

// claims are the claims of a token that mneme reads. They are decoded strictly:
// exact names, none repeated, and each of its type.
type claims struct {
	jwt.RegisteredClaims
	taint, chat, user, scope string
}

// UnmarshalJSON implements json.Unmarshaler, because encoding/json is not strict
// enough; see wire.Members. Unknown claims are ignored.
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

// principal returns the principal that the claims describe. It does not check
// what the issuer may grant; see Issuer.allows.
func (c *claims) principal() (acl.Principal, error) {
	p := acl.Principal{Agent: c.Subject, Taint: acl.Public, Chat: c.chat, User: c.user}
	if c.taint != "" {
		var err error
		if p.Taint, err = acl.ParseLabel(c.taint); err != nil {
			return acl.Principal{}, &Refusal{"the token's taint is not one of the four labels"}
		}
	}
	for _, name := range strings.Split(c.scope, " ") {
		if has := scopeField(&p, name); has != nil {
			*has = true
		}
	}
	if p.Validate() != nil {
		return acl.Principal{}, &Refusal{"the token's sub, chat or user is not a valid id"}
	}
	return p, nil
}
