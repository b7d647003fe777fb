package meter_test

import (
	"context"
	"errors"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage"
)

func TestNoAgentHasTheNameOfAHolderAbovePublic(t *testing.T) {
	for label := acl.Public; label <= acl.Restricted; label++ {
		holder := meter.Holder("alice", label)
		if agent, of := meter.SplitHolder(holder); agent != "alice" || of != label {
			t.Errorf("%s is of %s at %s", holder, agent, of)
		}
		if err := acl.CheckID(holder); (err == nil) != (label == acl.Public) {
			t.Errorf("%s: %v", holder, err)
		}
	}
}

// Sessions at a label have an account, caps and purchases of their own, and know the purchases
// of sessions at lower labels. Those do not see theirs.
func TestMoneyCapsAndPurchasesAreByLabel(t *testing.T) {
	onBothStorages(t, func(t *testing.T, open func() storage.Storage) {
		p := openProcess(t, open())
		terms := priced(100, 10)
		terms.EntriesTotal = new(int64(3))
		offer := p.sell("shop", terms, meter.OfferCaps{EntriesTotal: new(int64(4))})
		goods := entries("shop", 4)
		top := func(agent string, label acl.Label) {
			c := platform
			c.Taint = label
			account, err := p.market.TopUp(context.Background(), c, agent, 1000, "r")
			p.must(err)
			if account.Balance != 1000 {
				t.Errorf("%s at %s has %d", agent, label, account.Balance)
			}
		}
		balance := func(agent string, label acl.Label) int64 {
			account, err := p.market.Account(context.Background(), as(agent, label))
			p.must(err)
			return account.Balance
		}
		at := func(label acl.Label, found ...memory.Entry) buying {
			b := p.of(offer, "buyer", found...)
			b.taint = label
			return b
		}
		top("buyer", acl.Public)
		if _, err := p.buy(at(acl.Restricted, goods[0])); !isPaymentError(err) {
			t.Errorf("from the account of PUBLIC sessions: %v", err)
		}
		top("buyer", acl.Restricted)
		checkCharge(t, p.mustBuy(at(acl.Public, goods[0])), 110, 100, 1, 1)
		above := p.mustBuy(at(acl.Restricted, goods...)) // the cap counts purchases at lower labels
		checkCharge(t, above, 120, 100, 2, 3)
		if of, seller := balance("buyer", acl.Public), balance("shop", acl.Public); of != 890 || seller != 110 {
			t.Errorf("at PUBLIC the buyer has %d, the seller %d", of, seller)
		}
		if of, seller := balance("buyer", acl.Restricted), balance("shop", acl.Restricted); of != 880 || seller != 120 {
			t.Errorf("at RESTRICTED the buyer has %d, the seller %d", of, seller)
		}
		// At PUBLIC, neither the buyer's caps nor the offer's are spent, and entries bought at
		// RESTRICTED count as new.
		checkCharge(t, p.mustBuy(at(acl.Public, goods[1:]...)), 120, 100, 2, 2)
		charge := above.bill.Charges[0].ID
		for label, status := range map[acl.Label]int{acl.Public: 404, acl.Internal: 404, acl.Restricted: 200} {
			_, err := p.market.Refund(context.Background(), as("shop", label), charge, nil)
			if statusOf(err) != status {
				t.Errorf("refunded at %s: %v", label, err)
			}
		}
		if of, below := balance("buyer", acl.Restricted), balance("buyer", acl.Public); of != 1000 || below != 770 {
			t.Errorf("after the refund the buyer has %d at RESTRICTED and %d at PUBLIC", of, below)
		}
		c := platform
		c.Taint = acl.Restricted
		_, err := p.market.PayOut(context.Background(), c, "buyer", 1000, "r")
		p.must(err)
		for label, charges := range map[acl.Label]int{acl.Public: 2, acl.Restricted: 3} {
			usage, err := p.market.Usage(context.Background(), as("buyer", label), 10, "")
			p.must(err)
			if len(usage.Items) != charges {
				t.Errorf("%d charges at %s", len(usage.Items), label)
			}
		}
		p.verify()
	})
}

func isPaymentError(err error) bool {
	var unpaid *search.PaymentError
	return errors.As(err, &unpaid)
}
