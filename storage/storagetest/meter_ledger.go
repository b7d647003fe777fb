package storagetest

import (
	"fmt"

	"mneme/memory"
	"mneme/meter"
)

func (f *fixture) append(kind meter.LineKind, reference string, postings ...meter.Posting) (appended meter.Line) {
	f.Helper()
	f.updateMeter(func(tx meter.Tx) (err error) {
		appended, err = appendLine(f.ctx, tx, kind, reference, postings...)
		return err
	})
	return appended
}

func (f *fixture) balances() map[string]int64 {
	f.Helper()
	balances := make(map[string]int64)
	f.viewMeter(func(tx meter.ReadTx) error {
		list, err := tx.Balances(f.ctx, "", 100)
		for i, b := range list {
			if i > 0 && b.Account <= list[i-1].Account {
				f.Errorf("%q follows %q", b.Account, list[i-1].Account)
			}
			balances[b.Account] = b.Balance
			one, err := tx.Balance(f.ctx, b.Account)
			f.ok(err)
			f.equal(one, b.Balance)
			page, err := tx.Balances(f.ctx, b.Account, 1)
			f.ok(err)
			f.equal(len(page), min(1, len(list)-i-1))
			if len(page) == 1 {
				f.equal(page[0], list[i+1])
			}
		}
		return err
	})
	return balances
}

func (f *fixture) lines(after int64) (lines []meter.Line) {
	f.Helper()
	f.viewMeter(func(tx meter.ReadTx) (err error) {
		lines, err = tx.LinesAfter(f.ctx, after, 100)
		if err != nil || len(lines) == 0 {
			return err
		}
		first, err := tx.LinesAfter(f.ctx, after, 1)
		f.equal(first, lines[:1])
		return err
	})
	return lines
}

var ledgers = []clause{
	{"lines are returned as written, in order, and balances are the sums of their postings", func(f *fixture) {
		f.viewMeter(func(tx meter.ReadTx) error {
			last, err := tx.LastLine(f.ctx)
			f.ok(err)
			f.equal(last == nil, true)
			balance, err := tx.Balance(f.ctx, "buyer\x00")
			f.equal(balance, 0)
			return err
		})
		lines := []meter.Line{
			f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "buyer", 100)...),
			f.append(meter.LineCharge, "", move("buyer", "seller", 30)...),
			f.append(meter.LineCharge, ""), // without postings
			f.append(meter.LineCharge, "", move("seller", "seller", 5)...),
			f.append(meter.LineSettle, "", append(move(meter.AccountExternal, "seller", 7), move(meter.AccountExternal, meter.AccountSettling, 2)...)...),
		}
		for i := range lines {
			f.equal(f.lines(int64(i)), lines[i:])
		}
		f.equal(len(f.lines(int64(len(lines)))), 0)
		f.viewMeter(func(tx meter.ReadTx) error {
			last, err := tx.LastLine(f.ctx)
			f.equal(last, lines[len(lines)-1])
			return err
		})
		f.equal(f.balances(), map[string]int64{meter.AccountExternal: -109, meter.AccountSettling: 2, "buyer": 70, "seller": 37})
	}},

	{"an update sees the lines and balances that it appended", func(f *fixture) {
		f.updateMeter(func(tx meter.Tx) error {
			appended, err := appendLine(f.ctx, tx, meter.LineTopUp, "r", move(meter.AccountExternal, "a", 5)...)
			f.ok(err)
			last, err := tx.LastLine(f.ctx)
			f.ok(err)
			f.equal(last, appended)
			balance, err := tx.Balance(f.ctx, "a")
			f.equal(balance, 5)
			return err
		})
	}},

	{"a reference has one line of a kind and account, and the transaction can go on", func(f *fixture) {
		first := f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "a", 5)...)
		f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "b", 5)...)
		f.append(meter.LinePayout, "r", move("a", meter.AccountExternal, 1)...)
		f.append(meter.LineCharge, "", move("a", "b", 1)...)
		f.append(meter.LineCharge, "", move("a", "b", 1)...)
		f.updateMeter(func(tx meter.Tx) error {
			_, err := appendLine(f.ctx, tx, meter.LineTopUp, "r", move(meter.AccountExternal, "a", 9)...)
			f.wantError(err, memory.ErrExists)
			got, err := tx.LineOf(f.ctx, meter.LineTopUp, "a", "r")
			f.ok(err)
			f.equal(got, first)
			for _, q := range [][3]string{{"topup", "a", "R"}, {"payout", "b", "r"}, {"topup", "c", "r"}, {"charge", "a", ""}} {
				got, err = tx.LineOf(f.ctx, meter.LineKind(q[0]), q[1], q[2])
				f.ok(err)
				f.equal(got == nil, true)
			}
			_, err = appendLine(f.ctx, tx, meter.LineTopUp, "s", move(meter.AccountExternal, "a", 9)...)
			return err
		})
		f.equal(f.balances()["a"], 5-1-1-1+9)
		f.equal(len(f.lines(0)), 6)
	}},

	{"a line that breaks a rule ends the transaction", func(f *fixture) {
		f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "a", 5)...)
		for name, change := range map[string]func(*meter.Line){
			"a gap":                  func(l *meter.Line) { l.Number++ },
			"a number again":         func(l *meter.Line) { l.Number-- },
			"a sum":                  func(l *meter.Line) { l.Postings[0].Amount++ },
			"a balance below zero":   func(l *meter.Line) { l.Postings = move("a", "b", 6) },
			"settling below zero":    func(l *meter.Line) { l.Postings = move(meter.AccountSettling, "b", 1) },
			"a new one below zero":   func(l *meter.Line) { l.Postings = move("c", "b", 1) },
			"a balance too high":     func(l *meter.Line) { l.Postings = move(meter.AccountExternal, "a", meter.MaxBalance-4) },
			"a posting to no one":    func(l *meter.Line) { l.Postings = move(meter.AccountExternal, "", 1) },
			"a posting out of range": func(l *meter.Line) { l.Postings = move(meter.AccountExternal, "b", meter.MaxBalance+1) },
		} {
			err := f.storage.ForMeter().Update(f.ctx, func(tx meter.Tx) error {
				last, err := tx.LastLine(f.ctx)
				f.ok(err)
				next := line(last, meter.LineCharge, move(meter.AccountExternal, "b", 1)...)
				change(&next)
				if tx.AppendLine(f.ctx, next) == nil {
					f.Errorf("%s: appended", name)
				}
				return nil // the transaction fails nevertheless
			})
			if err == nil {
				f.Errorf("%s: committed", name)
			}
		}
		f.equal(f.balances(), map[string]int64{meter.AccountExternal: -5, "a": 5})
		f.append(meter.LineTopUp, "s", move(meter.AccountExternal, "a", meter.MaxBalance-5)...)
	}},

	{"concurrent appends leave no gap, and balances are the sums", func(f *fixture) {
		ExerciseLedger(f.T, f.storage.ForMeter(), f.storage.ForMeter())
	}},

	{"a failed update appends nothing", func(f *fixture) {
		f.append(meter.LineTopUp, "r", move(meter.AccountExternal, "a", 5)...)
		errStop := fmt.Errorf("stop")
		f.wantError(f.storage.ForMeter().Update(f.ctx, func(tx meter.Tx) error {
			_, err := appendLine(f.ctx, tx, meter.LineTopUp, "s", move(meter.AccountExternal, "a", 5)...)
			f.ok(err)
			f.ok(tx.PutOffer(f.ctx, offer("a")))
			f.ok(tx.PutCharge(f.ctx, charge(offer("a"), "b", start, nil)))
			f.ok(tx.AddCounts(f.ctx, []meter.CountKey{{Store: "a", Buyer: "b", Window: meter.WindowTotal}}, meter.Count{Searches: 1}))
			f.ok(tx.PutClaim(f.ctx, claim("k", "p")))
			return errStop
		}), errStop)
		f.equal(f.balances()["a"], 5)
		f.equal(len(f.lines(0)), 1)
		f.equal(len(f.dumpedMeter(f.storage)), 1)
	}},
}
