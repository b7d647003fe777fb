package meter

import (
	"context"
	"fmt"
)

// LedgerError reports which line of a ledger is bad.
type LedgerError struct {
	Line   int64 // 0: the balances, not a line
	Reason string
}

func (e *LedgerError) Error() string {
	if e.Line == 0 {
		return "the ledger's balances: " + e.Reason
	}
	return fmt.Sprintf("line %d of the ledger: %s", e.Line, e.Reason)
}

// LedgerCheck verifies the ledger of a database or a dump, line by line. The zero value
// expects the first line.
type LedgerCheck struct {
	Lines    int64 // number of checked lines
	Last     Hash  // of the last checked line
	balances map[string]int64
}

// Add checks the next line: its number, its hash, the previous line's hash, its sum, and
// that every balance stays in range. The error is a *LedgerError.
func (c *LedgerCheck) Add(line Line) error {
	bad := func(reason string) error { return &LedgerError{Line: c.Lines + 1, Reason: reason} }
	switch {
	case line.Number != c.Lines+1:
		return bad(fmt.Sprintf("has number %d", line.Number))
	case line.Previous != c.Last:
		return bad("does not follow the line before it")
	case line.hash() != line.Hash:
		return bad("does not match its hash")
	}
	if err := line.check(); err != nil {
		return bad(err.Error())
	}
	if c.balances == nil {
		c.balances = make(map[string]int64)
	}
	for _, p := range line.Postings {
		c.balances[p.Account] += p.Amount
	}
	for _, p := range line.Postings {
		if err := checkBalance(p.Account, c.balances[p.Account]); err != nil {
			return bad(err.Error())
		}
	}
	c.Lines, c.Last = line.Number, line.Hash
	return nil
}

// Balances returns the balances after the checked lines.
func (c *LedgerCheck) Balances() map[string]int64 { return c.balances }

// VerifyLedger checks the ledger of a database: every line, and that the stored balances are
// the sums of the lines' postings. If the ledger is bad, the error is a *LedgerError.
func VerifyLedger(ctx context.Context, tx LedgerReader) (*LedgerCheck, error) {
	check := new(LedgerCheck)
	if err := check.addAll(ctx, tx); err != nil {
		return check, err
	}
	kept := make(map[string]bool)
	for after, page := "", verifyPage; page == verifyPage; {
		balances, err := tx.Balances(ctx, after, verifyPage)
		if err != nil {
			return check, err
		}
		for _, b := range balances {
			after, kept[b.Account] = b.Account, true
			if b.Balance != check.balances[b.Account] {
				return check, &LedgerError{Reason: "one is not the sum of its postings"}
			}
		}
		page = len(balances)
	}
	for account, balance := range check.balances {
		if !kept[account] && balance != 0 {
			return check, &LedgerError{Reason: "one is missing"}
		}
	}
	return check, nil
}

// verifyPage is how many rows are read at a time.
const verifyPage = 500

// addAll checks all lines of a database.
func (c *LedgerCheck) addAll(ctx context.Context, tx LedgerReader) error {
	for page := verifyPage; page == verifyPage; {
		lines, err := tx.LinesAfter(ctx, c.Lines, verifyPage)
		if err != nil {
			return err
		}
		for _, line := range lines {
			if err := c.Add(line); err != nil {
				return err
			}
		}
		page = len(lines)
	}
	return nil
}
