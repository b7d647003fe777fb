package token

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/internal/system"
)

const (
	// localName is the issuer and the audience of tokens signed with the
	// local key.
	localName = "mneme"
	// localAlgorithm is the only algorithm of the local key.
	localAlgorithm = "HS256"
	// LocalKeyFile is the file of the local key in the data directory.
	LocalKeyFile = "signing.key"
	// localKeySize is the size of the key in bytes: the hash's, as RFC 7518
	// §3.2 requires.
	localKeySize = 32
)

// OpenLocalKey reads the signing key of a data directory, and creates directory
// and key if they do not exist. A key that others can read is ErrReadable.
func OpenLocalKey(dir string) (*LocalKey, error) {
	if err := system.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("open signing key: %w", err)
	}
	path := filepath.Join(dir, LocalKeyFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		// SECURITY: deleting the key ends all its tokens, including tokens of former
		// keys.
		if err := os.Remove(filepath.Join(dir, FormerKeyFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open signing key: %w", err)
		}
		if err := makeLocalKey(path, false); err != nil && !errors.Is(err, fs.ErrExist) { // another process may just have made it
			return nil, fmt.Errorf("open signing key: %w", err)
		}
	}
	k := &LocalKey{dir: dir}
	if err := k.read(); err != nil {
		return nil, fmt.Errorf("open signing key: %w", err)
	}
	return k, nil
}

// makeLocalKey writes a new key. If a key exists and replace is not set, the error is
// fs.ErrExist.
func makeLocalKey(path string, replace bool) error {
	secret := make([]byte, localKeySize)
	rand.Read(secret) // never fails
	return system.WritePrivate(path, []byte(base64.StdEncoding.EncodeToString(secret)+"\n"), replace)
}

// Mint signs a token for a principal, valid from now for ttl. The token is not
// listed.
func (k *LocalKey) Mint(p acl.Principal, ttl time.Duration, now time.Time) (string, error) {
	return k.mint(p, "", ttl, now)
}

// mint is Mint with an ID, by which the token is listed and can be revoked; "" is no
// ID.
func (k *LocalKey) mint(p acl.Principal, id string, ttl time.Duration, now time.Time) (string, error) {
	if err := p.Validate(); err != nil {
		return "", fmt.Errorf("mint token: %w", err)
	}
	if ttl < time.Second {
		return "", errors.New("mint token: the time to live must be at least one second")
	}
	claims := jwt.MapClaims{
		"iss": localName, "aud": localName, "sub": p.Agent, "taint": p.Taint.String(),
		"iat": now.Unix(), "exp": now.Add(ttl).Unix(),
	}
	for name, value := range map[string]string{"jti": id, "chat": p.Chat, "user": p.User, "scope": scope(p)} {
		if value != "" {
			claims[name] = value
		}
	}
	keys := k.current()
	if len(keys) == 0 {
		return "", errors.New("mint token: there is no signing key")
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(keys[0].secret)
	if err != nil {
		return "", fmt.Errorf("mint token: %w", err)
	}
	return signed, nil
}

// The scopes that a token can have.
const (
	ScopePlatform = "platform"
	ScopeShare    = "share"
	ScopeSpend    = "spend"
)

// Scopes are all scopes.
var Scopes = []string{ScopePlatform, ScopeShare, ScopeSpend}

// scopeField returns the field of a principal for a scope; nil for an
// unknown one.
func scopeField(p *acl.Principal, name string) *bool {
	switch name {
	case ScopePlatform:
		return &p.Platform
	case ScopeShare:
		return &p.Share
	case ScopeSpend:
		return &p.Spend
	}
	return nil
}

// scope returns a principal's scope claim.
func scope(p acl.Principal) string {
	return strings.Join(ScopesOf(p), " ")
}

// ScopesOf returns a principal's scopes.
func ScopesOf(p acl.Principal) []string {
	return slices.DeleteFunc(slices.Clone(Scopes), func(name string) bool { return !*scopeField(&p, name) })
}

// errScope reports an unknown scope.
var errScope = fmt.Errorf("a scope must be one of %s", strings.Join(Scopes, ", "))

// SetScope parses a space-separated list of scopes into a principal. An unknown
// scope is an error.
func SetScope(p *acl.Principal, list string) error {
	for _, name := range strings.Fields(list) {
		has := scopeField(p, name)
		if has == nil {
			return errScope
		}
		*has = true
	}
	return nil
}

// AgentOf returns the agent claimed by a token of a local key, without verification, for a
// client that holds the token; "" for any other token.
func AgentOf(text string) string {
	var claims jwt.RegisteredClaims
	_, _, err := jwt.NewParser().ParseUnverified(text, &claims)
	if err != nil || claims.Issuer != localName {
		return ""
	}
	return claims.Subject
}
