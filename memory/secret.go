package memory

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
)

// secret keys what clients hold but must not read or forge.
type secret struct {
	etag   []byte
	cursor cipher.AEAD
}

func newSecret(key []byte) (secret, error) {
	etag, err := hkdf.Key(sha256.New, key, nil, "mneme etag", 32)
	if err != nil {
		return secret{}, err
	}
	seal, err := hkdf.Key(sha256.New, key, nil, "mneme cursor", 32)
	if err != nil {
		return secret{}, err
	}
	block, err := aes.NewCipher(seal)
	if err != nil {
		return secret{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return secret{}, err
	}
	return secret{etag: etag, cursor: aead}, nil
}

// ETag is the strong entity tag of an entry at a version, without quotes. It
// tells nothing of either.
func (s secret) ETag(id uuid.UUID, version int) string {
	mac := hmac.New(sha256.New, s.etag)
	mac.Write(id[:])
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(version)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// sealCursor makes a cursor out of a position. bound names the call, the
// caller and the filters: it opens for nothing else.
func (s secret) sealCursor(position any, bound []string) (string, error) {
	plain, err := json.Marshal(position)
	if err != nil {
		return "", err
	}
	sealed := s.cursor.Seal(nil, nil, plain, joined(bound)) //nolint:gosec // this AEAD makes its own random nonces and takes none
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// openCursor reads a cursor into position; ErrCursor if it is not one of this
// call.
func (s secret) openCursor(cursor string, position any, bound []string) error {
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return ErrCursor
	}
	plain, err := s.cursor.Open(nil, nil, sealed, joined(bound))
	if err != nil {
		return ErrCursor
	}
	return json.Unmarshal(plain, position)
}

// joined makes one byte string of several, each behind its length, so that
// no two lists join alike.
func joined(parts []string) []byte {
	var b []byte
	for _, part := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	return b
}

// Digest is a keyed digest of parts, for what must be compared but not kept.
func (s *Service) Digest(parts ...string) string {
	mac := hmac.New(sha256.New, s.secret.etag)
	mac.Write([]byte("digest"))
	mac.Write(joined(parts))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func isKindClash(err error) bool { return errors.Is(err, ErrKindClash) }
