package storagetest

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/meter"
)

// viewMeter and updateMeter run a transaction of the storage's interface for package meter. It
// must succeed.
func (f *fixture) viewMeter(fn func(tx meter.ReadTx) error) {
	f.Helper()
	f.ok(f.storage.ForMeter().View(f.ctx, fn))
}

func (f *fixture) updateMeter(fn func(tx meter.Tx) error) {
	f.Helper()
	f.ok(f.storage.ForMeter().Update(f.ctx, fn))
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// offer returns an open offer of a store.
func offer(store string, changes ...func(*meter.Offer)) meter.Offer {
	o := meter.Offer{
		ID: newID(), Store: store, Seller: store, Title: "title", Description: "what <it> holds",
		Terms: meter.Terms{PriceSearch: 1000, PriceEntry: 250, FreeSearchesPerDay: 3, NoveltyPercent: 20, MaxHits: 10,
			SearchesPerMinute: 60, SearchesPerDay: 1000, EntriesPerDay: 200, EntriesTotal: 500, GrantTTL: 3600, MaxLabel: acl.Public},
		Caps: meter.OfferCaps{SearchesPerDay: new(int64(5000)), EntriesTotal: new(int64(0))}, Label: acl.Public, State: meter.OfferOpen, Version: 1,
		CreatedAt: start, UpdatedAt: after(time.Second),
	}
	for _, change := range changes {
		change(&o)
	}
	return o
}

func offeredAt(label acl.Label) func(*meter.Offer) { return func(o *meter.Offer) { o.Label = label } }

func withdrawn(o *meter.Offer) { o.State = meter.OfferWithdrawn }

func (f *fixture) putOffers(offers ...meter.Offer) {
	f.Helper()
	f.updateMeter(func(tx meter.Tx) error {
		for _, o := range offers {
			f.ok(tx.PutOffer(f.ctx, o))
		}
		return nil
	})
}

// charge returns a completed charge of 1,000 micros for the search and 250 for each entry.
func charge(o meter.Offer, buyer string, at time.Time, entries []uuid.UUID, changes ...func(*meter.Charge)) meter.Charge {
	c := meter.Charge{
		ID: newID(), Store: o.Store, Offer: o.ID, Label: o.Label, Buyer: buyer, Seller: o.Seller,
		Amount: 1000 + 250*int64(len(entries)), Search: 1000, Hits: len(entries) + 1, Entries: entries, At: at, State: meter.ChargeDone, Receipt: "a.b.c",
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func in(state meter.ChargeState) func(*meter.Charge) {
	return func(c *meter.Charge) { c.State = state }
}

func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// boughtWith returns the records of the entries bought with a charge. The digest of each is that
// of its ID.
func boughtWith(c meter.Charge) (bought []meter.Bought) {
	for _, id := range c.Entries {
		bought = append(bought, meter.Bought{Store: c.Store, Buyer: c.Buyer, Entry: id, Digest: digest(id.String()), Charge: c.ID})
	}
	return bought
}

// line returns the ledger line that follows last, with postings.
func line(last *meter.Line, kind meter.LineKind, postings ...meter.Posting) meter.Line {
	next := meter.Line{Number: 1, At: start, Kind: kind, Postings: postings}
	if last != nil {
		next.Number, next.Previous = last.Number+1, last.Hash
	}
	next.Hash = sha256.Sum256(append(next.Previous[:], byte(next.Number)))
	return next
}

// move returns postings that move an amount from an account to another.
func move(from, to string, amount int64) []meter.Posting {
	return []meter.Posting{{Account: from, Amount: -amount}, {Account: to, Amount: amount}}
}

// appendLine appends a line that moves an amount, under the lock of the ledger.
func appendLine(ctx context.Context, tx meter.Tx, kind meter.LineKind, reference string, postings ...meter.Posting) (meter.Line, error) {
	if err := tx.Lock(ctx, "ledger"); err != nil {
		return meter.Line{}, err
	}
	last, err := tx.LastLine(ctx)
	if err != nil {
		return meter.Line{}, err
	}
	next := line(last, kind, postings...)
	next.Reference = reference
	return next, tx.AppendLine(ctx, next)
}

// claim returns an open claim of an Idempotency-Key and a payment.
func claim(key, payment string, changes ...func(*meter.Claim)) meter.Claim {
	c := meter.Claim{
		ID: newID(), Key: memory.IdempotencyKey{Agent: "buyer", Taint: acl.Internal, Operation: "search", Path: "p", Key: key}, Payment: payment,
		Digest: "d", State: meter.ClaimOpen, Fence: 1, HeldUntil: after(time.Minute), ExpiresAt: after(time.Hour),
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}
