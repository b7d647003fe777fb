package crypto

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
	"pgregory.net/rapid"
)

var testRef = EntryRef{Store: "agent-7", Namespace: "work", Key: "notes/bank"}

func newTestKeyring(t testing.TB) *Keyring {
	t.Helper()
	ring, err := NewKeyring()
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func seal(t testing.TB, ring *Keyring, plaintext []byte, ref EntryRef) []byte {
	t.Helper()
	blob, err := ring.Seal(plaintext, ref)
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

// refGenerator avoids empty strings and reserved words, which Seal rejects.
func refGenerator() *rapid.Generator[EntryRef] {
	return rapid.Custom(func(t *rapid.T) EntryRef {
		return EntryRef{
			Store:     rapid.StringMatching(`[A-Za-z0-9_:@-]{1,20}[0-9]`).Draw(t, "store"),
			Namespace: rapid.String().Draw(t, "namespace"),
			Key:       rapid.StringN(1, 40, -1).Draw(t, "key"),
		}
	})
}

func TestOpenGivesWhatWasSealed(t *testing.T) {
	ring := newTestKeyring(t)
	rapid.Check(t, func(t *rapid.T) {
		plaintext := rapid.SliceOf(rapid.Byte()).Draw(t, "plaintext")
		ref := refGenerator().Draw(t, "ref")
		blob, err := ring.Seal(plaintext, ref)
		if err != nil {
			t.Fatal(err)
		}
		if len(blob) != len(plaintext)+Overhead {
			t.Fatalf("blob of %d bytes for %d, want %d more", len(blob), len(plaintext), Overhead)
		}
		value := EncodeValue(blob)
		if len(plaintext) >= 8 && (bytes.Contains(blob, plaintext) || bytes.Contains(value, plaintext)) {
			t.Fatal("the plaintext shows in what is stored")
		}
		decoded, err := DecodeValue(value)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := ring.Open(decoded, ref)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(opened, plaintext) {
			t.Fatal("another plaintext came back")
		}
	})
}

func TestEqualPlaintextsGiveDifferentBlobs(t *testing.T) {
	ring := newTestKeyring(t)
	one, two := seal(t, ring, []byte("same"), testRef), seal(t, ring, []byte("same"), testRef)
	if bytes.Equal(one[headerSize:headerSize+nonceSize], two[headerSize:headerSize+nonceSize]) {
		t.Fatal("a nonce was used twice")
	}
	if bytes.Equal(one[headerSize+nonceSize:], two[headerSize+nonceSize:]) {
		t.Fatal("equal plaintexts can be told by their ciphertexts")
	}
}

func TestMovedBlobIsRefused(t *testing.T) {
	tests := []struct {
		name     string
		from, to EntryRef
	}{
		{"another store", testRef, EntryRef{"agent-8", "work", "notes/bank"}},
		{"another namespace", testRef, EntryRef{"agent-7", "home", "notes/bank"}},
		{"no namespace", testRef, EntryRef{"agent-7", "", "notes/bank"}},
		{"another key", testRef, EntryRef{"agent-7", "work", "notes/banks"}},
		{"key in another case", testRef, EntryRef{"agent-7", "work", "notes/Bank"}},
		{"store and key, boundary moved", EntryRef{"a", "", "bc"}, EntryRef{"ab", "", "c"}},
		{"store and namespace, boundary moved", EntryRef{"a", "bc", "k"}, EntryRef{"ab", "c", "k"}},
		{"namespace and key, boundary moved", EntryRef{"s", "a", "bc"}, EntryRef{"s", "ab", "c"}},
		{"namespace taken for key", EntryRef{"s", "a", "b"}, EntryRef{"s", "b", "a"}},
		{"length bytes within a key", EntryRef{"s", "", "k"}, EntryRef{"s", "\x00\x00\x00\x01k", "x"}},
	}
	ring := newTestKeyring(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			blob := seal(t, ring, []byte("secret"), test.from)
			if _, err := ring.Open(blob, test.to); !errors.Is(err, ErrRefused) {
				t.Fatalf("got %v, want ErrRefused", err)
			}
		})
	}
}

func TestDifferentRefsHaveDifferentAssociatedData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// With a small alphabet, different references often have the same concatenation.
		part := rapid.StringMatching(`[ab]{0,3}`)
		one := EntryRef{part.Draw(t, "s1"), part.Draw(t, "n1"), part.Draw(t, "k1")}
		two := EntryRef{part.Draw(t, "s2"), part.Draw(t, "n2"), part.Draw(t, "k2")}
		same := bytes.Equal(one.associatedData(1), two.associatedData(1))
		if same != (one == two) {
			t.Fatalf("%+v and %+v: same data %v", one, two, same)
		}
	})
}

func TestNamespaceAndKeyAreBoundInNFC(t *testing.T) {
	ring := newTestKeyring(t)
	decomposed := EntryRef{Store: "s", Namespace: "me\u0301mo", Key: "cafe\u0301"}
	composed := EntryRef{Store: "s", Namespace: "m\u00e9mo", Key: "caf\u00e9"}
	for _, ref := range []EntryRef{decomposed, composed} {
		for _, at := range []EntryRef{decomposed, composed} {
			if _, err := ring.Open(seal(t, ring, []byte("x"), ref), at); err != nil {
				t.Errorf("sealed for %+q, opened at %+q: %v", ref, at, err)
			}
		}
	}
}

// Earlier versions of the package bound a blob to the namespace as given, not to its NFC form.
// Such blobs must still open, if the namespace is given in the same form.
func TestAnEarlierBlobOpensAtItsNamespaceAsGiven(t *testing.T) {
	ring := newTestKeyring(t)
	given := EntryRef{Store: "s", Namespace: "me\u0301mo", Key: "cafe\u0301"}
	blob := seal(t, ring, []byte("x"), given)
	keyID := binary.BigEndian.Uint32(blob[1:headerSize])
	body, err := ring.opening[keyID].Encrypt([]byte("of before"), given.formerAssociatedData(keyID))
	if err != nil {
		t.Fatal(err)
	}
	before := append(bytes.Clone(blob[:headerSize]), body...)
	if text, err := ring.Open(before, given); err != nil || string(text) != "of before" {
		t.Errorf("got %q, %v", text, err)
	}
	other := given
	other.Namespace = "other\u0301"
	if _, err := ring.Open(before, other); !errors.Is(err, ErrRefused) {
		t.Errorf("at another namespace: %v", err)
	}
}

func TestEntryRefMustBeValid(t *testing.T) {
	ring := newTestKeyring(t)
	for _, ref := range []EntryRef{
		{},
		{Store: "s"},
		{Key: "k"},
		{Store: "self", Key: "k"},
		{Store: "shared", Key: "k"},
		{Store: ".", Key: "k"},
		{Store: "..", Key: "k"},
		{Store: "s", Key: "\xff"},
		{Store: "s", Namespace: "\xff", Key: "k"},
		{Store: "\xff", Key: "k"},
	} {
		if _, err := ring.Seal(nil, ref); !errors.Is(err, ErrEntryRef) {
			t.Errorf("sealing for %+q: got %v, want ErrEntryRef", ref, err)
		}
		if _, err := ring.Open(make([]byte, Overhead), ref); !errors.Is(err, ErrEntryRef) {
			t.Errorf("opening at %+q: got %v, want ErrEntryRef", ref, err)
		}
	}
}

func TestFlippedBitIsFoundAnywhere(t *testing.T) {
	ring := newTestKeyring(t)
	blob := seal(t, ring, []byte("a secret of some length"), testRef)
	for i := range blob {
		want := ErrRefused
		switch {
		case i == 0:
			want = ErrVersion
		case i < headerSize:
			want = ErrUnknownKey
		}
		for bit := range 8 {
			damaged := bytes.Clone(blob)
			damaged[i] ^= 1 << bit
			if _, err := ring.Open(damaged, testRef); !errors.Is(err, want) {
				t.Fatalf("byte %d, bit %d: got %v, want %v", i, bit, err, want)
			}
		}
	}
}

func TestTruncatedOrLengthenedBlobFails(t *testing.T) {
	ring := newTestKeyring(t)
	blob := seal(t, ring, []byte("secret"), testRef)
	for n := range blob {
		want := ErrDamaged
		if n >= Overhead {
			want = ErrRefused
		}
		if _, err := ring.Open(blob[:n], testRef); !errors.Is(err, want) {
			t.Fatalf("%d bytes: got %v, want %v", n, err, want)
		}
	}
	if _, err := ring.Open(append(bytes.Clone(blob), 0), testRef); !errors.Is(err, ErrRefused) {
		t.Fatalf("one byte more: got %v, want ErrRefused", err)
	}
}

func TestKeyOfAnotherKeyringOpensNothing(t *testing.T) {
	blob := seal(t, newTestKeyring(t), []byte("secret"), testRef)
	if _, err := newTestKeyring(t).Open(blob, testRef); !errors.Is(err, ErrUnknownKey) {
		t.Fatalf("got %v, want ErrUnknownKey", err)
	}
}

func TestOtherKeyOfTheSameIDIsRefused(t *testing.T) {
	mine, theirs := fixedKeyring(t, 0x01020304, 0), fixedKeyring(t, 0x01020304, 100)
	if _, err := theirs.Open(seal(t, mine, []byte("secret"), testRef), testRef); !errors.Is(err, ErrRefused) {
		t.Fatalf("got %v, want ErrRefused", err)
	}
}

func TestValueMustBeAStringOfBase64(t *testing.T) {
	for _, value := range []string{
		``, `null`, `1`, `{}`, `[]`, `"AA=="x`, `"AA="`, `"A-_="`, `"AB=="`, `"AA==\n"`, `" AA=="`, `AA==`,
	} {
		blob, err := DecodeValue([]byte(value))
		if value == `null` { // the JSON null decodes to no bytes, which Open rejects
			if len(blob) != 0 {
				t.Errorf("null gave %d bytes", len(blob))
			}
			continue
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want ErrDamaged", value, err)
		}
	}
}

// fixedKeyring has one key, of the bytes from, from+1 and so on. Anybody can know this key, so
// it is for tests only.
func fixedKeyring(t testing.TB, id uint32, from byte) *Keyring {
	t.Helper()
	// Field 3, length-delimited, 32 bytes: the key_value of Tink's
	// XChaCha20Poly1305Key message.
	message := []byte{3<<3 | 2, 32}
	message = append(message, fixedKey(from)...)
	ring, err := parseKeyring(fmt.Appendf(nil, `{"primaryKeyId": %d, "key": [{
		"keyData": {
			"typeUrl": "type.googleapis.com/google.crypto.tink.XChaCha20Poly1305Key",
			"value": %q,
			"keyMaterialType": "SYMMETRIC"
		},
		"status": "ENABLED", "keyId": %d, "outputPrefixType": "TINK"
	}]}`, id, base64.StdEncoding.EncodeToString(message), id))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func fixedKey(from byte) []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = from + byte(i)
	}
	return key
}

// golden is the text "a golden secret", sealed for testRef under the key with ID 0x01020304 and
// bytes 0 to 31, with the nonce 64 to 87. As long as golden opens, so does everything that was
// sealed in format version 1.
const golden = "0101020304404142434445464748494a4b4c4d4e4f5051525354555657b519621fbc841c78af87e2ddddf911aff593c7853a51212c2afda9bfbea309"

func TestGoldenBlobOpens(t *testing.T) {
	blob, err := hex.DecodeString(golden)
	if err != nil {
		t.Fatal(err)
	}
	plaintext, err := fixedKeyring(t, 0x01020304, 0).Open(blob, testRef)
	if err != nil {
		t.Fatal(err)
	}
	if string(plaintext) != "a golden secret" {
		t.Fatalf("opened to %q", plaintext)
	}
}

// This test builds a blob without Tink, by the format in the package comment.
func TestFormatIsAsDocumented(t *testing.T) {
	header := []byte{1, 1, 2, 3, 4}
	associated := append(bytes.Clone(header),
		"\x00\x00\x00\x07agent-7\x00\x00\x00\x04work\x00\x00\x00\x0anotes/bank"...)
	nonce := make([]byte, 24)
	for i := range nonce {
		nonce[i] = byte(64 + i)
	}
	cipher, err := chacha20poly1305.NewX(fixedKey(0))
	if err != nil {
		t.Fatal(err)
	}
	blob := cipher.Seal(append(bytes.Clone(header), nonce...), nonce, []byte("a golden secret"), associated)
	if got := hex.EncodeToString(blob); got != golden {
		t.Fatalf("the documented format gives\n%s, golden is\n%s", got, golden)
	}
}

func TestKeyringPrintsNoKey(t *testing.T) {
	ring := fixedKeyring(t, 1, 'A') // key bytes ABC…
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("keyring", "ring", ring)
	for _, printed := range []string{
		fmt.Sprint(ring), fmt.Sprintf("%v %+v %#v %s", ring, ring, ring, ring), log.String(),
	} {
		if strings.Contains(printed, "ABCDEF") || strings.Contains(printed, "65 66 67") || strings.Contains(printed, "QUJDR") {
			t.Errorf("the key shows in %q", printed)
		}
	}
}

func FuzzOpen(f *testing.F) {
	ring := fixedKeyring(f, 0x01020304, 0)
	blob, err := hex.DecodeString(golden)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(EncodeValue(blob), "agent-7", "work", "notes/bank")
	f.Add(EncodeValue(blob[:Overhead]), "agent-7", "work", "notes/bank")
	f.Add([]byte(`""`), "s", "", "k")
	f.Add([]byte(`"AQ=="`), "self", "", "")
	f.Fuzz(func(t *testing.T, value []byte, store, namespace, key string) {
		decoded, err := DecodeValue(value)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("decoding: %v", err)
			}
			decoded = value
		}
		ref := EntryRef{store, namespace, key}
		plaintext, err := ring.Open(decoded, ref)
		if err == nil {
			// Without the key, nobody can make another blob that opens.
			if !bytes.Equal(decoded, blob) || ref != testRef || string(plaintext) != "a golden secret" {
				t.Fatalf("a forged blob opened for %+q", ref)
			}
			return
		}
		for _, known := range []error{ErrEntryRef, ErrDamaged, ErrVersion, ErrUnknownKey, ErrRefused} {
			if errors.Is(err, known) {
				return
			}
		}
		t.Fatalf("not a documented error: %v", err)
	})
}
