package memory

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
)

// Secret holds the keys that make ETags and cursors, which clients must not be able to read or
// forge.
type Secret struct {
	etag   []byte
	cursor cipher.AEAD
}

func newSecret(key []byte) (Secret, error) {
	etag, err := hkdf.Key(sha256.New, key, nil, "mneme etag", 32)
	if err != nil {
		return Secret{}, err
	}
	seal, err := hkdf.Key(sha256.New, key, nil, "mneme cursor", 32)
	if err != nil {
		return Secret{}, err
	}
	block, err := aes.NewCipher(seal)
	if err != nil {
		return Secret{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return Secret{}, err
	}
	return Secret{etag: etag, cursor: aead}, nil
}

// ETag returns the strong entity tag of a version of an entry, without quotes. It reveals
// neither the id nor the version.
func (s Secret) ETag(id uuid.UUID, version int) string {
	mac := hmac.New(sha256.New, s.etag)
	mac.Write(id[:])
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(version)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// SealCursor encrypts a position in a list. The cursor opens only with the same bound, which
// identifies the list: the operation, the caller and the filters.
func (s Secret) SealCursor(position any, bound []string) (string, error) {
	plain, err := json.Marshal(position)
	if err != nil {
		return "", err
	}
	return s.Seal(plain, bound), nil
}

// Seal encrypts the contents of a cursor, as SealCursor does.
func (s Secret) Seal(plain []byte, bound []string) string {
	sealed := s.cursor.Seal(nil, nil, plain, joinParts(bound)) //nolint:gosec // this AEAD generates random nonces itself and takes none
	return encodeBase64(sealed)
}

// encodeBase64 is base64.RawURLEncoding.EncodeToString for long texts. It allocates the text
// once instead of twice.
func encodeBase64(b []byte) string {
	const part = 768 // bytes, a multiple of three: three bytes make four characters of the text
	var encoded [part / 3 * 4]byte
	var text strings.Builder
	text.Grow(base64.RawURLEncoding.EncodedLen(len(b)))
	for len(b) > 0 {
		n := min(part, len(b))
		text.Write(base64.RawURLEncoding.AppendEncode(encoded[:0], b[:n]))
		b = b[n:]
	}
	return text.String()
}

// OpenCursor decrypts a cursor into position. The error is ErrCursor if it was not sealed with
// the same bound.
func (s Secret) OpenCursor(cursor string, position any, bound []string) error {
	plain, err := s.Open(cursor, bound)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, position)
}

// Open is the inverse of Seal, with the errors of OpenCursor.
func (s Secret) Open(cursor string, bound []string) ([]byte, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, ErrCursor
	}
	plain, err := s.cursor.Open(nil, nil, sealed, joinParts(bound))
	if err != nil {
		return nil, ErrCursor
	}
	return plain, nil
}

// joinParts concatenates strings, each preceded by its length, so that different lists give
// different results.
func joinParts(parts []string) []byte {
	const lengthBytes = 4
	size := 0
	for _, part := range parts {
		size += lengthBytes + len(part)
	}
	b := make([]byte, 0, size)
	for _, part := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	return b
}

// Digest returns a keyed digest of parts, for data that must be compared but not stored.
func (s Secret) Digest(parts ...string) string {
	mac := hmac.New(sha256.New, s.etag)
	mac.Write([]byte("digest"))
	mac.Write(joinParts(parts))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// loadSecret returns the database's secret, and creates it in a new database. All processes
// with the same database have the same secret.
func loadSecret(ctx context.Context, storage Storage) (Secret, error) {
	const name = "secret"
	var key []byte
	err := storage.Update(ctx, func(tx Tx) (err error) {
		if key, err = tx.Meta(ctx, name); err != nil || key != nil {
			return err
		}
		key = make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return err
		}
		return tx.SetMeta(ctx, name, key)
	})
	if err != nil {
		return Secret{}, err
	}
	return newSecret(key)
}
