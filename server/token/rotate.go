package token

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/internal/system"
)

// FormerKeyFile is the file of former signing keys, one per line, each with the time until
// which its tokens are accepted.
const FormerKeyFile = "signing.key.old"

// LocalKey signs tokens for servers that share its data directory, and verifies tokens
// that it or former keys signed. Changes by other processes take effect within a second.
// It is safe for concurrent use.
type LocalKey struct {
	dir string

	mu      sync.Mutex
	checked time.Time      // of the last check of the files
	seen    [2]fs.FileInfo // at that check; nil: no file
	keys    []localSecret  // the first signs
}

// localSecret is a key that verifies tokens.
type localSecret struct {
	secret []byte
	until  time.Time // of a former key
}

// Rotate replaces the signing key of a data directory. Existing tokens stay valid for
// keep, at most until they expire. A keep of 0 invalidates them at once.
func Rotate(dir string, keep time.Duration, now time.Time) error {
	key, err := OpenLocalKey(dir)
	if err != nil {
		return err
	}
	path, former := filepath.Join(dir, LocalKeyFile), filepath.Join(dir, FormerKeyFile)
	err = locked(path+".lock", func() error {
		if err := key.read(); err != nil { // another process may have rotated it
			return err
		}
		key.keys[0].until = now.Add(keep)
		var lines strings.Builder
		for _, k := range key.keys {
			if keep > 0 && now.Before(k.until) {
				fmt.Fprintf(&lines, "%s %s\n", base64.StdEncoding.EncodeToString(k.secret), k.until.UTC().Format(time.RFC3339))
			}
		}
		// Write the former key first, so that it is always in at least one file.
		if err := system.WritePrivate(former, []byte(lines.String()), true); err != nil {
			return err
		}
		return makeLocalKey(path, true)
	})
	if err != nil {
		return fmt.Errorf("rotate the signing key: %w", err)
	}
	return nil
}

// read reads the keys.
func (k *LocalKey) read() error {
	var seen [2]fs.FileInfo
	path, former := filepath.Join(k.dir, LocalKeyFile), filepath.Join(k.dir, FormerKeyFile)
	seen[0], _ = os.Lstat(path) // before it is read: a later change is noticed
	seen[1], _ = os.Lstat(former)
	text, err := readSecret(path)
	if err != nil {
		return err
	}
	first, err := decodeKey(strings.TrimSpace(string(text)), path)
	if err != nil {
		return err
	}
	keys := []localSecret{{secret: first}}
	text, err = readSecret(former)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(text)) {
		encoded, date, _ := strings.Cut(strings.TrimSpace(line), " ")
		secret, err := decodeKey(encoded, former)
		if err != nil {
			return err
		}
		until, err := time.Parse(time.RFC3339, date)
		if err != nil {
			return fmt.Errorf("%s: a key has no time until which it is accepted", former)
		}
		keys = append(keys, localSecret{secret, until})
	}
	k.keys, k.seen, k.checked = keys, seen, time.Now()
	return nil
}

func decodeKey(text, path string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(secret) != localKeySize {
		return nil, fmt.Errorf("%s: not %d bytes in base64", path, localKeySize)
	}
	return secret, nil
}

// current returns the keys. It reads the files again if they have changed, for which it checks
// at most once per recheck. Without a signing key there are no keys: whoever deletes the file
// invalidates all its tokens. If the files cannot be read, the keys stay as they were.
func (k *LocalKey) current() []localSecret {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.checked) < recheck {
		return k.keys
	}
	k.checked = time.Now()
	changed := false
	for i, name := range []string{LocalKeyFile, FormerKeyFile} {
		info, err := os.Lstat(filepath.Join(k.dir, name))
		gone := errors.Is(err, fs.ErrNotExist)
		if gone && i == 0 {
			k.keys, k.seen = nil, [2]fs.FileInfo{}
			return nil
		}
		changed = changed || gone && k.seen[i] != nil || err == nil && !unchanged(k.seen[i], info)
	}
	if changed {
		_ = k.read()
	}
	return k.keys
}

// find returns the key that verifies a token, or the signing key if none does.
func (k *LocalKey) find(parsed *jwt.Token, now time.Time) (any, error) {
	keys := k.current()
	if len(keys) == 0 {
		return nil, errNoKey
	}
	// SECURITY: a former key is accepted until its time, whatever the token claims.
	for _, former := range keys[1:] {
		if now.Before(former.until) && parsed.Method.Verify(signed(parsed), parsed.Signature, former.secret) == nil {
			return former.secret, nil
		}
	}
	return keys[0].secret, nil
}
