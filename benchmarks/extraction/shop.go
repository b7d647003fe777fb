package extraction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/benchmarks/harness"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/lexical"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
)

const (
	seller   = "seller"
	operator = "operator"
	// funds is the balance of each buyer, in micros: more than any run spends.
	funds = meter.MaxAmount
)

// clock is simulated, so that days pass instantly.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// shop is a store for sale.
type shop struct {
	sandbox  *harness.Sandbox
	instance *compose.Instance
	clock    *clock
	buyers   int
}

// openShop imports a source in a sandbox. Close it after use.
func openShop(ctx context.Context, config configs.Config, source Source, progress harness.Progress, log *slog.Logger) (s *shop, err error) {
	models, err := compose.OpenModels(config, log)
	if err != nil {
		return nil, err
	}
	s = &shop{clock: &clock{now: time.Now().UTC().Truncate(24 * time.Hour)}}
	if s.sandbox, err = harness.NewSandbox(ctx, config, compose.Embedders{Main: models.Main[0].Embedder}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	if s.instance, err = compose.OpenAt(ctx, s.sandbox.Config, log, models, s.clock.Now); err != nil {
		return nil, err
	}
	entries := make([]memory.PutRequest, len(source.Texts))
	for i, text := range source.Texts {
		entries[i] = harness.NewText(seller, fmt.Sprintf("entry-%05d", i), text)
	}
	bar := progress.Start(int64(len(entries)), source.Name)
	err = harness.Write(ctx, s.instance.Service, entries, bar)
	_ = bar.Exit() // failing to draw the bar is no reason to stop
	if err == nil {
		err = harness.MakeVectors(ctx, s.instance, progress, "vectors")
	}
	return s, err
}

func (s *shop) close(ctx context.Context) error {
	var err error
	if s.instance != nil {
		err = s.instance.Close()
	}
	return errors.Join(err, s.sandbox.Remove(context.WithoutCancel(ctx)))
}

// offer makes an offer that replaces any earlier one.
func (s *shop) offer(ctx context.Context, terms meter.TermsRequest) (uuid.UUID, error) {
	market := s.instance.Market
	offers, err := market.OffersOn(ctx, harness.Caller(seller), seller)
	if err != nil {
		return uuid.Nil, err
	}
	for _, offer := range offers {
		if offer.State == meter.OfferOpen {
			if err := market.WithdrawOffer(ctx, harness.Caller(seller), offer.ID, memory.Preconditions{}); err != nil {
				return uuid.Nil, err
			}
		}
	}
	title, description := "memories", ""
	offer, err := market.MakeOffer(ctx, harness.Caller(seller), seller, meter.OfferRequest{Title: &title, Description: &description, Terms: terms}, nil)
	return offer.ID, err
}

// buyer searches the store under an offer that it has accepted.
type buyer struct {
	*shop
	caller memory.Caller
	offer  uuid.UUID
}

// newBuyer returns a buyer without history.
func (s *shop) newBuyer(ctx context.Context, offer uuid.UUID) (*buyer, error) {
	s.buyers++
	b := &buyer{shop: s, caller: harness.Caller(fmt.Sprintf("buyer-%d", s.buyers)), offer: offer}
	if err := s.instance.RegisterCaller(ctx, b.caller.Principal); err != nil {
		return nil, err
	}
	platform := memory.Caller{Principal: acl.Principal{Agent: operator, Taint: acl.Public, Platform: true}}
	if _, err := s.instance.Market.TopUp(ctx, platform, b.caller.Agent, funds, "funds"); err != nil {
		return nil, err
	}
	_, err := s.instance.Market.Accept(ctx, b.caller, offer, memory.Preconditions{}, nil)
	return b, err
}

// bought is the result of one paid search.
type bought struct {
	hits []found
	cost int64 // micros
}

// found is an entry that a search showed.
type found struct{ key, text string }

// ask buys a search. The error is a search.CapError if a cap is spent.
func (b *buyer) ask(ctx context.Context, question string) (bought, error) {
	answer, err := b.instance.Market.Search(ctx, b.caller, meter.SearchRequest{
		Request: search.Request{Query: question, Limit: meter.MaxHits}, Offer: b.offer,
	})
	if err != nil {
		return bought{}, err
	}
	var result bought
	for _, charge := range answer.Bill.Charges {
		result.cost += charge.Amount
	}
	err = answer.Answer.Values().Each(ctx, func(h *search.Hit) error {
		result.hits = append(result.hits, found{h.Key, lexical.TextOf(h.Value)})
		return nil
	})
	return result, err
}

// spentForGood reports whether an error is a cap that never renews.
func spentForGood(err error) bool {
	var spent *search.CapError
	return errors.As(err, &spent) && spent.Cap == "entries_total"
}
