package meter

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// MaxReference bounds the reference of a top-up or pay-out, in characters.
const MaxReference = 128

// Account returns the caller's account. Sessions at each label have an account of their own.
func (m *Market) Account(ctx context.Context, c memory.Caller) (Account, error) {
	account := Account{Agent: c.Agent, Currency: m.options.Currency}
	err := m.view(ctx, c, func(tx ReadTx) (err error) {
		account.Balance, err = tx.Balance(ctx, Holder(c.Agent, c.Taint))
		return err
	})
	return account, err
}

// TopUp adds money to the account of an agent's sessions at the token's label. It requires a
// platform token. A reference identifies one top-up of the agent: a repetition with the same
// amount changes nothing, and one with another amount is a ConflictError.
func (m *Market) TopUp(ctx context.Context, c memory.Caller, agent string, amount int64, reference string) (Account, error) {
	return m.transfer(ctx, c, transfer{LineTopUp, agent, Holder(agent, c.Taint), amount, amount, reference})
}

// PayOut takes money from an agent's account. Token and reference are as for TopUp. It returns
// a ConflictError if the balance is less than amount.
func (m *Market) PayOut(ctx context.Context, c memory.Caller, agent string, amount int64, reference string) (Account, error) {
	return m.transfer(ctx, c, transfer{LinePayout, agent, Holder(agent, c.Taint), amount, -amount, reference})
}

// transfer moves money between an account and AccountExternal.
type transfer struct {
	kind      LineKind
	agent     string
	account   string // of its sessions at a label
	amount    int64  // as the request gives it, in micros
	change    int64  // of the balance
	reference string
}

func (m *Market) transfer(ctx context.Context, c memory.Caller, t transfer) (Account, error) {
	if err := acl.CheckID(t.agent); err != nil {
		return Account{}, err
	}
	if !c.Platform {
		return Account{}, acl.ErrDenied
	}
	if t.amount < 1 || t.amount > MaxAmount {
		return Account{}, rule("amount", "must be 1 to %d", int64(MaxAmount))
	}
	if err := checkText("reference", t.reference, 1, MaxReference, ""); err != nil {
		return Account{}, err
	}
	account := Account{Agent: t.agent, Currency: m.options.Currency}
	err := m.update(ctx, c, func(tx Tx) error {
		if err := m.book(ctx, tx, t); err != nil {
			return err
		}
		var err error
		account.Balance, err = tx.Balance(ctx, t.account)
		return err
	})
	if err != nil {
		return Account{}, err
	}
	return account, nil
}

// book appends the ledger line of a transfer, unless the ledger already has the line.
func (m *Market) book(ctx context.Context, tx Tx, t transfer) error {
	kind, err := tx.KindOf(ctx, t.agent)
	if err != nil {
		return err
	}
	if kind == memory.KindChat { // a chat makes no requests: its money would be lost
		return memory.ErrKindClash
	}
	if err := tx.Lock(ctx, lockAccount(t.account)); err != nil {
		return err
	}
	own := Posting{Account: t.account, Amount: t.change}
	line, err := tx.LineOf(ctx, t.kind, t.account, t.reference)
	if err != nil {
		return err
	}
	if line != nil {
		if !slices.Contains(line.Postings, own) {
			return conflict("the reference was used with another amount")
		}
		return nil
	}
	_, err = appendLine(ctx, tx, Line{
		At: m.service.Instant(), Kind: t.kind, Charge: uuid.Nil, Reference: t.reference,
		Postings: []Posting{own, {Account: AccountExternal, Amount: -t.change}},
	})
	if errors.Is(err, errBalanceFull) {
		return rule("amount", "must not raise the balance above %d", int64(MaxBalance))
	}
	return err
}
