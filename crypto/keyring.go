package crypto

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"

	// Not package aead, which would make one cipher of a whole keyset: it
	// brings every cipher of Tink's along, and with them a common.proto, of
	// which a program can have one only, and Milvus's client has one too.
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// ErrKeyring means that bytes are not a keyring of this package. The error
// says no more than which rule failed: never what was read.
var ErrKeyring = errors.New("not a keyring")

// Keyring holds the keys that seal and open. Its newest key seals, all of them
// open. It is safe for concurrent use, and prints as the number of its keys.
type Keyring struct {
	handle  *keyset.Handle
	sealing uint32               // id of the newest key
	opening map[uint32]tink.AEAD // ciphers of the keys in use, by id
}

// NewKeyring makes a keyring of one fresh key. It lives in memory alone;
// Create puts one in a file.
func NewKeyring() (*Keyring, error) {
	return withFreshKey(keyset.NewManager())
}

// withFreshKey adds a key that seals, with Tink's prefix.
func withFreshKey(manager *keyset.Manager) (*Keyring, error) {
	parameters, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantTink)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	id, err := manager.AddNewKeyFromParameters(parameters)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return newKeyring(handle)
}

// newKeyring takes a Tink keyset of XChaCha20-Poly1305 keys with Tink's
// prefix: without one a blob would carry neither version nor key id, and a
// cipher with short nonces would not bear random ones for long.
func newKeyring(handle *keyset.Handle) (*Keyring, error) {
	k := &Keyring{handle: handle, opening: make(map[uint32]tink.AEAD)}
	for i := range handle.Len() {
		entry, err := handle.Entry(i)
		if err != nil {
			return nil, fmt.Errorf("%w: key %d of %d cannot be read", ErrKeyring, i+1, handle.Len())
		}
		key, ok := entry.Key().(*xchacha20poly1305.Key)
		if !ok || key.Parameters().(*xchacha20poly1305.Parameters).Variant() != xchacha20poly1305.VariantTink {
			return nil, fmt.Errorf("%w: key %08x is not an XChaCha20-Poly1305 key with Tink's prefix", ErrKeyring, entry.KeyID())
		}
		if entry.KeyStatus() != keyset.Enabled {
			continue
		}
		if k.opening[entry.KeyID()] != nil {
			return nil, fmt.Errorf("%w: two keys have the id %08x", ErrKeyring, entry.KeyID())
		}
		cipher, err := subtle.NewXChaCha20Poly1305(key.KeyBytes().Data(insecuresecretdataaccess.Token{}))
		if err != nil {
			return nil, fmt.Errorf("%w: no cipher for key %08x", ErrKeyring, entry.KeyID())
		}
		k.opening[entry.KeyID()] = cipher
		if entry.IsPrimary() {
			k.sealing = entry.KeyID()
		}
	}
	if k.opening[k.sealing] == nil {
		return nil, fmt.Errorf("%w: no key in use is the primary one", ErrKeyring)
	}
	return k, nil
}

// rotated gives a keyring with one fresh key more, which seals.
func (k *Keyring) rotated() (*Keyring, error) {
	return withFreshKey(keyset.NewManagerFromHandle(k.handle))
}

// parseKeyring reads Tink's JSON keyset. Its errors do not wrap those of the
// parser, which may quote key material.
func parseKeyring(data []byte) (*Keyring, error) {
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: not a Tink keyset in JSON", ErrKeyring)
	}
	return newKeyring(handle)
}

// marshal writes Tink's JSON keyset: the keys in clear.
func (k *Keyring) marshal() ([]byte, error) {
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewJSONWriter(&out)); err != nil {
		return nil, fmt.Errorf("writing a keyset: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// String keeps keys out of whatever prints a keyring.
func (k *Keyring) String() string { return fmt.Sprintf("keyring of %d keys", len(k.opening)) }

// GoString keeps keys out of %#v.
func (k *Keyring) GoString() string { return k.String() }

// LogValue keeps keys out of logs.
func (k *Keyring) LogValue() slog.Value { return slog.StringValue(k.String()) }
