package crypto

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"

	// Not package aead, which would make one cipher of a whole keyset: it links all of Tink's
	// ciphers, and they register a protocol buffers file named common.proto. A program can
	// register only one file of a name, and Milvus's client registers one of this name too.
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// ErrKeyring means that bytes are not a keyring of this package. The error
// names the rule that failed and never includes what was read.
var ErrKeyring = errors.New("not a keyring")

// Keyring holds the keys that seal and open values: the newest key seals, and
// every key opens. It is safe for concurrent use and prints as the number of
// its keys.
type Keyring struct {
	handle  *keyset.Handle
	sealing uint32               // ID of the newest key
	opening map[uint32]tink.AEAD // ciphers of the enabled keys, by key ID
}

// NewKeyring returns a keyring with one new key. The key exists only in memory; use Create for
// a keyring in a file.
func NewKeyring() (*Keyring, error) {
	return withNewKey(keyset.NewManager())
}

// withNewKey returns the manager's keyring with a new key. The key is primary, so it seals, and
// has Tink's prefix.
func withNewKey(manager *keyset.Manager) (*Keyring, error) {
	parameters, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantTink)
	if err != nil {
		return nil, fmt.Errorf("creating a key: %w", err)
	}
	id, err := manager.AddNewKeyFromParameters(parameters)
	if err != nil {
		return nil, fmt.Errorf("creating a key: %w", err)
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, fmt.Errorf("creating a key: %w", err)
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, fmt.Errorf("creating a key: %w", err)
	}
	return newKeyring(handle)
}

// newKeyring accepts only XChaCha20-Poly1305 keys with Tink's prefix. Without the prefix, a
// blob would contain neither version nor key ID. Other ciphers have shorter nonces: with random
// nonces, one of their keys may seal only a limited number of values.
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
			return nil, fmt.Errorf("%w: two keys have the ID %08x", ErrKeyring, entry.KeyID())
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
		return nil, fmt.Errorf("%w: no enabled key is primary", ErrKeyring)
	}
	return k, nil
}

// rotated returns the keyring with a new key in addition, which seals from then on.
func (k *Keyring) rotated() (*Keyring, error) {
	return withNewKey(keyset.NewManagerFromHandle(k.handle))
}

// parseKeyring reads Tink's JSON keyset. It does not wrap the parser's errors,
// which may quote key material.
func parseKeyring(data []byte) (*Keyring, error) {
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: not a Tink keyset in JSON", ErrKeyring)
	}
	return newKeyring(handle)
}

// marshal returns Tink's JSON keyset, with the keys in clear text.
func (k *Keyring) marshal() ([]byte, error) {
	var out bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewJSONWriter(&out)); err != nil {
		return nil, fmt.Errorf("encoding a keyset: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// String reports the number of keys, never the keys.
func (k *Keyring) String() string { return fmt.Sprintf("keyring of %d keys", len(k.opening)) }

// GoString keeps keys out of text that is formatted with %#v.
func (k *Keyring) GoString() string { return k.String() }

// LogValue keeps keys out of logs.
func (k *Keyring) LogValue() slog.Value { return slog.StringValue(k.String()) }
