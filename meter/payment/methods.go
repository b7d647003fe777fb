package payment

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"mneme/meter"
)

// The schemes of x402 on EVM networks.
const (
	SchemeExact = "exact" // a fixed amount
	SchemeUpto  = "upto"  // at most an amount
)

// Options configure Methods. If X402, Credits and MPP are nil, no payment is accepted.
type Options struct {
	X402    *X402
	Credits *Credits
	MPP     *MPP
	// Secret is the key of the HMACs in nonces and challenges. All processes of a service must
	// have the same.
	Secret []byte
	Now    func() time.Time // nil: time.Now
	Client *http.Client     // nil: the default one
}

// X402 configures payments by x402 in an asset on an EVM network.
type X402 struct {
	Facilitator string // URL
	Token       string // bearer token for the facilitator; "": none
	Schemes     []string
	Network     string // CAIP-2
	Asset       string // address
	Decimals    int
	PerCredit   string // amount of the asset for one credit, a decimal number
	PayTo       string // address
	Name        string // of the asset, as in its signatures (EIP-712)
	Version     string
	MaxTimeout  time.Duration // from the 402 until the payment is settled
}

// Credits are Robutler's.
type Credits struct {
	Platform string // URL
	Token    string // Bearer for the platform
}

// MPP configures payments by the Machine Payments Protocol: by card if Stripe is set, and in
// credits if Options.Credits is set.
type MPP struct {
	Realm  string
	Stripe *Stripe
}

// Stripe takes shared payment tokens.
type Stripe struct {
	URL       string // of the API
	Key       string
	Profile   string // for which shared payment tokens are made
	Currency  string // lower case
	PerCredit string // amount of the currency for one credit, a decimal number
}

// Methods are the configured payment methods. It implements meter.Gateway. A nil *Methods has
// no methods.
type Methods struct {
	x402        *X402
	facilitator facilitator
	rate        rate
	credits     *credits
	mpp         *mpp

	mu    sync.Mutex
	extra map[string]map[string]any // what the facilitator adds to extra, by scheme; nil: unknown
}

var (
	network    = regexp.MustCompile(`^eip155:[1-9][0-9]{0,17}$`)
	anyAddress = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
)

// New returns the configured methods. An error names the invalid field.
func New(o Options) (*Methods, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Methods{}
	if x := o.X402; x != nil {
		if err := x.check(); err != nil {
			return nil, err
		}
		own := *x
		m.x402 = &own
		var err error
		if m.rate, err = newRate(x.PerCredit, x.Decimals); err != nil {
			return nil, fmt.Errorf("x402.per_credit: %w", err)
		}
		remote, err := newRemote("facilitator", x.Facilitator, x.Token, o.Client)
		if err != nil {
			return nil, fmt.Errorf("x402.facilitator: %w", err)
		}
		m.facilitator = facilitator{remote}
	}
	if (o.Credits != nil || o.MPP != nil) && len(o.Secret) < 32 {
		return nil, fmt.Errorf("the secret of nonces must have 32 bytes")
	}
	if c := o.Credits; c != nil {
		platform, err := newRemote("credits platform", c.Platform, c.Token, o.Client)
		if err != nil {
			return nil, fmt.Errorf("credits.platform: %w", err)
		}
		m.credits = &credits{platform: platform, secret: o.Secret, now: o.Now}
	}
	if p := o.MPP; p != nil {
		if p.Realm == "" || strings.ContainsAny(p.Realm, "\"\\\r\n|") {
			return nil, fmt.Errorf("mpp.realm must be the service's host")
		}
		m.mpp = &mpp{realm: p.Realm, secret: o.Secret, now: o.Now}
		if s := p.Stripe; s != nil {
			cents, err := newRate(s.PerCredit, 2)
			if err != nil {
				return nil, fmt.Errorf("mpp.stripe.per_credit: %w", err)
			}
			api, err := newRemote("card processor", s.URL, s.Key, o.Client)
			if err != nil {
				return nil, fmt.Errorf("mpp.stripe.url: %w", err)
			}
			if s.Key == "" || s.Profile == "" || s.Currency == "" {
				return nil, fmt.Errorf("mpp.stripe needs key, profile and currency")
			}
			m.mpp.stripe = &stripe{api: api, profile: s.Profile, currency: s.Currency, cents: cents, now: o.Now}
		}
	}
	return m, nil
}

func (x *X402) check() error {
	switch {
	case !network.MatchString(x.Network):
		return fmt.Errorf("x402.network must be an EVM network, such as eip155:8453")
	case !anyAddress.MatchString(x.Asset):
		return fmt.Errorf("x402.asset must be an address")
	case !anyAddress.MatchString(x.PayTo):
		return fmt.Errorf("x402.pay_to must be an address")
	case x.MaxTimeout < 10*time.Second || x.MaxTimeout > time.Hour:
		return fmt.Errorf("x402.max_timeout must be 10s to 1h")
	case len(x.Schemes) == 0 || slices.ContainsFunc(x.Schemes, func(s string) bool { return s != SchemeExact && s != SchemeUpto }):
		return fmt.Errorf("x402.schemes must be any of exact, upto")
	}
	return nil
}

// Refresh asks the facilitator which schemes it supports. Before its first answer, scheme upto
// is not offered: payments of this scheme name the facilitator's address, which only the answer
// has.
func (m *Methods) Refresh(ctx context.Context) error {
	if m == nil || m.x402 == nil {
		return nil
	}
	found, err := m.facilitator.supported(ctx, m.x402.Network)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.extra = found
	for _, scheme := range m.x402.Schemes {
		if _, ok := found[scheme]; !ok {
			return fmt.Errorf("the facilitator does not settle scheme %s on %s", scheme, m.x402.Network)
		}
	}
	return nil
}

// How long Run waits before it calls Refresh again: after a failure, and after a success.
const (
	refreshSoon = 10 * time.Second
	refreshLate = time.Hour
)

// Run calls Refresh regularly until ctx is done, and passes its errors to failed.
func (m *Methods) Run(ctx context.Context, failed func(error)) {
	if m == nil || m.x402 == nil {
		return
	}
	for {
		wait := refreshLate
		if err := m.Refresh(ctx); err != nil && ctx.Err() == nil {
			failed(err)
			wait = refreshSoon
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// requirements returns the requirements of a call, in the order of preference: the payments in
// x402, each of which would pay for it. price is in micros. nonce is the nonce of the client's
// payment in credits, so that this payment can be compared with its requirement; "": a new
// nonce.
func (m *Methods) requirements(of meter.Resource, price int64, nonce string) []requirement {
	if m == nil {
		return nil
	}
	var all []requirement
	if x := m.x402; x != nil {
		m.mu.Lock()
		known := m.extra
		m.mu.Unlock()
		for _, scheme := range x.Schemes {
			theirs, ok := known[scheme]
			if !ok && (known != nil || scheme == SchemeUpto) {
				continue
			}
			extra := map[string]any{"name": x.Name, "version": x.Version}
			if scheme == SchemeUpto {
				extra["assetTransferMethod"] = "permit2"
			}
			for name, value := range theirs {
				extra[name] = value
			}
			all = append(all, requirement{
				Scheme: scheme, Network: x.Network, Amount: m.rate.units(price).String(), Asset: x.Asset, PayTo: x.PayTo,
				MaxTimeoutSeconds: int(x.MaxTimeout.Seconds()), Extra: extra,
			})
		}
	}
	if m.credits != nil {
		all = append(all, m.credits.requirement(of, price, nonce))
	}
	return all
}

// Accept implements meter.Gateway.
func (m *Methods) Accept(p *meter.Payment, price int64) (meter.Accepted, error) {
	if m == nil {
		return meter.Accepted{}, &meter.PaymentRefusal{Reason: "unsupported_scheme"}
	}
	a := meter.Accepted{Payment: *p, Covers: price}
	if p.Wire == WireMPP {
		return m.acceptMPP(a)
	}
	var in struct {
		Accepted json.RawMessage `json:"accepted"`
	}
	if err := json.Unmarshal(p.Payload, &in); err != nil {
		return meter.Accepted{}, &meter.PaymentRefusal{Reason: "invalid_payload"}
	}
	for _, r := range m.requirements(p.Resource, price, p.Nonce) {
		if r.Scheme != p.Scheme || r.Network != p.Network || p.Wire == WireX402 && !r.matches(in.Accepted) {
			continue
		}
		if r.Scheme == schemeCredits {
			if err := m.credits.check(p.Resource, price, p.Nonce); err != nil {
				return meter.Accepted{}, err
			}
		}
		a.Fixed, a.Verified = r.Scheme == SchemeExact, r.Scheme != schemeCredits
		if a.Fixed && !movesExactly(p.Payload, r.Amount) {
			return meter.Accepted{}, &meter.PaymentRefusal{Reason: "invalid_exact_evm_payload_authorization_value"}
		}
		var err error
		if p.Wire == WireX402V1 {
			a.Requirement, err = json.Marshal(r.v1(p.Resource))
		} else {
			a.Requirement, err = json.Marshal(r)
		}
		return a, err
	}
	return meter.Accepted{}, &meter.PaymentRefusal{Reason: "invalid_payment_requirements"}
}

// movesExactly reports whether a payment of scheme exact was signed for exactly amount, in the
// asset's smallest units. The whole signed amount is moved, but a facilitator may accept more
// than the requirement asks for, and a payment of version 1 does not name the price that it was
// signed for. So if the price has fallen since, only this check keeps the buyer from paying
// more.
func movesExactly(payload json.RawMessage, amount string) bool {
	var in struct {
		Payload struct { // it has one of the two: identify read it
			Authorization struct {
				Value string `json:"value"`
			} `json:"authorization"`
			Permit2 struct {
				Permitted struct {
					Amount string `json:"amount"`
				} `json:"permitted"`
			} `json:"permit2Authorization"`
		} `json:"payload"`
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return false
	}
	signed, ok := number(in.Payload.Authorization.Value + in.Payload.Permit2.Permitted.Amount)
	return ok && signed.String() == amount
}

func (m *Methods) acceptMPP(a meter.Accepted) (meter.Accepted, error) {
	refused := &meter.PaymentRefusal{Reason: "method_unsupported"}
	if m.mpp == nil {
		return meter.Accepted{}, refused
	}
	request, err := m.mpp.check(&a.Payment)
	if err != nil {
		return meter.Accepted{}, err
	}
	var asked charge
	switch {
	case a.Payment.Scheme == schemeCredits && m.credits != nil:
		if err := m.credits.check(a.Payment.Resource, a.Covers, a.Payment.Nonce); err != nil {
			return meter.Accepted{}, err
		}
		asked = charge{Amount: nanocredits(a.Covers), Currency: creditsAsset}
	case a.Payment.Scheme == schemeStripe && m.mpp.stripe != nil:
		asked, a.Fixed = m.mpp.stripe.request(a.Covers), true
	default:
		return meter.Accepted{}, refused
	}
	if request.Amount != asked.Amount || request.Currency != asked.Currency {
		return meter.Accepted{}, &meter.PaymentRefusal{Reason: "payment_insufficient"}
	}
	a.Requirement, err = json.Marshal(asked)
	return a, err
}

// Verify implements meter.Gateway.
func (m *Methods) Verify(ctx context.Context, a meter.Accepted) error {
	switch a.Payment.Scheme {
	case schemeCredits:
		if m.credits != nil {
			return m.credits.verify(ctx, tokenOf(a.Payment), a.Covers)
		}
	case schemeStripe:
		return nil // the API has no call that verifies without charging
	default:
		if m.x402 != nil {
			return m.facilitator.verify(ctx, facilitated{versionOf(a.Payment), a.Payment.Payload, a.Requirement}, a.Payment.Payer)
		}
	}
	return &meter.PaymentRefusal{Reason: "unsupported_scheme"}
}

// Settle implements meter.Gateway. It sends the nonce instead of the ID: every scheme settles a
// nonce only once.
func (m *Methods) Settle(ctx context.Context, a meter.Accepted, _ uuid.UUID, amount int64, again bool) (s meter.Settled, err error) {
	s.Wire, s.State = a.Payment.Wire, meter.SettleUnsent
	p := a.Payment
	switch {
	case amount < 0 || amount > a.Covers:
		return s, fmt.Errorf("a settlement above what the payment covers")
	case p.Scheme == schemeCredits && m.credits != nil:
		if amount == 0 { // there is nothing to charge
			s.State = meter.SettleDone
			s.Response, err = json.Marshal(map[string]any{"success": true, "transaction": "", "network": creditsNetwork, "payer": "", "amount": "0"})
			return s, err
		}
		s.State, s.Response, err = m.credits.settle(ctx, tokenOf(p), p.Nonce, amount, p.Resource)
	case p.Scheme == schemeStripe && m.mpp != nil && m.mpp.stripe != nil:
		var asked charge
		if err := json.Unmarshal(a.Requirement, &asked); err != nil {
			return s, err
		}
		cents, ok := new(big.Int).SetString(asked.Amount, 10)
		if !ok {
			return s, fmt.Errorf("the amount of a challenge is no number")
		}
		s.State, s.Response, s.Begun, err = m.mpp.stripe.settle(ctx, a, cents, again)
	case p.Scheme != schemeStripe && p.Scheme != schemeCredits && m.x402 != nil:
		required := a.Requirement
		if !a.Fixed {
			if required, err = withAmount(required, m.rate.units(amount).String()); err != nil {
				return s, err
			}
		}
		s.State, s.Response, err = m.facilitator.settle(ctx, facilitated{versionOf(p), p.Payload, required}, again)
	default:
		return s, fmt.Errorf("the method of a payment is no longer configured")
	}
	return s, err
}

func versionOf(p meter.Payment) int {
	if p.Wire == WireX402V1 {
		return 1
	}
	return 2
}

// withAmount returns a requirement, in the JSON of version 1 or 2, with another amount.
func withAmount(text json.RawMessage, amount string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for _, name := range []string{"amount", "maxAmountRequired"} {
		if _, ok := members[name]; ok {
			members[name] = json.RawMessage(`"` + amount + `"`)
		}
	}
	return json.Marshal(members)
}
