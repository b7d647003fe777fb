package sqlcommon

import (
	"context"
	"errors"
	"maps"
	"slices"

	"mneme/memory"
	"mneme/meter"
)

const (
	selectBalance  = "SELECT balance FROM account WHERE name = $1"
	selectBalances = "SELECT name, balance FROM account WHERE name > $1 ORDER BY name LIMIT $2"
)

// Balance implements meter.Balancer.
func (m MeterReader) Balance(ctx context.Context, account string) (balance int64, err error) {
	_, err = One(ctx, m.r, []any{&balance}, selectBalance, account)
	return balance, err
}

// Balances implements meter.LedgerReader.
func (m MeterReader) Balances(ctx context.Context, after string, limit int) ([]meter.AccountBalance, error) {
	return List(ctx, m.r, func(row Row) (b meter.AccountBalance, err error) {
		return b, row.Scan(&b.Account, &b.Balance)
	}, selectBalances, after, limit)
}

const lineColumns = "SELECT number, at, kind, charge, reference, postings, previous, hash FROM ledger "

const (
	selectLastLine   = lineColumns + "ORDER BY number DESC LIMIT 1"
	selectLineOf     = lineColumns + "WHERE kind = $1 AND agent = $2 AND reference = $3 AND reference <> ''"
	selectLinesAfter = lineColumns + "WHERE number > $1 ORDER BY number LIMIT $2"
)

func scanLine(row Row) (line meter.Line, err error) {
	var previous, hash []byte
	err = row.Scan(&line.Number, &line.At, (*string)(&line.Kind), &line.Charge, &line.Reference, JSON{&line.Postings}, &previous, &hash)
	copy(line.Previous[:], previous)
	copy(line.Hash[:], hash)
	return line, err
}

// LastLine implements meter.LedgerReader.
func (m MeterReader) LastLine(ctx context.Context) (*meter.Line, error) {
	return First(ctx, m.r, scanLine, selectLastLine)
}

// LineOf implements meter.LedgerReader.
func (m MeterReader) LineOf(ctx context.Context, kind meter.LineKind, agent, reference string) (*meter.Line, error) {
	return First(ctx, m.r, scanLine, selectLineOf, string(kind), agent, reference)
}

// LinesAfter implements meter.LedgerReader.
func (m MeterReader) LinesAfter(ctx context.Context, number int64, limit int) ([]meter.Line, error) {
	return List(ctx, m.r, scanLine, selectLinesAfter, number, limit)
}

const (
	insertLine = `INSERT INTO ledger (number, at, kind, charge, reference, agent, postings, previous, hash)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (kind, agent, reference) WHERE reference <> '' DO NOTHING`
	// An upsert would check the constraint on the amount, not on the sum.
	addToBalance  = "UPDATE account SET balance = balance + $2 WHERE name = $1"
	insertBalance = "INSERT INTO account (name, balance) VALUES ($1, $2)"
)

// AppendLine implements meter.LedgerWriter. Should two transactions append without
// the lock of the ledger, the second waits for the row of the first and runs again.
func (m MeterWriter) AppendLine(ctx context.Context, line meter.Line) error {
	last, err := m.LastLine(ctx)
	if err != nil {
		return err
	}
	if err := line.CheckFollows(last); err != nil {
		return m.w.Fail(err)
	}
	n, err := m.w.Exec(ctx, insertLine, line.Number, line.At, string(line.Kind), OrNull(line.Charge), line.Reference,
		line.Agent(), JSON{line.Postings}, line.Previous[:], line.Hash[:])
	switch {
	case errors.Is(err, memory.ErrExists): // of the number
		return m.w.Fail(ErrConflict)
	case err != nil:
		return err
	case n == 0:
		return memory.ErrExists
	}
	return m.addBalances(ctx, line.Changes())
}

// addBalances adds amounts to the balances of accounts.
func (m MeterWriter) addBalances(ctx context.Context, changes map[string]int64) error {
	var rows, missing [][]any
	for _, account := range slices.Sorted(maps.Keys(changes)) {
		rows = append(rows, []any{account, changes[account]})
	}
	updated, err := m.w.ExecEach(ctx, addToBalance, rows)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if updated[i] == 0 {
			missing = append(missing, row)
		}
	}
	_, err = m.w.ExecEach(ctx, insertBalance, missing)
	return err
}
