package meter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Hash is the SHA-256 of a ledger line and the hash of the line before it.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hash in hexadecimal digits.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses hexadecimal digits.
func (h *Hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return fmt.Errorf("a hash has %d hexadecimal digits", hex.EncodedLen(len(h)))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// LineKind is the kind of a ledger line.
type LineKind string

// The kinds.
const (
	LineTopUp   LineKind = "topup"   // external → agent
	LinePayout  LineKind = "payout"  // agent → external
	LineCharge  LineKind = "charge"  // buyer → seller; paid by a payment: external → settling
	LineSettle  LineKind = "settle"  // settling → seller; the excess of a fixed payment over the charge → buyer
	LineReverse LineKind = "reverse" // settling → external: the payment was refused
	LineRefund  LineKind = "refund"  // seller → buyer
)

// Accounts that are not an agent's: their names are not ids.
const (
	AccountExternal = "/external" // money outside; its balance is minus the money inside
	AccountSettling = "/settling" // charges whose payment is not settled yet
)

// Posting changes the balance of an account.
type Posting struct {
	Account string `json:"account"`
	Amount  int64  `json:"amount"` // micros; below zero: from the account
}

// AccountBalance is the balance of an account, in micros.
type AccountBalance struct {
	Account string
	Balance int64
}

// Line is a line of the ledger. It contains ids, never keys or text. The amounts of
// its postings sum to zero.
type Line struct {
	Number    int64     `json:"number"` // from 1, without gaps
	At        time.Time `json:"at"`
	Kind      LineKind  `json:"kind"`
	Charge    uuid.UUID `json:"charge"`    // uuid.Nil: none
	Reference string    `json:"reference"` // of a top-up or payout; unique for account and kind
	Postings  []Posting `json:"postings"`
	Previous  Hash      `json:"previous"` // Hash of the previous line; zero for the first
	Hash      Hash      `json:"hash"`
}

// Agent returns the account of the first posting to an agent's account; "" if there is
// none. Reference is unique for this account and Kind.
func (l *Line) Agent() string {
	for _, p := range l.Postings {
		if !strings.HasPrefix(p.Account, "/") {
			return p.Account
		}
	}
	return ""
}

// Changes returns the amount that the line adds to each account.
func (l *Line) Changes() map[string]int64 {
	changes := make(map[string]int64, len(l.Postings))
	for _, p := range l.Postings {
		changes[p.Account] += p.Amount
	}
	return changes
}

// CheckFollows returns an error if a line cannot follow the last one, which is nil before
// the first. A storage calls it for each line that it appends. It does not check hashes.
func (l *Line) CheckFollows(last *Line) error {
	next := int64(1)
	if last != nil {
		next = last.Number + 1
	}
	if l.Number != next {
		return fmt.Errorf("ledger line %d cannot be appended: the next one is %d", l.Number, next)
	}
	for _, p := range l.Postings {
		if p.Account == "" {
			return fmt.Errorf("ledger line %d has a posting without an account", l.Number)
		}
	}
	return l.check()
}
