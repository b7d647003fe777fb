package meter

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mneme/memory"
	"mneme/meter/canonicaljson"
)

// receiptKey is a key of receipts as a JWK (RFC 8037).
type receiptKey struct {
	Type    string `json:"kty"`
	Curve   string `json:"crv"`
	Public  string `json:"x"`
	Private string `json:"d,omitempty"` // the seed; only of the newest key
	ID      string `json:"kid"`         // RFC 7638 thumbprint
	Use     string `json:"use"`
	Alg     string `json:"alg"`
	MadeAt  int64  `json:"iat,omitempty"` // Unix seconds
}

// keySet is the setting MetaReceiptKeys: a JWK Set, the newest key last.
type keySet struct {
	Keys []receiptKey `json:"keys"`
}

// readKeys reads the keys of receipts.
func readKeys(ctx context.Context, tx memory.MetaReader) (keySet, error) {
	var set keySet
	raw, err := tx.Meta(ctx, MetaReceiptKeys)
	if err != nil || raw == nil {
		return set, err
	}
	if json.Unmarshal(raw, &set) != nil { // its error could quote the keys
		return set, errors.New("the keys of receipts cannot be read")
	}
	return set, nil
}

// signer returns the key that signs receipts at an instant. If there is none or the newest is
// older than age, signer creates a key and erases the previous private key.
func signer(ctx context.Context, tx keyWriter, at time.Time, age time.Duration) (receiptKey, error) {
	set, err := readKeys(ctx, tx)
	if err != nil || set.signs(at, age) {
		return set.newest(), err
	}
	if err := tx.Lock(ctx, lockKeys); err != nil {
		return receiptKey{}, err
	}
	if set, err = readKeys(ctx, tx); err != nil || set.signs(at, age) {
		return set.newest(), err
	}
	key, err := newReceiptKey(at)
	if err != nil {
		return receiptKey{}, err
	}
	for i := range set.Keys {
		set.Keys[i].Private = ""
	}
	set.Keys = append(set.Keys, key)
	raw, err := json.Marshal(set)
	if err != nil {
		return receiptKey{}, err
	}
	return key, tx.SetMeta(ctx, MetaReceiptKeys, raw)
}

func (s keySet) newest() receiptKey {
	if len(s.Keys) == 0 {
		return receiptKey{}
	}
	return s.Keys[len(s.Keys)-1]
}

// signs reports whether the newest key may sign at an instant.
func (s keySet) signs(at time.Time, age time.Duration) bool {
	key := s.newest()
	return key.Private != "" && at.Sub(time.Unix(key.MadeAt, 0)) < age
}

func newReceiptKey(at time.Time) (receiptKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return receiptKey{}, err
	}
	key := receiptKey{
		Type: "OKP", Curve: "Ed25519", Public: encode(public), Private: encode(private.Seed()),
		Use: "sig", Alg: "EdDSA", MadeAt: at.Unix(),
	}
	key.ID = key.thumbprint()
	return key, nil
}

// thumbprint returns the key's RFC 7638 thumbprint.
func (k receiptKey) thumbprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":%q,"kty":%q,"x":%q}`, k.Curve, k.Type, k.Public))
	return encode(sum[:])
}

func (k receiptKey) publicKey() (ed25519.PublicKey, error) {
	raw, err := decode(k.Public)
	if err != nil || k.Type != "OKP" || k.Curve != "Ed25519" || len(raw) != ed25519.PublicKeySize {
		return nil, errors.New("a key of receipts is not an Ed25519 key")
	}
	return raw, nil
}

func (k receiptKey) privateKey() (ed25519.PrivateKey, error) {
	seed, err := decode(k.Private)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, errors.New("the key of receipts is not an Ed25519 key")
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// publicKeys returns the JWK Set of the public keys of receipts, including old ones.
func publicKeys(ctx context.Context, tx memory.MetaReader) (json.RawMessage, error) {
	set, err := readKeys(ctx, tx)
	if err != nil {
		return nil, err
	}
	public := keySet{Keys: []receiptKey{}}
	for _, key := range set.Keys {
		key.Private, key.MadeAt = "", 0
		public.Keys = append(public.Keys, key)
	}
	return json.Marshal(public)
}

// PublicKeys returns the JWK Set of the public keys of receipts, including old ones.
func (m *Meter) PublicKeys(ctx context.Context) (keys json.RawMessage, err error) {
	err = m.storage.View(ctx, func(tx ReadTx) error {
		keys, err = publicKeys(ctx, tx)
		return err
	})
	return keys, err
}

// digestKey returns the key of the digests of bought values. It creates the key in a new
// database.
func digestKey(ctx context.Context, tx keyWriter) ([]byte, error) {
	key, err := tx.Meta(ctx, MetaBought)
	if err != nil || key != nil {
		return key, err
	}
	if err := tx.Lock(ctx, lockKeys); err != nil {
		return nil, err
	}
	if key, err = tx.Meta(ctx, MetaBought); err != nil || key != nil {
		return key, err
	}
	key = make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, tx.SetMeta(ctx, MetaBought, key)
}

// digestOf returns the keyed digest of a value: the same for every text of the same
// JSON value.
func digestOf(key []byte, value json.RawMessage) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(canonicaljson.Of(value))
	return mac.Sum(nil)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
