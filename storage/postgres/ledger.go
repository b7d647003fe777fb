package postgres

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"mneme/memory"
	"mneme/meter"
)

// Balance implements meter.LedgerReader.
func (r *reader) Balance(ctx context.Context, account string) (balance int64, err error) {
	if !storable(account) {
		return 0, nil
	}
	_, err = r.one(ctx, []any{&balance}, "SELECT balance FROM account WHERE name = $1", account)
	return balance, err
}

// Balances implements meter.LedgerReader. It reads page by page, so that a slow
// yield does not run into a statement timeout.
func (r *reader) Balances(ctx context.Context, yield func(account string, balance int64) error) error {
	const page = 500
	type account struct {
		name    string
		balance int64
	}
	for last := ""; ; { // names are never empty
		var accounts []account
		err := r.each(ctx, func(rows pgx.Rows) error {
			var a account
			err := rows.Scan(&a.name, &a.balance)
			accounts = append(accounts, a)
			return err
		}, "SELECT name, balance FROM account WHERE name > $1 ORDER BY name LIMIT $2", last, page)
		if err != nil || len(accounts) == 0 {
			return err
		}
		for _, a := range accounts {
			last = a.name
			if err := yield(a.name, a.balance); err != nil {
				return err
			}
		}
	}
}

const lineColumns = `SELECT number, at, kind, charge, reference, postings, previous, hash FROM ledger `

func scanLine(rows pgx.Rows) (line meter.Line, err error) {
	var charge *[16]byte
	var postings string
	var previous, hash []byte
	err = rows.Scan(&line.Number, &line.At, (*string)(&line.Kind), &charge, &line.Reference, &postings, &previous, &hash)
	if err != nil {
		return line, err
	}
	line.At, line.Charge = line.At.UTC(), idOrNil(charge)
	copy(line.Previous[:], previous)
	copy(line.Hash[:], hash)
	return line, json.Unmarshal([]byte(postings), &line.Postings)
}

func (r *reader) lines(ctx context.Context, query string, args ...any) (lines []meter.Line, err error) {
	err = r.each(ctx, func(rows pgx.Rows) error {
		line, err := scanLine(rows)
		lines = append(lines, line)
		return err
	}, query, args...)
	return lines, err
}

func (r *reader) line(ctx context.Context, query string, args ...any) (*meter.Line, error) {
	lines, err := r.lines(ctx, query, args...)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	return &lines[0], nil
}

// LastLine implements meter.LedgerReader.
func (r *reader) LastLine(ctx context.Context) (*meter.Line, error) {
	return r.line(ctx, lineColumns+"ORDER BY number DESC LIMIT 1")
}

// Lines implements meter.LedgerReader. It reads page by page, so that a slow yield
// does not run into a statement timeout.
func (r *reader) Lines(ctx context.Context, after int64, yield func(meter.Line) error) error {
	const page = 500
	for {
		lines, err := r.lines(ctx, lineColumns+"WHERE number > $1 ORDER BY number LIMIT $2", after, page)
		if err != nil || len(lines) == 0 {
			return err
		}
		for _, line := range lines {
			after = line.Number
			if err := yield(line); err != nil {
				return err
			}
		}
	}
}

// LineOf implements meter.LedgerReader.
func (r *reader) LineOf(ctx context.Context, kind meter.LineKind, account, reference string) (*meter.Line, error) {
	if reference == "" || !storable(account, reference) {
		return nil, nil
	}
	return r.line(ctx, lineColumns+"WHERE kind = $1 AND agent = $2 AND reference = $3 AND reference <> ''", string(kind), account, reference)
}

const (
	insertLine = `INSERT INTO ledger (number, at, kind, charge, reference, agent, postings, previous, hash)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (kind, agent, reference) WHERE reference <> '' DO NOTHING`
	// An upsert would check the constraint on the amount, not on the sum.
	addToBalances = `UPDATE account a SET balance = a.balance + c.amount
	FROM unnest($1::text[], $2::bigint[]) c (name, amount) WHERE a.name = c.name RETURNING a.name`
	insertBalances = `INSERT INTO account (name, balance) SELECT * FROM unnest($1::text[], $2::bigint[])`
)

// AppendLine implements meter.LedgerWriter. Should two transactions append without
// the lock of the ledger, the second waits for the row of the first and runs again.
func (w *writer) AppendLine(ctx context.Context, line meter.Line) error {
	last, err := w.LastLine(ctx)
	if err != nil {
		return err
	}
	if err := line.CheckFollows(last); err != nil {
		w.failed = err
		return err
	}
	postings, err := json.Marshal(line.Postings)
	if err != nil {
		return err
	}
	n, err := w.affected(ctx, insertLine, line.Number, line.At, string(line.Kind), optionalID(line.Charge), line.Reference,
		line.Agent(), string(postings), line.Previous[:], line.Hash[:])
	switch {
	case errors.Is(err, memory.ErrExists): // of the number
		w.failed = errConflict
		return errConflict
	case err != nil:
		return err
	case n == 0:
		return memory.ErrExists
	}
	return w.addBalances(ctx, line.Changes())
}

func (w *writer) addBalances(ctx context.Context, changes map[string]int64) error {
	var names []string
	var amounts []int64
	for name, amount := range changes {
		names, amounts = append(names, name), append(amounts, amount)
	}
	if len(names) == 0 {
		return nil
	}
	err := w.each(ctx, func(rows pgx.Rows) error {
		var name string
		err := rows.Scan(&name)
		delete(changes, name)
		return err
	}, addToBalances, names, amounts)
	if err != nil || len(changes) == 0 {
		return err
	}
	names, amounts = nil, nil
	for name, amount := range changes { // accounts without a row
		names, amounts = append(names, name), append(amounts, amount)
	}
	return w.exec(ctx, insertBalances, names, amounts)
}
