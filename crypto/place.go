package crypto

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrPlace means that a Place cannot be the place of an entry.
var ErrPlace = errors.New("not a place of an entry")

// Place says where an entry lives. A blob is bound to it.
type Place struct {
	// Store is the id of the store. A request may call the caller's own store
	// "self", but a blob must name it: others would read another id.
	Store string
	// Namespace is empty by default, as in the entry.
	Namespace string
	// Key of the entry. Keys are kept in Unicode NFC, so one is bound in that
	// form however it is given here.
	Key string
}

// check refuses what would bind a blob to a place where no entry can be. It
// does not repeat the rules for ids and keys: the service holds those, and
// refuses the write.
func (p Place) check() error {
	switch p.Store {
	case "":
		return fmt.Errorf("%w: the store is empty", ErrPlace)
	case ".", "..", "self", "shared":
		return fmt.Errorf("%w: %q is a reserved word; name the store by its id", ErrPlace, p.Store)
	}
	if p.Key == "" {
		return fmt.Errorf("%w: the key is empty", ErrPlace)
	}
	if !utf8.ValidString(p.Store) || !utf8.ValidString(p.Namespace) || !utf8.ValidString(p.Key) {
		return fmt.Errorf("%w: store, namespace and key must be UTF-8", ErrPlace)
	}
	return nil
}

// associatedData is what a ciphertext authenticates beside the plaintext. Each
// string follows its length, so that no two places share an encoding.
func (p Place) associatedData(keyID uint32) []byte {
	key := norm.NFC.String(p.Key)
	data := make([]byte, 0, headerSize+3*4+len(p.Store)+len(p.Namespace)+len(key))
	data = append(data, version)
	data = binary.BigEndian.AppendUint32(data, keyID)
	for _, part := range [...]string{p.Store, p.Namespace, key} {
		data = binary.BigEndian.AppendUint32(data, uint32(len(part)))
		data = append(data, part...)
	}
	return data
}
