package crypto

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrEntryRef means that an EntryRef cannot refer to an entry.
var ErrEntryRef = errors.New("not a valid entry reference")

// EntryRef identifies the entry that a blob is sealed for.
type EntryRef struct {
	// Store is the ID of the store. A request may address the caller's own
	// store as "self", but a blob must name it: for another caller "self" is
	// another store.
	Store string
	// Namespace is empty by default, as in the entry. Seal and Open convert Namespace and Key
	// to Unicode NFC, the form in which the service stores them.
	Namespace string
	// Key is the entry's key.
	Key string
}

// check rejects references that no entry can have. It does not check the rules for IDs and
// keys: the service checks these when the entry is written.
func (r EntryRef) check() error {
	switch r.Store {
	case "":
		return fmt.Errorf("%w: the store is empty", ErrEntryRef)
	case ".", "..", "self", "shared":
		return fmt.Errorf("%w: %q is a reserved word; use the store's ID", ErrEntryRef, r.Store)
	}
	if r.Key == "" {
		return fmt.Errorf("%w: the key is empty", ErrEntryRef)
	}
	if !utf8.ValidString(r.Store) || !utf8.ValidString(r.Namespace) || !utf8.ValidString(r.Key) {
		return fmt.Errorf("%w: store, namespace and key must be valid UTF-8", ErrEntryRef)
	}
	return nil
}

// associatedData returns what a ciphertext authenticates in addition to the plaintext. Each
// string is preceded by its length, so that different references never have the same encoding.
func (r EntryRef) associatedData(keyID uint32) []byte {
	r.Namespace = norm.NFC.String(r.Namespace)
	return r.formerAssociatedData(keyID)
}

// formerAssociatedData is associatedData without normalizing the namespace, as in earlier
// versions of this package. Open needs it for blobs that these sealed.
func (r EntryRef) formerAssociatedData(keyID uint32) []byte {
	key := norm.NFC.String(r.Key)
	data := make([]byte, 0, headerSize+3*4+len(r.Store)+len(r.Namespace)+len(key))
	data = append(data, version)
	data = binary.BigEndian.AppendUint32(data, keyID)
	for _, part := range [...]string{r.Store, r.Namespace, key} {
		data = binary.BigEndian.AppendUint32(data, uint32(len(part)))
		data = append(data, part...)
	}
	return data
}
