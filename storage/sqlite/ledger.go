package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"mneme/meter"
)

// Balance implements meter.LedgerReader.
func (r *reader) Balance(ctx context.Context, account string) (balance int64, err error) {
	_, err = r.one(ctx, []any{&balance}, "SELECT balance FROM account WHERE name = ?", account)
	return balance, err
}

const selectBalances = "SELECT name, balance FROM account ORDER BY name"

// Balances implements meter.LedgerReader.
func (r *reader) Balances(ctx context.Context, yield func(account string, balance int64) error) error {
	return r.each(ctx, func(rows *sql.Rows) error {
		var account string
		var balance int64
		if err := rows.Scan(&account, &balance); err != nil {
			return err
		}
		return yield(account, balance)
	}, selectBalances)
}

const (
	lineColumns    = `SELECT number, at, kind, charge, reference, postings, previous, hash FROM ledger `
	selectLastLine = lineColumns + `ORDER BY number DESC LIMIT 1`
	selectAllLines = lineColumns + `ORDER BY number`
)

func scanLine(rows *sql.Rows) (line meter.Line, err error) {
	var at int64
	var charge, postings, previous, hash []byte
	if err = rows.Scan(&line.Number, &at, &line.Kind, &charge, &line.Reference, &postings, &previous, &hash); err != nil {
		return line, err
	}
	line.At = fromMicros(at)
	copy(line.Charge[:], charge)
	copy(line.Previous[:], previous)
	copy(line.Hash[:], hash)
	return line, json.Unmarshal(postings, &line.Postings)
}

func (r *reader) line(ctx context.Context, query string, args ...any) (found *meter.Line, err error) {
	err = r.each(ctx, func(rows *sql.Rows) error {
		line, err := scanLine(rows)
		found = &line
		return err
	}, query, args...)
	return found, err
}

// LastLine implements meter.LedgerReader.
func (r *reader) LastLine(ctx context.Context) (*meter.Line, error) {
	return r.line(ctx, selectLastLine)
}

// Lines implements meter.LedgerReader.
func (r *reader) Lines(ctx context.Context, after int64, yield func(meter.Line) error) error {
	return r.each(ctx, func(rows *sql.Rows) error {
		line, err := scanLine(rows)
		if err != nil {
			return err
		}
		return yield(line)
	}, lineColumns+"WHERE number > ? ORDER BY number", after)
}

// LineOf implements meter.LedgerReader.
func (r *reader) LineOf(ctx context.Context, kind meter.LineKind, account, reference string) (*meter.Line, error) {
	if reference == "" {
		return nil, nil
	}
	return r.line(ctx, lineColumns+"WHERE kind = ? AND agent = ? AND reference = ? AND reference <> ''", kind, account, reference)
}

const (
	insertLine = `INSERT INTO ledger (number, at, kind, charge, reference, agent, postings, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// An upsert would check the constraint on the amount, not on the sum.
	addToBalance  = `UPDATE account SET balance = balance + ? WHERE name = ?`
	insertBalance = `INSERT INTO account (name, balance) VALUES (?, ?)`
)

// AppendLine implements meter.LedgerWriter.
func (w *writer) AppendLine(ctx context.Context, line meter.Line) error {
	last, err := w.LastLine(ctx)
	if err != nil {
		return err
	}
	if err := line.CheckFollows(last); err != nil {
		return w.fail(err)
	}
	postings, err := json.Marshal(line.Postings)
	if err != nil {
		return err
	}
	_, err = w.exec(ctx, insertLine, line.Number, micros(line.At), line.Kind, optionalID(line.Charge), line.Reference,
		line.Agent(), string(postings), line.Previous[:], line.Hash[:])
	if err != nil {
		return err
	}
	for account, amount := range line.Changes() {
		n, err := w.affected(ctx, addToBalance, amount, account)
		if err == nil && n == 0 {
			_, err = w.exec(ctx, insertBalance, account, amount)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
