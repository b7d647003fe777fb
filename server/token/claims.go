package token

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/server/wire"
)

// maxInstant is the end of the year 9999 in Unix seconds. A later exp is invalid
// and could overflow.
const maxInstant = 253402300799

// claims are the token claims that mneme reads. They are decoded strictly:
// exact names, no duplicates, and the right types.
type claims struct {
	jwt.RegisteredClaims
	taint, chat, user, scope string
}

// read decodes claims. encoding/json is not strict enough; see wire.Members. Unknown
// claims are ignored.
func (c *claims) read(text []byte) error {
	members, err := wire.Members(text)
	if err != nil {
		return err
	}
	for _, m := range members {
		target := c.target(m.Name)
		switch {
		case m.Name == "jti":
			_ = json.Unmarshal(m.Value, &c.ID) // other issuers may use any type
			continue
		case target == nil:
			continue
		}
		if err := readClaim(m.Value, target); err != nil {
			return err
		}
	}
	return nil
}

// target returns the destination of a claim; nil if it is unknown.
func (c *claims) target(name string) any {
	switch name {
	case "iss":
		return &c.Issuer
	case "sub":
		return &c.Subject
	case "aud":
		return &c.Audience
	case "exp":
		return &c.ExpiresAt
	case "nbf":
		return &c.NotBefore
	case "iat":
		return &c.IssuedAt
	case "taint":
		return &c.taint
	case "chat":
		return &c.chat
	case "user":
		return &c.user
	case "scope":
		return &c.scope
	}
	return nil
}

// readClaim decodes valid JSON into a claim.
func readClaim(text json.RawMessage, target any) error {
	if string(text) == "null" || wire.LoneSurrogate(text) {
		return errNotValid
	}
	if date, ok := target.(**jwt.NumericDate); ok {
		seconds, err := strconv.ParseFloat(string(text), 64) // text is valid JSON; only numbers parse
		if err != nil || seconds < 0 || seconds > maxInstant {
			return errNotValid
		}
		whole, part := math.Modf(seconds)
		*date = jwt.NewNumericDate(time.Unix(int64(whole), int64(part*1e9)))
		return nil
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
