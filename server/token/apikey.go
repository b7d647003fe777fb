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
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"mneme/acl"
	"mneme/internal/system"
)

const (
	// keyPrefix begins every API key, so that scanners recognise a leaked one.
	keyPrefix = "mneme_"
	// apiKeyFile is the file of keys in the data directory.
	apiKeyFile = "apikeys.json"
	// recheck is the minimum interval between checks of the file for changes,
	// and so the longest time that a revoked key is still accepted.
	recheck = time.Second
)

// MaxAPIKeys bounds the API keys of a data directory. Expired and revoked keys are listed
// until new keys need their space.
const MaxAPIKeys = 10_000

// ErrTooManyKeys reports that MaxAPIKeys API keys of a data directory are valid.
var ErrTooManyKeys = fmt.Errorf("%d API keys are valid, the most that there can be; revoke one first", MaxAPIKeys)

// ErrUnknownKey reports that no API key, or no token, has the ID.
var ErrUnknownKey = errors.New("there is no API key or token with this id")

// APIKey is a stored API key or token of the local key: the principal that it authenticates, and
// the hash of an API key's secret. The secret has 256 random bits, so SHA-256 cannot be
// brute-forced. A slow hash protects guessable passwords; here it would only slow requests.
type APIKey struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"`
	Hash      string    `json:"sha256,omitempty"` // of the secret, in hex; none of a token
	Agent     string    `json:"agent"`
	Taint     acl.Label `json:"taint"`
	Chat      string    `json:"chat,omitempty"`
	User      string    `json:"user,omitempty"`
	Platform  bool      `json:"platform,omitempty"`
	Share     bool      `json:"share,omitempty"`
	Spend     bool      `json:"spend,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero: never
	RevokedAt time.Time `json:"revoked_at,omitzero"` // zero: not revoked
}

// Principal returns the principal that the key authenticates.
func (k APIKey) Principal() acl.Principal {
	return acl.Principal{Agent: k.Agent, Taint: k.Taint, Chat: k.Chat, User: k.User, Platform: k.Platform, Share: k.Share, Spend: k.Spend}
}

// APIKeys are the keys of a data directory. Changes by other processes take
// effect within a second. It is safe for concurrent use.
type APIKeys struct{ keyFile }

// keyFile is a file of keys, or of issued tokens.
type keyFile struct {
	path string
	mu   sync.Mutex
	keys map[string]APIKey
	// checked is the time of the last check of the file, seen its state at that
	// check.
	checked time.Time
	seen    fs.FileInfo
}

// apiKeyList is the content of the file.
type apiKeyList struct {
	Keys []APIKey `json:"keys"`
}

// OpenAPIKeys opens the keys of a data directory. The file need not exist.
func OpenAPIKeys(dir string) (*APIKeys, error) {
	a := &APIKeys{keyFile{path: filepath.Join(dir, apiKeyFile)}}
	_, err := a.read()
	return a, err
}

// Create creates a key for a principal. The name is for people and may be empty. The
// returned credential cannot be retrieved again. A ttl of 0 means that the key does not
// expire. The error is ErrTooManyKeys if the file is full.
func (a *APIKeys) Create(p acl.Principal, name string, ttl time.Duration, now time.Time) (credential, id string, err error) {
	credential, key, err := a.create(p, name, ttl, now)
	return credential, key.ID, err
}

func (a *APIKeys) create(p acl.Principal, name string, ttl time.Duration, now time.Time) (credential string, key APIKey, err error) {
	if err := p.Validate(); err != nil {
		return "", APIKey{}, fmt.Errorf("create API key: %w", err)
	}
	if ttl < 0 {
		return "", APIKey{}, errors.New("create API key: the time to live must not be negative")
	}
	random := make([]byte, 32)
	rand.Read(random) // never fails
	secret := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random))
	key, err = newKey(p, name, ttl, now)
	if err != nil {
		return "", APIKey{}, fmt.Errorf("create API key: %w", err)
	}
	key.Hash = hashSecret(secret)
	err = a.change(func(list *apiKeyList) error {
		if len(list.Keys) >= MaxAPIKeys { // expired and revoked keys are dropped
			list.Keys = slices.DeleteFunc(list.Keys, func(k APIKey) bool { return k.state(now) != StateValid })
		}
		if len(list.Keys) >= MaxAPIKeys {
			return ErrTooManyKeys
		}
		list.Keys = append(list.Keys, key)
		return nil
	})
	if err != nil {
		return "", APIKey{}, fmt.Errorf("create API key: %w", err)
	}
	return keyPrefix + key.ID + "_" + secret, key, nil
}

// state returns StateValid, StateExpired or StateRevoked.
func (k APIKey) state(now time.Time) string {
	switch {
	case !k.RevokedAt.IsZero():
		return StateRevoked
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return StateExpired
	}
	return StateValid
}

// maxName bounds the names of keys and tokens, in bytes.
const maxName = 100

// CheckName returns an error if a key or token cannot have a name.
func CheckName(name string) error {
	if len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("must be printable, and at most %d bytes", maxName)
	}
	return nil
}

// newKey returns a key with a new ID and no secret.
func newKey(p acl.Principal, name string, ttl time.Duration, now time.Time) (APIKey, error) {
	if err := CheckName(name); err != nil {
		return APIKey{}, fmt.Errorf("the name %w", err)
	}
	random := make([]byte, 8)
	rand.Read(random) // never fails
	key := APIKey{
		ID: hex.EncodeToString(random), Name: name, Agent: p.Agent, Taint: p.Taint, Chat: p.Chat, User: p.User,
		Platform: p.Platform, Share: p.Share, Spend: p.Spend, CreatedAt: now.UTC().Truncate(time.Second),
	}
	if ttl > 0 {
		key.ExpiresAt = now.Add(ttl).UTC()
	}
	return key, nil
}

// Revoke revokes a key or token. Revoking it again has no effect.
func (a *keyFile) Revoke(id string, now time.Time) error {
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
		return fmt.Errorf("revoke: %w", err)
	}
	return nil
}

// List returns all keys or tokens in order of creation.
func (a *keyFile) List() ([]APIKey, error) {
	list, err := a.read()
	return list.Keys, err
}

// verify identifies the holder of a key, and returns the key's ID.
func (a *APIKeys) verify(credential string, now time.Time) (_ acl.Principal, id string, err error) {
	id, secret, ok := strings.Cut(strings.TrimPrefix(credential, keyPrefix), "_")
	if !ok {
		return acl.Principal{}, "", errNotValid
	}
	key, known, err := a.find(id)
	if err != nil {
		return acl.Principal{}, "", err
	}
	same := subtle.ConstantTimeCompare([]byte(hashSecret(secret)), []byte(key.Hash)) == 1
	p := key.Principal()
	switch {
	case !known || !same:
		return acl.Principal{}, "", errNotValid
	case !key.RevokedAt.IsZero():
		return acl.Principal{}, "", &Refusal{"the API key was revoked"}
	case !key.ExpiresAt.IsZero() && !now.Before(key.ExpiresAt):
		return acl.Principal{}, "", &Refusal{"the API key has expired"}
	case p.Validate() != nil:
		return acl.Principal{}, "", errNotValid
	}
	return p, id, nil
}

// find looks up a key. It refreshes the keys first if the last check is recheck
// ago by the wall clock, which may differ from the verifier's clock.
func (a *keyFile) find(id string) (APIKey, bool, error) {
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

// refresh reads the file if it has changed. After an error it leaves no keys:
// none may be accepted, since any could have been revoked.
func (a *keyFile) refresh() error {
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

// unchanged reports whether a file is the same as before. Each change replaces
// the file, so that even two changes within one clock tick are noticed.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

func (a *keyFile) read() (apiKeyList, error) {
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

// change rewrites the file under an inter-process lock.
func (a *keyFile) change(edit func(*apiKeyList) error) error {
	if err := system.MakeFolder(filepath.Dir(a.path)); err != nil {
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
		return system.WritePrivate(a.path, append(text, '\n'), true)
	})
	a.mu.Lock()
	a.keys = nil // the next find reads the file
	a.mu.Unlock()
	return err
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
