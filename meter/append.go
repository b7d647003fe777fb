package meter

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mneme/memory"
	"mneme/meter/canonicaljson"
)

// Errors of appendLine.
var (
	errOverdrawn   error = &memory.ConflictError{Reason: "the balance is too low"}
	errBalanceFull error = &memory.ConflictError{Reason: "the balance would exceed its maximum"}
)

// appendLine appends a line to the ledger: it sets the line's number and hashes, and
// normalises its time. The transaction already holds the locks of the accounts whose
// balances fall; appendLine takes the lock of the ledger. It returns errOverdrawn if a
// balance would fall below zero, errBalanceFull if an agent's balance would exceed
// MaxBalance, and memory.ErrExists if the line's reference is taken.
func appendLine(ctx context.Context, tx LedgerWriter, line Line) (Line, error) {
	if err := tx.Lock(ctx, lockLedger); err != nil {
		return Line{}, err
	}
	if err := line.check(); err != nil {
		return Line{}, err
	}
	after := make(map[string]int64)
	for _, p := range line.Postings {
		balance, seen := after[p.Account]
		if !seen {
			var err error
			if balance, err = tx.Balance(ctx, p.Account); err != nil {
				return Line{}, err
			}
		}
		balance += p.Amount
		after[p.Account] = balance
	}
	for account, balance := range after {
		if err := checkBalance(account, balance); err != nil {
			return Line{}, err
		}
	}
	last, err := tx.LastLine(ctx)
	if err != nil {
		return Line{}, err
	}
	line.Number, line.Previous = 1, Hash{}
	if last != nil {
		line.Number, line.Previous = last.Number+1, last.Hash
	}
	line.At = instantOf(line.At)
	if line.Postings == nil {
		line.Postings = []Posting{}
	}
	line.Hash = line.hash()
	return line, tx.AppendLine(ctx, line)
}

// hash returns the SHA-256 of the previous line's hash followed by the canonical JSON of
// the line without Hash.
func (l Line) hash() Hash {
	if l.Postings == nil {
		l.Postings = []Posting{}
	}
	text, err := json.Marshal(struct {
		Line
		At   string `json:"at"`
		Hash *Hash  `json:"hash,omitempty"` // replaces Line.Hash
	}{Line: l, At: l.At.UTC().Format(time.RFC3339Nano)})
	if err != nil {
		panic(err) // ids and numbers always marshal
	}
	return sha256.Sum256(append(l.Previous[:], canonicaljson.Of(text)...))
}

// maxPosting bounds one posting, which may move a whole balance.
const maxPosting = MaxBalance

// check returns an error unless the postings of a line are in range and sum to zero.
func (l Line) check() error {
	switch l.Kind {
	case LineTopUp, LinePayout, LineCharge, LineSettle, LineReverse, LineRefund:
	default:
		return fmt.Errorf("unknown kind of line")
	}
	var sum int64
	for i, p := range l.Postings {
		if p.Amount > maxPosting || p.Amount < -maxPosting || i >= maxPostings {
			return fmt.Errorf("a posting is out of range")
		}
		sum += p.Amount
	}
	if sum != 0 {
		return fmt.Errorf("the postings do not sum to zero")
	}
	return nil
}

// maxPostings bounds the postings of a line, so that sums cannot overflow.
const maxPostings = 16

// checkBalance returns an error if an account may not have this balance. The balance of
// AccountExternal is at most zero, because money comes from outside.
func checkBalance(account string, balance int64) error {
	switch {
	case account == AccountExternal && balance > 0, account != AccountExternal && balance < 0:
		return errOverdrawn
	case !strings.HasPrefix(account, "/") && balance > MaxBalance:
		return errBalanceFull
	}
	return nil
}

// instantOf returns a time in UTC, with the precision of the database: a microsecond.
func instantOf(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
