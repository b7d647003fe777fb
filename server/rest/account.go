package rest

import (
	"context"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// GetAccount reads the caller's account.
func (s *Surface) GetAccount(ctx context.Context, _ api.GetAccountRequestObject) (api.GetAccountResponseObject, error) {
	account, err := s.market.Account(ctx, caller(ctx))
	if err != nil {
		return nil, err
	}
	return api.GetAccount200JSONResponse(accountOf(account)), nil
}

// TopUpAccount adds money to an account.
func (s *Surface) TopUpAccount(ctx context.Context, r api.TopUpAccountRequestObject) (api.TopUpAccountResponseObject, error) {
	account, err := transfer(ctx, r.Agent, *r.Body, s.market.TopUp)
	return api.TopUpAccount200JSONResponse(account), err
}

// PayOutAccount withdraws money from an account.
func (s *Surface) PayOutAccount(ctx context.Context, r api.PayOutAccountRequestObject) (api.PayOutAccountResponseObject, error) {
	account, err := transfer(ctx, r.Agent, *r.Body, s.market.PayOut)
	return api.PayOutAccount200JSONResponse(account), err
}

// transfer moves money into or out of an account by calling move.
func transfer(ctx context.Context, agent string, body api.Transfer,
	move func(ctx context.Context, c memory.Caller, agent string, amount int64, reference string) (meter.Account, error),
) (api.Account, error) {
	if err := checkID("agent", agent); err != nil {
		return api.Account{}, err
	}
	account, err := move(ctx, caller(ctx), agent, body.Amount, body.Reference)
	return accountOf(account), err
}

func accountOf(a meter.Account) api.Account {
	return api.Account{Agent: a.Agent, Balance: a.Balance, Currency: a.Currency}
}

// ListUsage lists the caller's charges.
func (s *Surface) ListUsage(ctx context.Context, r api.ListUsageRequestObject) (api.ListUsageResponseObject, error) {
	page, err := s.market.Usage(ctx, caller(ctx), or(r.Params.Limit, wire.DefaultPage), or(r.Params.Cursor, ""))
	if err != nil {
		return nil, err
	}
	out := api.Usage{Items: make([]api.UsedCharge, len(page.Items))}
	for i, used := range page.Items {
		out.Items[i] = usedOf(used)
	}
	if page.Next != "" {
		out.NextCursor = &page.Next
	}
	return api.ListUsage200JSONResponse(out), nil
}

func usedOf(u meter.Used) api.UsedCharge {
	keys := make(map[string]string, len(u.Keys))
	for id, key := range u.Keys {
		keys[id.String()] = key
	}
	return api.UsedCharge{
		Id: u.ID, StoreId: u.Store, Offer: u.Offer, Seller: u.Seller, Amount: u.Amount, Search: u.Search, Hits: u.Hits,
		Entries: idsOf(u.Entries), Keys: keys, Receipt: u.Receipt, At: u.At.UTC(), State: api.ChargeState(u.State),
	}
}

// idsOf returns ids, or an empty list for nil, so that answers never contain
// null.
func idsOf(ids []uuid.UUID) []uuid.UUID {
	if ids == nil {
		return []uuid.UUID{}
	}
	return ids
}

// RefundCharge refunds a charge to its buyer.
func (s *Surface) RefundCharge(ctx context.Context, r api.RefundChargeRequestObject) (api.RefundChargeResponseObject, error) {
	replay, err := s.replay(r.Params.IdempotencyKey, "POST /v1/charges/{charge}/refund", []string{r.Charge.String()}, nil)
	if err != nil {
		return nil, err
	}
	charge, err := s.market.Refund(ctx, caller(ctx), r.Charge, replay)
	if err != nil {
		return nil, err
	}
	return api.RefundCharge200JSONResponse{
		Id: charge.ID, StoreId: charge.Store, Offer: charge.Offer, Buyer: charge.Buyer,
		Amount: charge.Amount, At: charge.At.UTC(), State: api.ChargeState(charge.State),
	}, nil
}
