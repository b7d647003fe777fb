package payment

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/meter"
)

// The scheme of Robutler's credits.
const (
	schemeCredits   = "robutler-credits"
	creditsNetwork  = "robutler:1"
	creditsAsset    = "credits"
	creditsPayTo    = "robutler"
	creditsPayer    = "credits"
	creditsDecimals = 9
	creditsTimeout  = 300 * time.Second
	// nanoPerMicro converts millionths of a credit to billionths.
	nanoPerMicro = 1000
)

// creditsNonce matches a nonce: a UUID, the time at which the nonce expires, in seconds since
// 1970, and an HMAC. No nonce can be written in two ways: the nonce identifies the payment, and
// the platform settles one payment for each UUID.
var creditsNonce = regexp.MustCompile(`^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.([1-9][0-9]{0,11})\.([0-9a-f]{32})$`)

// credits accepts payments in Robutler's credits and settles them with Robutler's platform.
type credits struct {
	platform *remote
	secret   []byte
	now      func() time.Time
}

// requirement returns the requirement of a payment for price, in micros. nonce is the nonce of
// the client's payment, if there is one already; "": a new one.
func (c *credits) requirement(of meter.Resource, price int64, nonce string) requirement {
	amount := nanocredits(price)
	if nonce == "" {
		expires := c.now().Add(creditsTimeout).Unix()
		id := uuid.New().String()
		nonce = id + "." + strconv.FormatInt(expires, 10) + "." + c.mac(of, amount, id, expires)
	}
	return requirement{
		Scheme: schemeCredits, Network: creditsNetwork, Amount: amount, Asset: creditsAsset, PayTo: creditsPayTo,
		MaxTimeoutSeconds: int(creditsTimeout.Seconds()),
		Extra:             map[string]any{"nonce": nonce, "decimals": creditsDecimals, "tokenType": "jwt", "platform": c.platform.base},
	}
}

// nanocredits returns an amount of micros in nanocredits.
func nanocredits(micros int64) string {
	return new(big.Int).Mul(big.NewInt(micros), big.NewInt(nanoPerMicro)).String()
}

// mac returns the HMAC of a nonce. It binds the nonce to the call and its price.
func (c *credits) mac(of meter.Resource, amount, id string, expires int64) string {
	h := hmac.New(sha256.New, c.secret)
	h.Write([]byte(strings.Join([]string{
		of.URL, amount, id, strconv.FormatInt(expires, 10), of.Method, of.Path, of.Query, of.Body,
	}, "|")))
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// check returns a PaymentRefusal if this service did not create the nonce, or if the nonce is
// for another call or price, or has expired.
func (c *credits) check(of meter.Resource, price int64, nonce string) error {
	parts := creditsNonce.FindStringSubmatch(nonce)
	if parts == nil {
		return &meter.PaymentRefusal{Reason: "nonce_malformed"}
	}
	expires, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || !hmac.Equal([]byte(c.mac(of, nanocredits(price), parts[1], expires)), []byte(parts[3])) {
		return &meter.PaymentRefusal{Reason: "nonce_not_ours"}
	}
	if c.now().Unix() > expires {
		return &meter.PaymentRefusal{Reason: "nonce_expired"}
	}
	return nil
}

// tokenOf returns the token in the payload of a payment in credits.
func tokenOf(p meter.Payment) string {
	var in struct {
		Payload struct {
			Token string `json:"token"`
		} `json:"payload"`
	}
	_ = json.Unmarshal(p.Payload, &in) // identify read it
	return strings.TrimSpace(in.Payload.Token)
}

// verify asks the platform whether the token is valid and its balance covers covers, in micros.
// It returns a PaymentRefusal if not.
func (c *credits) verify(ctx context.Context, token string, covers int64) error {
	var out struct {
		Valid   *bool        `json:"valid"`
		Error   string       `json:"error"`
		Credits *json.Number `json:"balanceCredits"`
		Dollars *json.Number `json:"balanceDollars"`
	}
	status, _, err := c.platform.call(ctx, http.MethodPost, "/api/payments/verify", nil, map[string]string{"token": token}, &out)
	switch {
	case err != nil:
		return err
	case unclear(status):
		return fmt.Errorf("%s: status %d", c.platform.name, status)
	case out.Valid == nil || !*out.Valid:
		return &meter.PaymentRefusal{Reason: reasonOf(out.Error, "token_invalid")}
	}
	balance := out.Credits
	if balance == nil {
		balance = out.Dollars
	}
	if balance != nil {
		has, ok := new(big.Rat).SetString(balance.String())
		if !ok || has.Cmp(big.NewRat(covers, meter.MicrosPerCredit)) < 0 {
			return &meter.PaymentRefusal{Reason: "insufficient_funds"}
		}
	}
	return nil
}

// settle charges the token an amount in micros. The UUID of the nonce is the idempotency key,
// so that a repetition charges nothing.
func (c *credits) settle(ctx context.Context, token, nonce string, amount int64, of meter.Resource) (meter.SettleState, json.RawMessage, error) {
	id, _, _ := strings.Cut(nonce, ".")
	key := "settle:x402:" + id
	in := map[string]any{
		"token": token, "amount": json.Number(big.NewRat(amount, meter.MicrosPerCredit).FloatString(6)),
		"idempotencyKey": key, "description": of.Description, "resource": of.URL,
	}
	var out struct {
		Success *bool  `json:"success"`
		Partial bool   `json:"partial"` // only a part of the amount was charged
		Error   string `json:"error"`
		ID      string `json:"transactionId"`
	}
	status, sent, err := c.platform.call(ctx, http.MethodPost, "/api/payments/settle", http.Header{"Idempotency-Key": {key}}, in, &out)
	if err != nil && !sent {
		return meter.SettleUnsent, nil, err
	}
	if err != nil || unclear(status) {
		return meter.SettlePending, nil, fmt.Errorf("%s: the settlement has no outcome yet", c.platform.name)
	}
	if status < http.StatusMultipleChoices && out.Success == nil {
		return meter.SettlePending, nil, fmt.Errorf("%s: status %d without an outcome", c.platform.name, status)
	}
	if status < http.StatusMultipleChoices && *out.Success && out.Partial {
		// Not a refusal: that would reverse our charge although the platform took part of the
		// amount. The charge stays pending until the platform has charged the rest, or an
		// operator ends it.
		return meter.SettlePending, nil, fmt.Errorf("%s: a part of the amount was charged", c.platform.name)
	}
	failed := status >= http.StatusMultipleChoices || !*out.Success
	answer := map[string]any{"success": !failed, "transaction": transactionOf(out.ID, key), "network": creditsNetwork, "payer": ""}
	state := meter.SettleDone
	if failed {
		state = meter.SettleRefused
		answer["errorReason"], answer["transaction"] = reasonOf(out.Error, "settlement_failed"), ""
	} else {
		answer["amount"] = nanocredits(amount)
	}
	response, err := json.Marshal(answer)
	return state, response, err
}

var transactionID = regexp.MustCompile(`^[A-Za-z0-9:._-]{1,128}$`)

func transactionOf(id, otherwise string) string {
	if transactionID.MatchString(id) {
		return id
	}
	return otherwise
}
