package crypto

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/text/unicode/norm"
)

// Errors of Open and DecodeValue. They never include any part of the blob
// beyond its version or key ID.
var (
	// ErrDamaged means that the bytes are not an envelope: too short, not a
	// JSON string, or not base64.
	ErrDamaged = errors.New("not an envelope")
	// ErrVersion means that the envelope's format version is not supported.
	ErrVersion = errors.New("unsupported envelope version")
	// ErrUnknownKey means that the keyring has no key with the envelope's key
	// ID.
	ErrUnknownKey = errors.New("key is not in the keyring")
	// ErrRefused means that the envelope did not authenticate: it belongs to
	// another store, namespace or key, its bytes were altered, or it was
	// sealed with a different key of the same ID. An authenticated cipher
	// cannot distinguish these.
	ErrRefused = errors.New("envelope does not authenticate for this entry: moved, altered, or sealed with another key")
)

const (
	version    = 1     // also the first byte of Tink's TINK prefix
	headerSize = 1 + 4 // version and key ID
	nonceSize  = 24    // of XChaCha20-Poly1305
	tagSize    = 16    // of Poly1305
)

// Overhead is the number of bytes by which a blob exceeds its plaintext.
// EncodeValue then turns every 3 bytes into 4 and adds two quotes.
const Overhead = headerSize + nonceSize + tagSize

// Seal encrypts plaintext for one entry, with the keyring's newest key. Equal plaintexts give
// different blobs. Seal fails with ErrEntryRef if ref is not valid; any other error is due to
// the system.
func (k *Keyring) Seal(plaintext []byte, ref EntryRef) ([]byte, error) {
	if err := ref.check(); err != nil {
		return nil, err
	}
	sealed, err := k.opening[k.sealing].Encrypt(plaintext, ref.associatedData(k.sealing))
	if err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	blob := make([]byte, 0, headerSize+len(sealed))
	blob = append(blob, version)
	blob = binary.BigEndian.AppendUint32(blob, k.sealing)
	return append(blob, sealed...), nil
}

// Open returns the plaintext of a blob that was sealed for ref with any key of
// the keyring. It fails with ErrEntryRef, ErrDamaged, ErrVersion, ErrUnknownKey
// or ErrRefused.
func (k *Keyring) Open(blob []byte, ref EntryRef) ([]byte, error) {
	if err := ref.check(); err != nil {
		return nil, err
	}
	// Check the version first: blobs of a later version may be shorter.
	if len(blob) > 0 && blob[0] != version {
		return nil, fmt.Errorf("%w: %d", ErrVersion, blob[0])
	}
	if len(blob) < Overhead {
		return nil, fmt.Errorf("%w: %d bytes, want at least %d", ErrDamaged, len(blob), Overhead)
	}
	keyID := binary.BigEndian.Uint32(blob[1:headerSize])
	cipher := k.opening[keyID]
	if cipher == nil {
		return nil, fmt.Errorf("%w: %08x", ErrUnknownKey, keyID)
	}
	plaintext, err := cipher.Decrypt(blob[headerSize:], ref.associatedData(keyID))
	if err != nil && !norm.NFC.IsNormalString(ref.Namespace) {
		plaintext, err = cipher.Decrypt(blob[headerSize:], ref.formerAssociatedData(keyID))
	}
	if err != nil {
		return nil, ErrRefused
	}
	return plaintext, nil
}

// EncodeValue returns the entry value that carries blob: a JSON string of its
// base64 (RFC 4648 §4, with padding).
func EncodeValue(blob []byte) []byte {
	value := make([]byte, 0, base64.StdEncoding.EncodedLen(len(blob))+2)
	value = append(value, '"')
	value = base64.StdEncoding.AppendEncode(value, blob)
	return append(value, '"')
}

// DecodeValue returns the blob in an entry's value. It fails with ErrDamaged
// for anything but a JSON string of canonical base64.
func DecodeValue(value []byte) ([]byte, error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, fmt.Errorf("%w: the value is not a JSON string", ErrDamaged)
	}
	blob, err := base64.StdEncoding.DecodeString(text)
	// The decoder ignores line breaks and stray trailing bits. Encode the result again and
	// compare, so that only one text is accepted for each blob.
	if err != nil || base64.StdEncoding.EncodeToString(blob) != text {
		return nil, fmt.Errorf("%w: the value is not base64", ErrDamaged)
	}
	return blob, nil
}
