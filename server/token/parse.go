package token

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"mneme/server/wire"
)

// encoding decodes the parts of a token. It refuses trailing bits, which would give a
// part several encodings.
var encoding = base64.RawURLEncoding.Strict()

// parse decodes a token once, for choosing its key and for all further checks, as
// jwt.Parser.ParseUnverified does but more strictly.
//
// SECURITY: nothing is verified yet. Until trusted.verify has verified the signature,
// only the issuer and the header members that select the key are used.
func parse(text string) (*jwt.Token, *claims, error) {
	parts := strings.SplitN(text, ".", 4)
	if len(parts) != 3 || strings.ContainsAny(text, "\r\n") { // which the decoder would skip
		return nil, nil, errNotValid
	}
	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = encoding.DecodeString(part); err != nil {
			return nil, nil, err
		}
	}
	t, c := &jwt.Token{Raw: text, Signature: decoded[2]}, new(claims)
	var err error
	if t.Header, err = parseHeader(decoded[0]); err != nil {
		return nil, nil, err
	}
	algorithm, _ := t.Header["alg"].(string)
	if t.Method = jwt.GetSigningMethod(algorithm); t.Method == nil {
		return nil, nil, errNotValid
	}
	return t, c, c.read(decoded[1])
}

// parseHeader decodes a header strictly; see wire.Members.
func parseHeader(text []byte) (map[string]any, error) {
	members, err := wire.Members(text)
	if err != nil {
		return nil, err
	}
	header := make(map[string]any, len(members))
	for _, m := range members {
		if m.Name == "crit" { // critical extensions (RFC 7515 §4.1.11): none is supported
			return nil, errNotValid
		}
		var value any
		if err := json.Unmarshal(m.Value, &value); err != nil {
			return nil, err
		}
		header[m.Name] = value
	}
	return header, nil
}

// signed returns the signed part of a token.
func signed(t *jwt.Token) string { return t.Raw[:strings.LastIndexByte(t.Raw, '.')] }
