package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mneme/acl"
)

const (
	// keyPrefix begins every API key, so that one which leaked is recognised.
	keyPrefix = "mneme_"
	// apiKeyFile is the file of keys in the data directory.
	apiKeyFile = "apikeys.json"
	// recheck is how often, at most, the file is looked at for changes: the
	// longest that a revoked key still counts.
	recheck = time.Second
)

// ErrUnknownKey: there is no API key with this id.
var ErrUnknownKey = errors.New("there is no API key with this id")

// APIKey is what is kept of an API key: the principal it authenticates, and a
// hash of its secret. The secret has 256 random bits, so that a plain SHA-256
// cannot be searched; a slow hash, which guards guessable passwords, would
// only slow every request.
type APIKey struct {
	ID        string    `json:"id"`
	Hash      string    `json:"sha256"` // of the secret, in hex
	Agent     string    `json:"agent"`
	Taint     acl.Label `json:"taint"`
	Chat      string    `json:"chat,omitempty"`
	User      string    `json:"user,omitempty"`
	Platform  bool      `json:"platform,omitempty"`
	Share     bool      `json:"share,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero: never
	RevokedAt time.Time `json:"revoked_at,omitzero"` // zero: not revoked
}

// Principal is whom the key authenticates.
func (k APIKey) Principal() acl.Principal {
	return acl.Principal{Agent: k.Agent, Taint: k.Taint, Chat: k.Chat, User: k.User, Platform: k.Platform, Share: k.Share}
}

// APIKeys are the keys of a data directory. Every process over the directory
// sees what another one changed, within a second.
type APIKeys struct {
	path string
	mu   sync.Mutex
	keys map[string]APIKey
	// checked is when the file was last looked at, seen what it was then.
	checked time.Time
	seen    fs.FileInfo
}

// apiKeyList is the file.
type apiKeyList struct {
	Keys []APIKey `json:"keys"`
}

// OpenAPIKeys opens the keys of a data directory, which need not be there.
func OpenAPIKeys(dir string) (*APIKeys, error) {
	a := &APIKeys{path: filepath.Join(dir, apiKeyFile)}
	_, err := a.read()
	return a, err
}

// Create makes a key for a principal. It is shown now and never again. ttl 0
// means that it does not expire.
func (a *APIKeys) Create(p acl.Principal, ttl time.Duration, now time.Time) (credential, id string, err error) {
	if err := p.Validate(); err != nil {
		return "", "", fmt.Errorf("create API key: %w", err)
	}
	if ttl < 0 {
		return "", "", errors.New("create API key: the time to live must not be negative")
	}
	random := make([]byte, 8+32)
	rand.Read(random) // never fails
	id = hex.EncodeToString(random[:8])
	secret := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random[8:]))
	key := APIKey{
		ID: id, Hash: hashSecret(secret), Agent: p.Agent, Taint: p.Taint, Chat: p.Chat, User: p.User,
		Platform: p.Platform, Share: p.Share, CreatedAt: now.UTC().Truncate(time.Second),
	}
	if ttl > 0 {
		key.ExpiresAt = now.Add(ttl).UTC()
	}
	err = a.change(func(list *apiKeyList) error {
		list.Keys = append(list.Keys, key)
		return nil
	})
	if err != nil {
		return "", "", fmt.Errorf("create API key: %w", err)
	}
	return keyPrefix + id + "_" + secret, id, nil
}

// Revoke ends a key. Revoking it again changes nothing.
func (a *APIKeys) Revoke(id string, now time.Time) error {
	err := a.change(func(list *apiKeyList) error {
		for i := range list.Keys {
			if list.Keys[i].ID == id {
				if list.Keys[i].RevokedAt.IsZero() {
					list.Keys[i].RevokedAt = now.UTC()
				}
				return nil
			}
		}
		return ErrUnknownKey
	})
	if err != nil {
		return fmt.Errorf("revoke API key: %w", err)
	}
	return nil
}

// List returns all keys, in the order in which they were made.
func (a *APIKeys) List() ([]APIKey, error) {
	list, err := a.read()
	return list.Keys, err
}

// verify identifies the holder of a key.
func (a *APIKeys) verify(credential string, now time.Time) (acl.Principal, error) {
	id, secret, ok := strings.Cut(strings.TrimPrefix(credential, keyPrefix), "_")
	if !ok {
		return acl.Principal{}, errNotValid
	}
	key, known, err := a.find(id)
	if err != nil {
		return acl.Principal{}, err
	}
	same := subtle.ConstantTimeCompare([]byte(hashSecret(secret)), []byte(key.Hash)) == 1
	p := key.Principal()
	switch {
	case !known || !same:
		return acl.Principal{}, errNotValid
	case !key.RevokedAt.IsZero():
		return acl.Principal{}, &Refusal{"the API key was revoked"}
	case !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt):
		return acl.Principal{}, &Refusal{"the API key has expired"}
	case p.Validate() != nil:
		return acl.Principal{}, errNotValid
	}
	return p, nil
}

// find looks a key up, and at the file if that was not done for a while. The
// wall clock decides here, whatever clock the tokens are judged by.
func (a *APIKeys) find(id string) (APIKey, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.keys == nil || time.Since(a.checked) >= recheck {
		if err := a.refresh(); err != nil {
			return APIKey{}, false, err
		}
	}
	key, known := a.keys[id]
	return key, known, nil
}

// refresh reads the file if it looks different from the last time. An error
// leaves no keys: better nobody's than a revoked one.
func (a *APIKeys) refresh() error {
	info, err := os.Stat(a.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.keys, a.checked, a.seen = map[string]APIKey{}, time.Now(), nil
		return nil
	case err != nil:
		a.keys = nil
		return fmt.Errorf("read API keys: %w", err)
	case a.keys != nil && unchanged(a.seen, info):
		a.checked = time.Now()
		return nil
	}
	list, err := a.read()
	if err != nil {
		a.keys = nil
		return err
	}
	a.keys = make(map[string]APIKey, len(list.Keys))
	for _, key := range list.Keys {
		a.keys[key.ID] = key
	}
	a.checked, a.seen = time.Now(), info
	return nil
}

// unchanged reports whether a file looks as it did. Each change makes a new
// file, so that two within one tick of the clock differ too.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

func (a *APIKeys) read() (apiKeyList, error) {
	var list apiKeyList
	text, err := readSecret(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err == nil && json.Unmarshal(text, &list) != nil {
		err = fmt.Errorf("%s: not a list of API keys", a.path)
	}
	if err != nil {
		return apiKeyList{}, fmt.Errorf("read API keys: %w", err)
	}
	return list, nil
}

// change rewrites the file, alone among processes.
func (a *APIKeys) change(edit func(*apiKeyList) error) error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err
	}
	err := locked(a.path+".lock", func() error {
		list, err := a.read()
		if err != nil {
			return err
		}
		if err := edit(&list); err != nil {
			return err
		}
		text, err := json.MarshalIndent(list, "", "  ")
		if err != nil {
			return err
		}
		return writeSecret(a.path, append(text, '\n'), true)
	})
	a.mu.Lock()
	a.keys = nil // to be read again
	a.mu.Unlock()
	return err
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
