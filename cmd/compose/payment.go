package compose

import (
	"fmt"
	"time"

	"mneme/configs"
	"mneme/meter/payment"
)

// settleWithin is the time within which a payment by x402 has to be settled.
const settleWithin = 5 * time.Minute

// NewPayments returns the configured ways to pay with a request; nil if there are
// none. An invalid configuration is a *ConfigError.
func NewPayments(config configs.Meter) (*payment.Methods, error) {
	options := payment.Options{Secret: []byte(config.Secret)}
	if x := config.X402; x.Facilitator != "" {
		options.X402 = &payment.X402{
			Facilitator: x.Facilitator, Token: string(x.Token), Schemes: []string{payment.SchemeUpto, payment.SchemeExact}, Network: x.Network, Asset: x.Asset,
			Decimals: x.Decimals, PerCredit: x.PerCredit, PayTo: x.PayTo, Name: x.Name, Version: x.Version, MaxTimeout: settleWithin,
		}
	}
	if c := config.Credits; c.Platform != "" {
		options.Credits = &payment.Credits{Platform: c.Platform, Token: string(c.Token)}
	}
	if m := config.MPP; m.Realm != "" {
		options.MPP = &payment.MPP{Realm: m.Realm}
		if s := m.Stripe; s.Key != "" {
			options.MPP.Stripe = &payment.Stripe{
				URL: s.URL, Key: string(s.Key), Profile: s.Profile, Currency: s.Currency, PerCredit: s.PerCredit,
			}
		}
	}
	if options.X402 == nil && options.Credits == nil && options.MPP == nil {
		return nil, nil
	}
	methods, err := payment.New(options)
	if err != nil {
		return nil, &ConfigError{fmt.Errorf("configuration: meter.%w", err)}
	}
	return methods, nil
}
