package crypto

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Failures of Open and DecodeValue. None of them holds any part of the blob
// beyond its version or key id.
var (
	// ErrDamaged means that the bytes are not an envelope at all: too short,
	// not a JSON string, not base64.
	ErrDamaged = errors.New("not an envelope")
	// ErrVersion means an envelope of a version that this program does not
	// know.
	ErrVersion = errors.New("unknown version of envelope")
	// ErrUnknownKey means that the keyring has no key of the envelope's id.
	ErrUnknownKey = errors.New("no such key in the keyring")
	// ErrRefused means that the envelope did not authenticate: it was moved
	// here from another store, namespace or key, or its bytes were changed, or
	// it was sealed with a different key that bears the same id. Which of
	// these cannot be told: an authenticated cipher gives one answer to all.
	ErrRefused = errors.New("envelope is not authentic at this place: moved, altered, or sealed with another key")
)

const (
	version    = 1     // also the byte with which Tink's TINK prefix begins
	headerSize = 1 + 4 // version and key id
	nonceSize  = 24    // of XChaCha20-Poly1305
	tagSize    = 16    // of Poly1305
)

// Overhead is how many bytes a blob is longer than its plaintext. EncodeValue
// then makes 4 bytes of each 3, and adds two quotes.
const Overhead = headerSize + nonceSize + tagSize

// Seal encrypts plaintext for one place with the keyring's newest key. Equal
// plaintexts give different blobs. The only error that a caller can cause is
// ErrPlace.
func (k *Keyring) Seal(plaintext []byte, place Place) ([]byte, error) {
	if err := place.check(); err != nil {
		return nil, err
	}
	sealed, err := k.opening[k.sealing].Encrypt(plaintext, place.associatedData(k.sealing))
	if err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	blob := make([]byte, 0, headerSize+len(sealed))
	blob = append(blob, version)
	blob = binary.BigEndian.AppendUint32(blob, k.sealing)
	return append(blob, sealed...), nil
}

// Open gives the plaintext of a blob that was sealed for place with any key of
// the keyring. It fails with ErrPlace, ErrDamaged, ErrVersion, ErrUnknownKey
// or ErrRefused.
func (k *Keyring) Open(blob []byte, place Place) ([]byte, error) {
	if err := place.check(); err != nil {
		return nil, err
	}
	// The version first: a later one may have another length.
	if len(blob) > 0 && blob[0] != version {
		return nil, fmt.Errorf("%w: %d", ErrVersion, blob[0])
	}
	if len(blob) < Overhead {
		return nil, fmt.Errorf("%w: %d bytes, of at least %d", ErrDamaged, len(blob), Overhead)
	}
	keyID := binary.BigEndian.Uint32(blob[1:headerSize])
	cipher := k.opening[keyID]
	if cipher == nil {
		return nil, fmt.Errorf("%w: %08x", ErrUnknownKey, keyID)
	}
	plaintext, err := cipher.Decrypt(blob[headerSize:], place.associatedData(keyID))
	if err != nil {
		return nil, ErrRefused
	}
	return plaintext, nil
}

// EncodeValue gives the value under which an entry carries the blob: a JSON
// string of its base64 (RFC 4648 §4, with padding).
func EncodeValue(blob []byte) []byte {
	value := make([]byte, 0, base64.StdEncoding.EncodedLen(len(blob))+2)
	value = append(value, '"')
	value = base64.StdEncoding.AppendEncode(value, blob)
	return append(value, '"')
}

// DecodeValue gives the blob of an entry's value. Anything but a JSON string
// of canonical base64 is ErrDamaged.
func DecodeValue(value []byte) ([]byte, error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, fmt.Errorf("%w: the value is not a JSON string", ErrDamaged)
	}
	blob, err := base64.StdEncoding.DecodeString(text)
	// The decoder passes over line breaks and stray last bits; comparing the
	// way back leaves one spelling a blob.
	if err != nil || base64.StdEncoding.EncodeToString(blob) != text {
		return nil, fmt.Errorf("%w: the value is not base64", ErrDamaged)
	}
	return blob, nil
}
