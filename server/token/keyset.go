package token

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"strings"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
)

const (
	// maxKeys is the maximum number of usable keys in a set. A token that names
	// no key is checked against each.
	maxKeys = 100
	// minRSABits is what RFC 7518 §3.3 requires of RSA keys. maxRSABits bounds
	// the work of a verification, as crypto/tls does.
	minRSABits, maxRSABits = 2048, 8192
)

// errNoKey reports that a set has no key for a token.
var errNoKey = errors.New("no key has the token's kid, or verifies a token without one")

// keySet is the public keys of an issuer for its algorithm. It is immutable.
type keySet struct {
	byID map[string]any // keys that have a kid
	all  []any
}

// parseKeySet reads a JSON Web Key Set. It skips keys that are invalid, not for
// signatures, or not for the algorithm (RFC 7517 §5). A set without usable keys
// is an error: no working issuer has one.
func parseKeySet(text []byte, algorithm string) (*keySet, error) {
	var from jwkset.JWKSMarshal
	if err := json.Unmarshal(text, &from); err != nil {
		return nil, errors.New("not a set of keys")
	}
	set := &keySet{byID: make(map[string]any)}
	for _, one := range from.Keys {
		if one.USE != "" && one.USE != jwkset.UseSig || one.ALG != "" && one.ALG.String() != algorithm {
			continue
		}
		parsed, err := jwkset.NewJWKFromMarshal(one, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
		if err != nil || !fits(parsed.Key(), algorithm) {
			continue
		}
		if one.KID != "" {
			if _, taken := set.byID[one.KID]; taken {
				return nil, errors.New("two keys have the same kid")
			}
			set.byID[one.KID] = parsed.Key()
		}
		set.all = append(set.all, parsed.Key())
	}
	switch {
	case len(set.all) == 0:
		return nil, errors.New("no key for the issuer's algorithm")
	case len(set.all) > maxKeys:
		return nil, errors.New("too many keys")
	}
	return set, nil
}

// fits reports whether a public key is of the algorithm's type.
func fits(key any, algorithm string) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		bits := key.N.BitLen()
		return (strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")) && bits >= minRSABits && bits <= maxRSABits
	case *ecdsa.PublicKey:
		return map[string]string{"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}[algorithm] == key.Params().Name
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

// find returns the key that a token names or, if it names none, the first key that verifies it.
// Apart from that, it makes no difference how many keys an issuer has. A nil set has no keys.
func (s *keySet) find(t *jwt.Token) (any, error) {
	if s == nil {
		return nil, errNoKey
	}
	name, named := t.Header["kid"]
	if !named {
		text := signed(t)
		for _, key := range s.all {
			if t.Method.Verify(text, t.Signature, key) == nil {
				return key, nil
			}
		}
		return nil, errNoKey
	}
	if id, ok := name.(string); ok {
		if key, known := s.byID[id]; known {
			return key, nil
		}
	}
	return nil, errNoKey
}
