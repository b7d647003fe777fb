package payment

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"mneme/meter"
)

// stripe charges shared payment tokens.
type stripe struct {
	api      *remote
	profile  string
	currency string
	cents    rate
	now      func() time.Time
}

// intents is the path of payment intents in the API.
const intents = "/v1/payment_intents"

// intent is a payment intent, Stripe's record of a charge and its outcome.
type intent struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// The statuses of an intent that this package handles. With any other status, nothing is
// charged.
const (
	intentSucceeded  = "succeeded"
	intentProcessing = "processing"
	intentCanceled   = "canceled"
)

// keyKept is how long after the expiry of a challenge its Idempotency-Key is certainly still
// known. Stripe remembers a key for 24 hours from its first use, which is before the expiry.
const keyKept = 24*time.Hour - 2*challengeTTL

var (
	sharedToken = regexp.MustCompile(`^spt_[A-Za-z0-9_]{1,250}$`)
	intentID    = regexp.MustCompile(`^pi_[A-Za-z0-9_]{1,250}$`)
)

func stripeToken(p meter.Payment) string {
	var in struct {
		Payload struct {
			Token string `json:"spt"`
		} `json:"payload"`
	}
	_ = json.Unmarshal(p.Payload, &in) // it was read before
	return in.Payload.Token
}

// request returns the request of a challenge for a price in micros.
func (s *stripe) request(price int64) charge {
	return charge{
		Amount: s.cents.units(price).String(), Currency: s.currency,
		Details: map[string]any{"networkId": s.profile, "paymentMethodTypes": []string{"card", "link"}},
	}
}

// settle charges a shared payment token. The challenge's ID is the Idempotency-Key, so that the
// token is charged only once. begun is the ID of an intent that is still pending; "": not
// known.
func (s *stripe) settle(ctx context.Context, a meter.Accepted, amount *big.Int, again bool) (state meter.SettleState, response json.RawMessage, begun string, err error) {
	made, sent, err := s.intent(ctx, a, amount, again)
	switch {
	case err != nil && !sent:
		return meter.SettleUnsent, nil, "", err
	case err != nil:
		if intentID.MatchString(made.ID) {
			begun = made.ID
		}
		return meter.SettlePending, nil, begun, err
	case made.Status != intentSucceeded:
		return meter.SettleRefused, json.RawMessage(`{}`), "", nil
	}
	response, err = json.Marshal(map[string]string{"reference": transactionOf(made.ID, a.Payment.Nonce)})
	return meter.SettleDone, response, "", err
}

// intent creates the payment intent of a challenge, or reads the one that an earlier call
// created. It returns an error if the intent has no outcome yet.
//
// A repetition with the same Idempotency-Key returns the first response, even if the status of
// the intent has changed since. So intent reads an intent by its ID if that is known. After a
// day, when Stripe has forgotten the key, a repetition would create a second intent, which may
// charge the token again. Then intent searches for the first one.
func (s *stripe) intent(ctx context.Context, a meter.Accepted, amount *big.Int, again bool) (made intent, sent bool, err error) {
	var status int
	switch {
	case a.Begun != "":
		status, sent, err = s.api.call(ctx, http.MethodGet, intents+"/"+a.Begun, nil, nil, &made)
	case again && s.forgotten(a.Payment):
		if a.Begun, sent, err = s.find(ctx, a.Payment.Nonce); a.Begun != "" {
			return s.intent(ctx, a, amount, again)
		}
	default:
		form := url.Values{
			"amount": {amount.String()}, "currency": {s.currency}, "confirm": {"true"},
			"shared_payment_granted_token":       {stripeToken(a.Payment)},
			"automatic_payment_methods[enabled]": {"true"}, "automatic_payment_methods[allow_redirects]": {"never"},
			"metadata[challenge_id]": {a.Payment.Nonce},
		}
		header := http.Header{"Idempotency-Key": {a.Payment.Nonce}}
		status, sent, err = s.api.call(ctx, http.MethodPost, intents, header, form, &made)
		if err == nil && status >= http.StatusMultipleChoices && !unclear(status) {
			return intent{Status: intentCanceled}, sent, nil
		}
	}
	if err == nil && (status >= http.StatusMultipleChoices || made.Status == "" || made.Status == intentProcessing) {
		err = fmt.Errorf("%s: the payment has no outcome yet", s.api.name)
	}
	return made, sent, err
}

// find returns the ID of the intent of a challenge; "" if none is found. If there are several,
// it is the newest one that succeeded or, if none did, the oldest.
func (s *stripe) find(ctx context.Context, challenge string) (id string, sent bool, err error) {
	var found struct {
		Data []intent `json:"data"`
	}
	query := url.Values{"query": {"metadata['challenge_id']:'" + challenge + "'"}}
	_, sent, err = s.api.call(ctx, http.MethodGet, intents+"/search?"+query.Encode(), nil, nil, &found)
	for _, made := range found.Data { // the newest comes first
		if intentID.MatchString(made.ID) {
			id = made.ID
		}
		if made.Status == intentSucceeded {
			break
		}
	}
	return id, sent, err
}

// forgotten reports whether Stripe may have forgotten the payment's Idempotency-Key.
func (s *stripe) forgotten(p meter.Payment) bool {
	var in credential
	_ = json.Unmarshal(p.Payload, &in) // readMPP read it
	expires, err := time.Parse(time.RFC3339, in.Challenge.Expires)
	return err != nil || s.now().After(expires.Add(keyKept))
}
