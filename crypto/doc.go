// Package crypto seals and opens the values of encrypted entries. It runs on
// the client: the service stores the sealed value as opaque bytes and sees
// neither the key nor the plaintext.
//
// # Use
//
// Whoever writes encrypted entries creates a key file once and shares it, out
// of band, with whoever may read them:
//
//	ring, created, err := crypto.LoadOrCreate(path)
//	ref := crypto.EntryRef{Store: "agent-7", Namespace: "", Key: "notes/bank"}
//	blob, err := ring.Seal(plaintext, ref)
//	value := crypto.EncodeValue(blob) // the entry's value; write it with "encrypted": true
//
//	ring, err := crypto.Load(path)
//	blob, err := crypto.DecodeValue(value)
//	plaintext, err := ring.Open(blob, ref)
//
// Writers call LoadOrCreate and should report when it created a key: losing
// the key file loses every value sealed with it. Readers call Load, which
// never creates a key, since a new one can open nothing. Rotate adds a key to
// a file: the newest key seals, and every key opens.
//
// # Format, version 1
//
//	byte  0       0x01, the version
//	bytes 1..4    key ID, big endian
//	bytes 5..28   nonce, random
//	bytes 29..    XChaCha20-Poly1305 ciphertext, ending with its 16-byte tag
//
// This is Tink's wire format for an AEAD key with the TINK prefix, so any Tink
// library opens a blob given the keyset and the associated data. The
// associated data is these bytes in this order. Lengths are in bytes, as
// 4-byte big-endian numbers; namespace and key are in Unicode NFC:
//
//	version (1 byte) · key ID (4 bytes) ·
//	length of store · store · length of namespace · namespace · length of key · key
//
// # Guarantees and limits
//
// Without the key file nobody can read a value, alter one, or pass off one
// entry's value as another's: a blob opens only for the store, namespace and
// key that it was sealed for.
//
// The length of the plaintext is visible (a blob is Overhead bytes longer). A
// blob is not bound to a version of its entry, so whoever controls the storage
// can restore an older blob of the same entry. The key, tags and description
// of an entry are not encrypted.
package crypto
