package token

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"mneme/acl"
)

// issuedFile is the file of issued tokens in the data directory. It contains no secrets.
// Like the files of API keys and former keys, it is not a database table, so that mneme
// token needs no database.
const issuedFile = "tokens.json"

// keptIssued is how long an expired token stays in the list.
const keptIssued = 30 * 24 * time.Hour

// Issued are the tokens of the local key that were issued to people, rather than for a
// command's own calls. It is safe for concurrent use.
type Issued struct{ keyFile }

// OpenIssued opens the list of issued tokens of a data directory. The file need not exist.
func OpenIssued(dir string) (*Issued, error) {
	i := &Issued{keyFile{path: filepath.Join(dir, issuedFile)}}
	_, err := i.read()
	return i, err
}

// Issue signs a token for a principal, valid from now for ttl, and lists it. The name is
// for people and may be empty.
func (i *Issued) Issue(key *LocalKey, p acl.Principal, name string, ttl time.Duration, now time.Time) (string, error) {
	one, err := newKey(p, name, ttl, now)
	if err != nil {
		return "", fmt.Errorf("issue token: %w", err)
	}
	signed, err := key.mint(p, one.ID, ttl, now)
	if err != nil {
		return "", err
	}
	err = i.change(func(list *apiKeyList) error {
		list.Keys = slices.DeleteFunc(list.Keys, func(k APIKey) bool { return now.Sub(k.ExpiresAt) > keptIssued })
		list.Keys = append(list.Keys, one)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("issue token: %w", err)
	}
	return signed, nil
}

// admit returns an error if the token with an ID is revoked, or if its state is
// unknown.
func (i *Issued) admit(id string) error {
	if id == "" {
		return nil
	}
	one, known, err := i.find(id)
	if err == nil && known && !one.RevokedAt.IsZero() {
		err = &Refusal{"the token was revoked"}
	}
	return err
}
