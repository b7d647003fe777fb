package sqlcommon

import (
	"context"
	"errors"
	"maps"
	"slices"

	"mneme/memory"
	"mneme/meter"
)

// Balance implements meter.Balancer.
func (m MeterReader) Balance(ctx context.Context, account string) (balance int64, err error) {
	_, err = One(ctx, m.r, []any{&balance}, "account.balance", account)
	return balance, err
}

// Balances implements meter.LedgerReader.
func (m MeterReader) Balances(ctx context.Context, after string, limit int) ([]meter.AccountBalance, error) {
	return List(ctx, m.r, func(row Row) (b meter.AccountBalance, err error) {
		return b, row.Scan(&b.Account, &b.Balance)
	}, "account.after", after, limit)
}

func scanLine(row Row) (line meter.Line, err error) {
	var previous, hash []byte
	err = row.Scan(&line.Number, &line.At, (*string)(&line.Kind), &line.Charge, &line.Reference, JSON{&line.Postings}, &previous, &hash)
	copy(line.Previous[:], previous)
	copy(line.Hash[:], hash)
	return line, err
}

// LastLine implements meter.LedgerReader.
func (m MeterReader) LastLine(ctx context.Context) (*meter.Line, error) {
	return First(ctx, m.r, scanLine, "ledger.last")
}

// LineOf implements meter.LedgerReader.
func (m MeterReader) LineOf(ctx context.Context, kind meter.LineKind, agent, reference string) (*meter.Line, error) {
	return First(ctx, m.r, scanLine, "ledger.of_reference", string(kind), agent, reference)
}

// LinesAfter implements meter.LedgerReader.
func (m MeterReader) LinesAfter(ctx context.Context, number int64, limit int) ([]meter.Line, error) {
	return List(ctx, m.r, scanLine, "ledger.after", number, limit)
}

// AppendLine implements meter.LedgerWriter. If two transactions append without the ledger lock,
// the second waits until the first has ended, finds its number taken, and runs again.
func (m MeterWriter) AppendLine(ctx context.Context, line meter.Line) error {
	last, err := m.LastLine(ctx)
	if err != nil {
		return err
	}
	if err := line.CheckFollows(last); err != nil {
		return m.w.Fail(err)
	}
	n, err := m.w.Exec(ctx, "ledger.append", line.Number, line.At, string(line.Kind), OrNull(line.Charge), line.Reference,
		line.Agent(), JSON{line.Postings}, line.Previous[:], line.Hash[:])
	switch {
	case errors.Is(err, memory.ErrExists): // the number is taken
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
	updated, err := m.w.ExecEach(ctx, "account.add", rows)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if updated[i] == 0 {
			missing = append(missing, row)
		}
	}
	_, err = m.w.ExecEach(ctx, "account.insert", missing)
	return err
}
