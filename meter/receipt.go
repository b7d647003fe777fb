package meter

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/meter/canonicaljson"
	"mneme/search"
)

// ReceiptType is the type (typ) in the header of a receipt, so that it never passes for a
// token.
const ReceiptType = "mneme-receipt"

// Receipt is the content of a receipt for a charge.
type Receipt struct {
	Charge   uuid.UUID `json:"charge"`
	Offer    uuid.UUID `json:"offer"`
	Store    string    `json:"store"`
	Buyer    string    `json:"buyer"`
	Seller   string    `json:"seller"`
	Time     time.Time `json:"time"`
	Amount   int64     `json:"amount"` // micros
	Currency string    `json:"currency"`
	Hits     int       `json:"hits"` // of the store, in the answer
	// HitsDigest is the SHA-256 of the hits in the first answer: see DigestHits.
	HitsDigest Hash   `json:"hits_sha256"`
	Nonce      string `json:"nonce"` // random
	Line       int64  `json:"line"`  // number in the ledger
	LineHash   Hash   `json:"line_hash"`
}

type receiptHeader struct {
	Alg  string `json:"alg"`
	Type string `json:"typ"`
	Key  string `json:"kid"`
}

// sign returns a receipt as a compact JWS (RFC 7515, RFC 8037).
func (r Receipt) sign(key receiptKey) (string, error) {
	private, err := key.privateKey()
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(receiptHeader{"EdDSA", ReceiptType, key.ID})
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	text := encode(header) + "." + encode(payload)
	return text + "." + encode(ed25519.Sign(private, []byte(text))), nil
}

// Errors of VerifyReceipt.
var (
	ErrReceipt     = errors.New("this is not a receipt")
	ErrReceiptKey  = errors.New("the keys do not include the key of the receipt")
	ErrSignature   = errors.New("the signature of the receipt is invalid")
	ErrReceiptHits = errors.New("the receipt is for other hits")
)

// VerifyReceipt returns the content of a receipt that one of the keys, a JWK Set, signed.
// If hits is not nil, it is the answer's array of hits, and those from the receipt's store
// must be the hits that the receipt is for.
func VerifyReceipt(jws string, keys, hits json.RawMessage) (Receipt, error) {
	parts := strings.Split(strings.TrimSpace(jws), ".")
	if len(parts) != 3 {
		return Receipt{}, ErrReceipt
	}
	var header receiptHeader
	var r Receipt
	signature, err := decode(parts[2])
	if err != nil || !decodeJSON(parts[0], &header) || !decodeJSON(parts[1], &r) || header.Alg != "EdDSA" || header.Type != ReceiptType {
		return Receipt{}, ErrReceipt
	}
	var set keySet
	if err := json.Unmarshal(keys, &set); err != nil {
		return Receipt{}, fmt.Errorf("the keys are not a JWK Set: %w", err)
	}
	public, err := set.find(header.Key)
	if err != nil {
		return Receipt{}, err
	}
	if !ed25519.Verify(public, []byte(parts[0]+"."+parts[1]), signature) {
		return Receipt{}, ErrSignature
	}
	if hits == nil {
		return r, nil
	}
	digest, n, err := DigestHits(hits, r.Store)
	if err != nil {
		return Receipt{}, err
	}
	if digest != r.HitsDigest || n != r.Hits {
		return Receipt{}, ErrReceiptHits
	}
	return r, nil
}

// find returns the public key with an ID, which must be its thumbprint.
func (s keySet) find(id string) (ed25519.PublicKey, error) {
	for _, key := range s.Keys {
		if key.ID == id && key.thumbprint() == id {
			return key.publicKey()
		}
	}
	return nil, ErrReceiptKey
}

func decodeJSON(part string, to any) bool {
	raw, err := decode(part)
	return err == nil && json.Unmarshal(raw, to) == nil
}

// digestedHit has the members of a hit that a receipt covers, in the form of the REST API at
// level search.
type digestedHit struct {
	Store     string            `json:"store_id"`
	Key       string            `json:"key"`
	Label     string            `json:"label"`
	Value     json.RawMessage   `json:"value,omitempty"`
	Passages  []digestedPassage `json:"passages,omitempty"` // instead of Value
	Score     float64           `json:"score"`
	Relevance float64           `json:"relevance"`
}

type digestedPassage struct {
	Text string `json:"text"`
}

// DigestHits returns the SHA-256, as in a receipt, of an answer's hits from a store, and
// their number. The digest is over the RFC 8785 form of the array of these hits with their
// members store_id, key, label, value or passages (only their text), score and relevance. A
// value without such a form counts as the string of its text.
func DigestHits(hits json.RawMessage, store string) (Hash, int, error) {
	var all []digestedHit
	if err := json.Unmarshal(hits, &all); err != nil {
		return Hash{}, 0, fmt.Errorf("the hits are not an array of hits: %w", err)
	}
	of := []digestedHit{}
	for _, hit := range all {
		if hit.Store == store {
			of = append(of, hit)
		}
	}
	digest, err := digestHits(of)
	return digest, len(of), err
}

// hitDigest returns the digest of hits as an answer shows them.
func hitDigest(hits []*search.Hit) (Hash, error) {
	of := make([]digestedHit, len(hits))
	for i, h := range hits {
		of[i] = digestedHit{Store: h.Store, Key: h.Key, Label: h.Label.String(), Score: h.Score, Relevance: h.Relevance}
		for _, p := range h.Passages {
			of[i].Passages = append(of[i].Passages, digestedPassage{p.Text})
		}
		if h.Passages == nil {
			of[i].Value = h.Value
		}
	}
	return digestHits(of)
}

func digestHits(hits []digestedHit) (Hash, error) {
	for i := range hits {
		if hits[i].Value != nil {
			hits[i].Value = canonicaljson.Of(hits[i].Value)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(hits); err != nil {
		return Hash{}, err
	}
	return sha256.Sum256(canonicaljson.Of(text.Bytes())), nil
}
