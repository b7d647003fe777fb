package crypto_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"mneme/crypto"
)

// A value is sealed for one entry and opens only for that entry.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// The writer creates the key file once. Losing it loses what it sealed.
	path := filepath.Join(dir, "keys.json")
	ring, created, err := crypto.LoadOrCreate(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created a key:", created)

	ref := crypto.EntryRef{Store: "agent-7", Key: "notes/bank"}
	blob, err := ring.Seal([]byte("the PIN is in the blue book"), ref)
	if err != nil {
		log.Fatal(err)
	}
	value := crypto.EncodeValue(blob) // a JSON string, to be stored as the entry's value

	// A reader has the same key file and gets the value from the service.
	ring, err = crypto.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	blob, err = crypto.DecodeValue(value)
	if err != nil {
		log.Fatal(err)
	}
	plaintext, err := ring.Open(blob, ref)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", plaintext)

	// The same value under another key of the store does not open.
	_, err = ring.Open(blob, crypto.EntryRef{Store: "agent-7", Key: "notes/garden"})
	fmt.Println("moved to another entry:", errors.Is(err, crypto.ErrRefused))
	// Output:
	// created a key: true
	// the PIN is in the blue book
	// moved to another entry: true
}

// Rotate adds a key. The newest key seals, and every key opens.
func ExampleRotate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "keys.json")
	old, err := crypto.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	ref := crypto.EntryRef{Store: "agent-7", Key: "notes/bank"}
	before, err := old.Seal([]byte("sealed before"), ref)
	if err != nil {
		log.Fatal(err)
	}

	rotated, err := crypto.Rotate(path)
	if err != nil {
		log.Fatal(err)
	}
	after, err := rotated.Seal([]byte("sealed after"), ref)
	if err != nil {
		log.Fatal(err)
	}

	for _, blob := range [][]byte{before, after} {
		plaintext, err := rotated.Open(blob, ref)
		fmt.Printf("%s: %v\n", plaintext, err)
	}
	_, err = old.Open(after, ref)
	fmt.Println("without the new key:", errors.Is(err, crypto.ErrUnknownKey))
	// Output:
	// sealed before: <nil>
	// sealed after: <nil>
	// without the new key: true
}
