// Package crypto makes and opens the envelopes of encrypted entries. It runs
// on the client: the service stores the blob byte for byte and never sees the
// key or the plaintext.
//
// # Use
//
// A key file is made once, by whoever will write encrypted entries, and is
// given to whoever may read them, out of band:
//
//	ring, created, err := crypto.LoadOrCreate(path) // mneme encrypt
//	place := crypto.Place{Store: "agent-7", Namespace: "", Key: "notes/bank"}
//	blob, err := ring.Seal(plaintext, place)
//	value := crypto.EncodeValue(blob) // the entry's value; write it with "encrypted": true
//
//	ring, err := crypto.Load(path) // mneme decrypt
//	blob, err := crypto.DecodeValue(value)
//	plaintext, err := ring.Open(blob, place)
//
// mneme encrypt calls LoadOrCreate, tells the user when a key was made (a lost
// key file loses every value that was sealed with it), and prints what
// EncodeValue gives. mneme decrypt calls Load only: it never makes a key,
// since a new one can open nothing. Rotate adds a key to a file: the newest
// one seals from then on, all of them open.
//
// # Format, version 1
//
//	byte  0       0x01, the version
//	bytes 1..4    key id, big endian
//	bytes 5..28   nonce, random
//	bytes 29..    XChaCha20-Poly1305 ciphertext, its 16-byte tag at the end
//
// This is Tink's own wire format of an AEAD key with prefix type TINK, so any
// Tink library opens a blob, given the keyset and the associated data, which
// are these bytes in this order (lengths in bytes, as 4-byte big-endian
// numbers; key in Unicode NFC):
//
//	version (1 byte) · key id (4 bytes) ·
//	length of store · store · length of namespace · namespace · length of key · key
//
// # What it promises, and what not
//
// Without the key file nobody reads a value, changes one, or passes off one
// entry's value as another's: a blob opens only at the store, namespace and
// key for which it was sealed. The length of the plaintext shows (a blob is
// Overhead bytes longer). Nothing ties a blob to a version of its entry, so
// whoever controls the storage can bring back an older blob of the same place.
// Key, tags and description of an entry are not encrypted.
package crypto
